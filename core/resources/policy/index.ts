import type { ResourceDefinition } from '../definition.ts'
import { podDisruptionBudgets } from './poddisruptionbudget.ts'

export * from './eviction.ts'
export * from './poddisruptionbudget.ts'

export const definitions: readonly ResourceDefinition[] = [podDisruptionBudgets]
