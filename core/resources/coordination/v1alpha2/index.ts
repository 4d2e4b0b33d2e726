import type { ResourceDefinition } from '../../definition.ts'
import { leaseCandidates } from './leasecandidate.ts'

// Shared by both versions.
export { LeaseCandidate, LeaseCandidateSpec } from '../v1beta1/leasecandidate.ts'
export * from './leasecandidate.ts'

export const definitions: readonly ResourceDefinition[] = [leaseCandidates]
