export * from './apiservice.ts'
