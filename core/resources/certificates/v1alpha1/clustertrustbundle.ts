import { otherVersion } from '../../definition.ts'
import { clusterTrustBundles as newer } from '../v1beta1/clustertrustbundle.ts'

export const clusterTrustBundles = otherVersion(newer, {
  version: 'v1alpha1',
  storageVersion: 'certificates.<domain>/v1beta1',
  lifecycle: { introduced: '1.26', deprecated: '1.34', removed: '1.37' },
})
