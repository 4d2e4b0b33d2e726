export * from './eviction.ts'
export * from './poddisruptionbudget.ts'
