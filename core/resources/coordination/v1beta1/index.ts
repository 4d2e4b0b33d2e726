export * from './leasecandidate.ts'
