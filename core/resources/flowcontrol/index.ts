import type { ResourceDefinition } from '../definition.ts'
import { flowSchemas } from './flowschema.ts'
import { priorityLevelConfigurations } from './prioritylevelconfiguration.ts'

export * from './enums.ts'
export * from './flowschema.ts'
export * from './prioritylevelconfiguration.ts'

export const definitions: readonly ResourceDefinition[] = [flowSchemas, priorityLevelConfigurations]
