/** Annotations of version 1 that hold fields of the stored version. */
import type { Platform } from '../../platform.ts'
import type { ApiObject } from '../definition.ts'

export const names = {
  metrics: 'autoscaling.alpha.<labels>/metrics',
  behavior: 'autoscaling.alpha.<labels>/behavior',
  currentMetrics: 'autoscaling.alpha.<labels>/current-metrics',
  conditions: 'autoscaling.alpha.<labels>/conditions',
} as const
export const fieldAnnotations: readonly string[] = Object.values(names)

/** Other versions take them away. */
export function dropFieldAnnotations({ metadata }: ApiObject, platform: Platform): void {
  const { annotations = {} } = metadata ?? {}
  const dropped = fieldAnnotations.map(platform.name)
  if (!dropped.some((name) => Object.hasOwn(annotations, name))) return
  const kept = Object.entries(annotations).filter(([name]) => !dropped.includes(name))
  if (kept.length > 0) metadata.annotations = Object.fromEntries(kept)
  else delete metadata.annotations
}
