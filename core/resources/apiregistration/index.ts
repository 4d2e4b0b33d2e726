import type { ResourceDefinition } from '../definition.ts'
import { apiServices } from './apiservice.ts'

export * from './apiservice.ts'

export const definitions: readonly ResourceDefinition[] = [apiServices]
