import type { ResourceDefinition } from '../definition.ts'
import { leases } from './lease.ts'

export * from './enums.ts'
export * from './lease.ts'

export const definitions: readonly ResourceDefinition[] = [leases]
