/**
 * Converts autoscalers between version 1 and the storage version. Version 1 has only the CPU metric; other fields are kept in annotations
 * while an object is in version 1.
 */
import type { Platform } from '../../../platform.ts'
import { copyOf } from '../../../schema/json/given-empty.ts'
import type { Json, JsonObject, Message } from '../../../schema/model.ts'
import type { ApiObject, Conversion } from '../../definition.ts'
import { AnnotationFault, readListAnnotation } from '../../json-annotation.ts'
import { processorMetric, usualUtilization } from '../defaults.ts'
import { names } from '../field-annotations.ts'
import { HorizontalPodAutoscalerCondition } from '../horizontalpodautoscaler.ts'
import { behaviorFromText, behaviorText } from './behavior-text.ts'
import { specToV1, specToV2, statusToV1, statusToV2 } from './metric-conversion.ts'
import { MetricSpec } from './metrics.ts'
import { MetricStatus } from './metrics-status.ts'

const keysOf = ({ name }: Platform) => ({
  metrics: name(names.metrics),
  behavior: name(names.behavior),
  currentMetrics: name(names.currentMetrics),
  conditions: name(names.conditions),
})

const listAt = (value: unknown, name: string) => ((value as JsonObject | undefined)?.[name] ?? []) as JsonObject[]

interface ResourceMetric {
  readonly type?: unknown
  readonly resource?: { readonly name?: string; readonly target?: Use; readonly current?: Use }
}
interface Use {
  readonly averageUtilization?: number
}

const isProcessor = ({ type, resource }: ResourceMetric) => type === 'Resource' && resource?.name === 'cpu'
const isWanted = (metric: JsonObject) =>
  isProcessor(metric as ResourceMetric) && (metric as ResourceMetric).resource?.target?.averageUtilization !== undefined

const processorStatus = (averageUtilization: number): JsonObject => ({
  type: 'Resource',
  resource: { name: 'cpu', current: { averageUtilization } },
})

/** A list from an annotation; undefined when malformed. */
function parseList(text: string | undefined, schema: Message): JsonObject[] | undefined {
  if (text === undefined) return undefined
  try {
    return readListAnnotation(text, schema, `[]v1.${schema.name}`) as JsonObject[]
  } catch (error) {
    if (error instanceof AnnotationFault) return undefined
    throw error
  }
}

function withAnnotations(object: ApiObject, annotations: { readonly [key: string]: string | undefined }): ApiObject['metadata'] {
  const { annotations: old = {}, ...metadata } = object.metadata
  const set = Object.entries({ ...old, ...annotations }).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return { ...metadata, ...(set.length > 0 && { annotations: Object.fromEntries(set) }) }
}

const textOf = (list: readonly Json[]) => (list.length === 0 ? undefined : JSON.stringify(list))

function fromStored(object: ApiObject, platform: Platform): ApiObject {
  const keys = keysOf(platform)
  const { metrics: _metrics, behavior, ...spec } = (object['spec'] ?? {}) as JsonObject
  const status = copyOf(object['status'] as JsonObject | undefined)
  for (const name of ['currentMetrics', 'conditions']) delete status[name]
  const metrics = listAt(object['spec'], 'metrics')
  const current = listAt(object['status'], 'currentMetrics')
  const wanted = (metrics.find((metric) => isProcessor(metric as ResourceMetric)) as ResourceMetric | undefined)?.resource?.target
  const measured = (current.filter((metric) => isProcessor(metric as ResourceMetric)).at(-1) as ResourceMetric | undefined)?.resource
    ?.current
  return {
    ...object,
    apiVersion: 'autoscaling/v1',
    metadata: withAnnotations(object, {
      [keys.metrics]: textOf(metrics.filter((metric) => !isWanted(metric)).map(specToV1)),
      [keys.behavior]: behavior === undefined ? undefined : behaviorText(behavior as JsonObject),
      [keys.currentMetrics]: textOf(current.map(statusToV1)),
      [keys.conditions]: textOf(listAt(object['status'], 'conditions')),
    }),
    spec: { ...spec, ...(wanted?.averageUtilization !== undefined && { targetCPUUtilizationPercentage: wanted.averageUtilization }) },
    status: Object.assign(
      status,
      measured?.averageUtilization !== undefined && { currentCPUUtilizationPercentage: measured.averageUtilization },
    ),
  }
}

function toStored(object: ApiObject, platform: Platform): ApiObject {
  const keys = keysOf(platform)
  const annotations = object.metadata.annotations ?? {}
  const { targetCPUUtilizationPercentage: percentage, ...spec } = (object['spec'] ?? {}) as JsonObject
  const status = copyOf(object['status'] as JsonObject | undefined)
  const { currentCPUUtilizationPercentage: measured } = status
  delete status['currentCPUUtilizationPercentage']
  const others = (parseList(annotations[keys.metrics], MetricSpec) ?? []).map(specToV2)
  const own = typeof percentage === 'number' ? [processorMetric(percentage)] : []
  const metrics = others.length + own.length > 0 ? [...others, ...own] : [processorMetric()]
  const behavior = behaviorFromText(annotations[keys.behavior])
  const reported = parseList(annotations[keys.currentMetrics], MetricStatus)?.map(statusToV2)
  const current = reported ?? (typeof measured === 'number' ? [processorStatus(measured)] : undefined)
  const conditions = parseList(annotations[keys.conditions], HorizontalPodAutoscalerCondition)
  return {
    ...object,
    apiVersion: 'autoscaling/v2',
    metadata: withAnnotations(object, Object.fromEntries(Object.values(keys).map((key) => [key, undefined]))),
    spec: { ...spec, metrics, ...(behavior && { behavior }) },
    status: Object.assign(status, current && { currentMetrics: current }, conditions && { conditions }),
  }
}

/** Without any metric, the CPU metric that the stored version would get by default: in this version it is a field, with a manager. */
export function defaultTarget(object: ApiObject, platform: Platform): void {
  const others = parseList(object.metadata.annotations?.[keysOf(platform).metrics], MetricSpec) ?? []
  const spec = object['spec'] as JsonObject | undefined
  if (spec !== undefined && others.length === 0) spec['targetCPUUtilizationPercentage'] ??= usualUtilization
}

/** For Tables: the object in the stored version, without the metric that a new object without metrics gets. */
export function storedOf(object: ApiObject, platform: Platform): ApiObject {
  const { targetCPUUtilizationPercentage: own } = (object['spec'] ?? {}) as JsonObject
  return own === undefined && object.metadata?.annotations?.[keysOf(platform).metrics] === undefined ? object : toStored(object, platform)
}

export const conversion: Conversion = { toStored, fromStored }
