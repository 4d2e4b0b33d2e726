import type { ResourceDefinition } from '../../definition.ts'
import { leaseCandidates } from './leasecandidate.ts'

export * from './leasecandidate.ts'

export const definitions: readonly ResourceDefinition[] = [leaseCandidates]
