import type { ResourceDefinition } from '../definition.ts'
import { events } from './event.ts'

export * from './event.ts'

export const definitions: readonly ResourceDefinition[] = [events]
