import { otherVersion } from '../../definition.ts'
import { serviceCIDRs as stable } from '../servicecidr.ts'

export const serviceCIDRs = otherVersion(stable, {
  version: 'v1beta1',
  servedByDefault: false,
  storageVersion: 'networking.<domain>/v1',
  lifecycle: { introduced: '1.31', deprecated: '1.34', removed: '1.37' },
  strategy: {},
})
