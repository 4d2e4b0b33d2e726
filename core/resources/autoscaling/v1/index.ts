// Shared by both versions.
export { HorizontalPodAutoscalerCondition } from '../horizontalpodautoscaler.ts'
export * from './enums.ts'
export * from './horizontalpodautoscaler.ts'
export * from './metrics.ts'
export * from './metrics-status.ts'
export * from './scale.ts'
