// Shared by both versions.
export { ClusterTrustBundle, ClusterTrustBundleSpec } from '../v1beta1/clustertrustbundle.ts'
export * from './clustertrustbundle.ts'
