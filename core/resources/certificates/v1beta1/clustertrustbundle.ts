import { field, message, required, string } from '../../../schema/model.ts'
import { resource } from '../../definition.ts'
import { object } from '../../meta/object.ts'
import { validateBundle } from '../bundle-validation.ts'
import { clusterTrustBundleColumns } from '../columns.ts'

export const ClusterTrustBundleSpec = message('ClusterTrustBundleSpec', 'Trust anchors of a signer.', () => ({
  signerName: field(1, string, 'Signer that they belong to; empty for none. Cannot be changed.', { immutable: true }),
  trustBundle: required(2, string, 'PEM blocks of root certificates; their order means nothing.'),
}))

export const ClusterTrustBundle = object('ClusterTrustBundle', 'Trust anchors for the whole cluster.', () => ({
  spec: required(2, ClusterTrustBundleSpec, 'Desired state.'),
}))

export const clusterTrustBundles = resource({
  group: 'certificates.<domain>',
  version: 'v1beta1',
  names: ['clustertrustbundles', 'clustertrustbundle'],
  gate: 'ClusterTrustBundle',
  namespaced: false,
  schema: ClusterTrustBundle,
  columns: clusterTrustBundleColumns,
  lifecycle: { introduced: '1.33', deprecated: '1.37', removed: '1.40' },
  nameFormat: 'pathSegment',
  selectable: { 'spec.signerName': '.spec.signerName' },
  updateNeedsVersion: true,
  strategy: { validate: validateBundle },
})
