import { otherVersion } from '../../definition.ts'
import { deviceClasses as newer } from '../v1beta2/deviceclass.ts'

export const deviceClasses = otherVersion(newer, {
  version: 'v1beta1',
  lifecycle: { introduced: '1.32', deprecated: '1.35', removed: '1.38' },
})
