import { resource } from '../../definition.ts'
import { validateBundle } from '../bundle-validation.ts'
import { clusterTrustBundleColumns } from '../columns.ts'
import { ClusterTrustBundle } from '../v1beta1/clustertrustbundle.ts'

export const clusterTrustBundles = resource({
  group: 'certificates.<domain>',
  version: 'v1alpha1',
  kind: 'ClusterTrustBundle',
  names: ['clustertrustbundles', 'clustertrustbundle'],
  gate: 'ClusterTrustBundle',
  namespaced: false,
  schema: ClusterTrustBundle,
  columns: clusterTrustBundleColumns,
  storageVersion: 'certificates.<domain>/v1beta1',
  lifecycle: { introduced: '1.26', deprecated: '1.34', removed: '1.37' },
  nameFormat: 'pathSegment',
  selectable: { 'spec.signerName': '.spec.signerName' },
  updateNeedsVersion: true,
  strategy: { validate: validateBundle },
})
