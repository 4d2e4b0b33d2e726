import type { Platform } from '../../platform.ts'
import type { Infer } from '../../schema/model.ts'
import { abridged, ageColumn, countColumn, nameColumn, none, textColumn, unknown, unset } from '../cells.ts'
import type { ApiObject, Column } from '../definition.ts'
import type { HorizontalPodAutoscaler } from './horizontalpodautoscaler.ts'
import type { MetricTarget, MetricValueStatus } from './metric-values.ts'
import type { MetricSpec } from './metrics.ts'
import type { MetricStatus } from './metrics-status.ts'

/** Metrics of the stored version: exactly the member of the type is set. */
type Spec = Infer<typeof MetricSpec>

type Status = Infer<typeof MetricStatus>
type Target = Infer<typeof MetricTarget>
type Current = Infer<typeof MetricValueStatus>

type AutoscalerRow = Infer<typeof HorizontalPodAutoscaler>

/** With a status, a missing value is shown as 0. */
const reported = (status: object | undefined, amount: string | undefined) => (status === undefined ? unknown : (amount ?? '0'))
const percent = (number: number | undefined, otherwise: string) => (number === undefined ? otherwise : `${number}%`)

function outside(target: Target, current: Current | undefined): string {
  if (target.averageValue !== undefined) return `${current?.averageValue ?? unknown}/${target.averageValue} (avg)`
  return `${reported(current, current?.value)}/${target.value ?? '0'}`
}

function ofPods(target: Target, current: Current | undefined): string {
  return `${reported(current, current?.averageValue)}/${target.averageValue ?? '0'}`
}

function ofResource(name: string, target: Target, current: Current | undefined): string {
  if (target.averageValue !== undefined) return `${name}: ${ofPods(target, current)}`
  return `${name}: ${percent(current?.averageUtilization, unknown)}/${percent(target.averageUtilization, '<auto>')}`
}

function metricText(spec: Spec, status: Status | undefined): string {
  if (spec.type === 'External' && spec.external) return outside(spec.external.target, status?.external?.current)
  if (spec.type === 'Object' && spec.object) return outside(spec.object.target, status?.object?.current)
  if (spec.type === 'Pods' && spec.pods) return ofPods(spec.pods.target, status?.pods?.current)
  if (spec.type === 'Resource' && spec.resource) return ofResource(spec.resource.name, spec.resource.target, status?.resource?.current)
  if (spec.type === 'ContainerResource' && spec.containerResource)
    return ofResource(spec.containerResource.name, spec.containerResource.target, status?.containerResource?.current)
  return '<unknown type>'
}

function targetsText({ spec, status }: AutoscalerRow): string {
  const metrics = spec?.metrics ?? []
  if (metrics.length === 0) return none
  return abridged(
    metrics.map((metric, index) => metricText(metric, status?.currentMetrics?.[index])),
    2,
    ', ',
  )
}

function referenceText({ spec }: AutoscalerRow): string {
  return `${spec?.scaleTargetRef?.kind ?? ''}/${spec?.scaleTargetRef?.name ?? ''}`
}

/** `storedOf`: the object in the stored version, which has all metrics. */
export const horizontalPodAutoscalerColumns = (storedOf: (object: ApiObject, platform: Platform) => ApiObject = (object) => object) => [
  nameColumn,
  textColumn('Reference', 'Object that is scaled.', referenceText),
  textColumn<ApiObject>('Targets', 'Metrics, current and target.', (object, { platform }) =>
    targetsText(storedOf(object, platform) as unknown as AutoscalerRow),
  ),
  textColumn('MinPods', 'Lower bound of the scale.', '.spec.minReplicas', unset),
  countColumn('MaxPods', 'Upper bound of the scale.', '.spec.maxReplicas', 'string'),
  countColumn('Replicas', 'Number of pods when last observed.', '.status.currentReplicas', 'string'),
  ageColumn,
]

/** Columns of the scale subresource. */
export const scaleColumns: readonly Column<unknown>[] = [
  textColumn('Name', nameColumn.doc, '.metadata.name'),
  countColumn('Desired', 'Desired number of pods.', '.spec.replicas'),
  countColumn('Available', 'Number of pods.', '.status.replicas'),
  ageColumn,
]
