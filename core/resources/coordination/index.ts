export * from './enums.ts'
export * from './lease.ts'
