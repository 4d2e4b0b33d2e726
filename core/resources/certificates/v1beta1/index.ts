import type { ResourceDefinition } from '../../definition.ts'
import { clusterTrustBundles } from './clustertrustbundle.ts'
import { podCertificateRequests } from './podcertificaterequest.ts'

export * from './clustertrustbundle.ts'
export * from './podcertificaterequest.ts'

export const definitions: readonly ResourceDefinition[] = [clusterTrustBundles, podCertificateRequests]
