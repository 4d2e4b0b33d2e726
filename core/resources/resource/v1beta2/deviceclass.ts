import { otherVersion } from '../../definition.ts'
import { deviceClasses as stable } from '../deviceclass.ts'

export const deviceClasses = otherVersion(stable, {
  version: 'v1beta2',
  servedByDefault: false,
  metadataOnUpdate: ['update'],
  nameFormat: 'dns1123Subdomain',
  storageVersion: 'resource.<domain>/v1',
  lifecycle: { introduced: '1.33', deprecated: '1.36', removed: '1.39' },
})
