export * from './runtimeclass.ts'
