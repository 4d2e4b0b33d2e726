import type { ResourceDefinition } from '../definition.ts'
import { cronJobs } from './cronjob.ts'
import { jobs } from './job.ts'

export * from './cronjob.ts'
export * from './job.ts'

export const definitions: readonly ResourceDefinition[] = [cronJobs, jobs]
