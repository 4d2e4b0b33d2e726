export * from './enums.ts'
export * from './pod-group-policy.ts'
export * from './podgroup.ts'
export * from './workload.ts'
