import type { ResourceDefinition } from '../definition.ts'
import { priorityClasses } from './priorityclass.ts'

export * from './priorityclass.ts'

export const definitions: readonly ResourceDefinition[] = [priorityClasses]
