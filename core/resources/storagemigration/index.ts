import type { ResourceDefinition } from '../definition.ts'
import { storageVersionMigrations } from './storageversionmigration.ts'

export * from './storageversionmigration.ts'

export const definitions: readonly ResourceDefinition[] = [storageVersionMigrations]
