// Shared by both versions.
export { LeaseCandidate, LeaseCandidateSpec } from '../v1beta1/leasecandidate.ts'
export * from './leasecandidate.ts'
