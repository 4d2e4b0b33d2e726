export * from './partial.ts'
