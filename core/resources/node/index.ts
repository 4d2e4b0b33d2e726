import type { ResourceDefinition } from '../definition.ts'
import { runtimeClasses } from './runtimeclass.ts'

export * from './runtimeclass.ts'

export const definitions: readonly ResourceDefinition[] = [runtimeClasses]
