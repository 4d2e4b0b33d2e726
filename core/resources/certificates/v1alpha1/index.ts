import type { ResourceDefinition } from '../../definition.ts'
import { clusterTrustBundles } from './clustertrustbundle.ts'

// Shared by both versions.
export { ClusterTrustBundle, ClusterTrustBundleSpec } from '../v1beta1/clustertrustbundle.ts'
export * from './clustertrustbundle.ts'

export const definitions: readonly ResourceDefinition[] = [clusterTrustBundles]
