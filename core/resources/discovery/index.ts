import type { ResourceDefinition } from '../definition.ts'
import { endpointSlices } from './endpointslice.ts'

export * from './endpointslice.ts'

export const definitions: readonly ResourceDefinition[] = [endpointSlices]
