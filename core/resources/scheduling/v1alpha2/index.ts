import type { ResourceDefinition } from '../../definition.ts'
import { podGroups } from './podgroup.ts'
import { workloads } from './workload.ts'

export * from './enums.ts'
export * from './pod-group-policy.ts'
export * from './podgroup.ts'
export * from './workload.ts'

export const definitions: readonly ResourceDefinition[] = [podGroups, workloads]
