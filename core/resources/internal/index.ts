export * from './storageversion.ts'
