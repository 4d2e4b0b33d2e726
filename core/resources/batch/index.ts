export * from './cronjob.ts'
export * from './job.ts'
