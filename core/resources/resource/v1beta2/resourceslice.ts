import { otherVersion } from '../../definition.ts'
import { resourceSlices as stable } from '../resourceslice.ts'

export const resourceSlices = otherVersion(stable, {
  version: 'v1beta2',
  servedByDefault: false,
  strategy: {},
  storageVersion: 'resource.<domain>/v1',
  lifecycle: { introduced: '1.33', deprecated: '1.36', removed: '1.39' },
})
