/** Converts metrics between annotations of version 1 and the storage version. */

import { parseQuantity, quantitySign } from '../../../schema/formats/quantity.ts'
import type { JsonObject } from '../../../schema/model.ts'

/** Objects from annotations or the store; members may be missing. */
type Value = { readonly [name: string]: unknown } | undefined

const at = (value: unknown, ...names: string[]): unknown =>
  names.reduce<unknown>((found, name) => (typeof found === 'object' && found !== null ? (found as JsonObject)[name] : undefined), value)

/** Drops unset members. */
function object(members: { readonly [name: string]: unknown }): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject
}

type Both = readonly [toV1: (value: Value) => JsonObject, toV2: (value: Value) => JsonObject]

const isZero = (amount: string) => quantitySign(parseQuantity(amount)) === 0

const metricOf = (name: unknown, selector: unknown) => object({ name: name ?? '', selector })

const specs: { readonly [source: string]: Both } = {
  object: [
    (v2) =>
      object({
        target: at(v2, 'describedObject'),
        metricName: at(v2, 'metric', 'name'),
        targetValue: at(v2, 'target', 'value') ?? '0',
        selector: at(v2, 'metric', 'selector'),
        averageValue: at(v2, 'target', 'averageValue'),
      }),
    (v1) => {
      const averageValue = at(v1, 'averageValue')
      const type = averageValue === undefined ? 'Value' : 'AverageValue'
      // Version 1 can't omit the value: beside an average, 0 stands for none.
      const targetValue = at(v1, 'targetValue') ?? '0'
      const value = averageValue !== undefined && isZero(String(targetValue)) ? undefined : targetValue
      return object({
        describedObject: at(v1, 'target'),
        target: object({ type, value, averageValue }),
        metric: metricOf(at(v1, 'metricName'), at(v1, 'selector')),
      })
    },
  ],
  pods: [
    (v2) =>
      object({
        metricName: at(v2, 'metric', 'name'),
        targetAverageValue: at(v2, 'target', 'averageValue') ?? '0',
        selector: at(v2, 'metric', 'selector'),
      }),
    (v1) =>
      object({
        metric: metricOf(at(v1, 'metricName'), at(v1, 'selector')),
        target: { type: 'AverageValue', averageValue: at(v1, 'targetAverageValue') ?? '0' },
      }),
  ],
  resource: [resourceToV1, resourceToV2],
  containerResource: [
    (v2) => object({ ...resourceToV1(v2), container: at(v2, 'container') }),
    (v1) => object({ ...resourceToV2(v1), container: at(v1, 'container') }),
  ],
  external: [
    (v2) =>
      object({
        metricName: at(v2, 'metric', 'name'),
        metricSelector: at(v2, 'metric', 'selector'),
        targetValue: at(v2, 'target', 'value'),
        targetAverageValue: at(v2, 'target', 'averageValue'),
      }),
    (v1) => {
      const value = at(v1, 'targetValue')
      const type = value === undefined ? 'AverageValue' : 'Value'
      return object({
        metric: metricOf(at(v1, 'metricName'), at(v1, 'metricSelector')),
        target: object({ type, value, averageValue: at(v1, 'targetAverageValue') }),
      })
    },
  ],
}

function resourceToV1(v2: Value): JsonObject {
  return object({
    name: at(v2, 'name'),
    targetAverageUtilization: at(v2, 'target', 'averageUtilization'),
    targetAverageValue: at(v2, 'target', 'averageValue'),
  })
}

function resourceToV2(v1: Value): JsonObject {
  const averageUtilization = at(v1, 'targetAverageUtilization')
  const type = averageUtilization === undefined ? 'AverageValue' : 'Utilization'
  return object({ name: at(v1, 'name'), target: object({ type, averageValue: at(v1, 'targetAverageValue'), averageUtilization }) })
}

const statuses: { readonly [source: string]: Both } = {
  object: [
    (v2) =>
      object({
        target: at(v2, 'describedObject'),
        metricName: at(v2, 'metric', 'name'),
        currentValue: at(v2, 'current', 'value') ?? '0',
        selector: at(v2, 'metric', 'selector'),
        averageValue: at(v2, 'current', 'averageValue'),
      }),
    (v1) =>
      object({
        metric: metricOf(at(v1, 'metricName'), at(v1, 'selector')),
        current: object({ value: at(v1, 'currentValue') ?? '0', averageValue: at(v1, 'averageValue') }),
        describedObject: at(v1, 'target'),
      }),
  ],
  pods: [
    (v2) =>
      object({
        metricName: at(v2, 'metric', 'name'),
        currentAverageValue: at(v2, 'current', 'averageValue') ?? '0',
        selector: at(v2, 'metric', 'selector'),
      }),
    (v1) =>
      object({
        metric: metricOf(at(v1, 'metricName'), at(v1, 'selector')),
        current: object({ averageValue: at(v1, 'currentAverageValue') ?? '0' }),
      }),
  ],
  resource: [resourceStatusToV1, resourceStatusToV2],
  containerResource: [
    (v2) => object({ ...resourceStatusToV1(v2), container: at(v2, 'container') }),
    (v1) => object({ ...resourceStatusToV2(v1), container: at(v1, 'container') }),
  ],
  external: [
    (v2) =>
      object({
        metricName: at(v2, 'metric', 'name'),
        metricSelector: at(v2, 'metric', 'selector'),
        currentValue: at(v2, 'current', 'value') ?? '0',
        currentAverageValue: at(v2, 'current', 'averageValue'),
      }),
    (v1) =>
      object({
        metric: metricOf(at(v1, 'metricName'), at(v1, 'metricSelector')),
        current: object({ value: at(v1, 'currentValue') ?? '0', averageValue: at(v1, 'currentAverageValue') }),
      }),
  ],
}

function resourceStatusToV1(v2: Value): JsonObject {
  return object({
    name: at(v2, 'name'),
    currentAverageUtilization: at(v2, 'current', 'averageUtilization'),
    currentAverageValue: at(v2, 'current', 'averageValue') ?? '0',
  })
}

function resourceStatusToV2(v1: Value): JsonObject {
  return object({
    name: at(v1, 'name'),
    current: object({ averageValue: at(v1, 'currentAverageValue') ?? '0', averageUtilization: at(v1, 'currentAverageUtilization') }),
  })
}

function convert(table: { readonly [source: string]: Both }, direction: 0 | 1) {
  return (metric: JsonObject): JsonObject => {
    const members = Object.entries(table).flatMap(([name, both]) =>
      metric[name] === undefined ? [] : [[name, both[direction](metric[name] as Value)] as const],
    )
    return { type: metric['type'] ?? '', ...Object.fromEntries(members) }
  }
}

export const specToV1 = convert(specs, 0)
export const specToV2 = convert(specs, 1)
export const statusToV1 = convert(statuses, 0)
export const statusToV2 = convert(statuses, 1)
