import type { ResourceDefinition } from '../definition.ts'
import { storageVersions } from './storageversion.ts'

export * from './storageversion.ts'

export const definitions: readonly ResourceDefinition[] = [storageVersions]
