import type { ResourceDefinition } from '../definition.ts'
import { horizontalPodAutoscalers } from './horizontalpodautoscaler.ts'

export * from './behavior.ts'
export * from './enums.ts'
export * from './horizontalpodautoscaler.ts'
export * from './metric-values.ts'
export * from './metrics.ts'
export * from './metrics-status.ts'

export const definitions: readonly ResourceDefinition[] = [horizontalPodAutoscalers]
