export * from './endpointslice.ts'
