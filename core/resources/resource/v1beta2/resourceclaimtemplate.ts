import { otherVersion } from '../../definition.ts'
import { resourceClaimTemplates as stable } from '../resourceclaimtemplate.ts'

export const resourceClaimTemplates = otherVersion(stable, {
  version: 'v1beta2',
  servedByDefault: false,
  metadataOnUpdate: ['update'],
  storageVersion: 'resource.<domain>/v1',
  lifecycle: { introduced: '1.33', deprecated: '1.36', removed: '1.39' },
})
