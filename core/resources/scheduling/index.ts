export * from './priorityclass.ts'
