import { otherVersion } from '../../definition.ts'
import { ipAddresses as stable } from '../ipaddress.ts'

export const ipAddresses = otherVersion(stable, {
  version: 'v1beta1',
  servedByDefault: false,
  metadataOnUpdate: ['update'],
  storageVersion: 'networking.<domain>/v1',
  lifecycle: { introduced: '1.31', deprecated: '1.34', removed: '1.37' },
  strategy: { keepsGenerateName: true },
})
