import type { ResourceDefinition } from '../definition.ts'
import { customResourceDefinitions } from './customresourcedefinition.ts'

export * from './conversionreview.ts'
export * from './customresourcedefinition.ts'
export * from './json-schema.ts'
export * from './webhook.ts'

export const definitions: readonly ResourceDefinition[] = [customResourceDefinitions]
