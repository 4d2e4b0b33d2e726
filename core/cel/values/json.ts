/** Converts between JSON and CEL values. */
import { encodeBase64 } from '../../schema/formats/base64.ts'
import type { Json } from '../../schema/model.ts'
import { fail } from './errors.ts'
import { formatValue } from './format.ts'
import { adapt, getKey, isMap, keysOf } from './maps.ts'
import { CelDouble, CelUint } from './numbers.ts'
import { CelDuration, CelTimestamp, formatDuration, formatTimestamp } from './times.ts'
import { typeOf } from './typing.ts'
import { CelObject, CelOptional } from './values.ts'

/** JSON as Go parses it without types: every number is a double. */
export function fromJson(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'bigint') return new CelDouble(Number(value))
  if (Array.isArray(value)) return value.map(fromJson)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fromJson(each)]))
}

/** A value as JSON. Throws a CelError for values without a JSON form. */
export function toJson(value: unknown): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'bigint')
    return value
  if (value instanceof CelDouble) return value.value
  if (value instanceof CelUint) return Number.isSafeInteger(Number(value.value)) ? Number(value.value) : BigInt(value.value)
  if (value instanceof Uint8Array) return encodeBase64(value)
  if (value instanceof CelTimestamp) return formatTimestamp(value)
  if (value instanceof CelDuration) return formatDuration(value)
  if (value instanceof CelOptional) return value.hasValue ? toJson(value.value) : null
  if (Array.isArray(value)) return value.map((each) => toJson(adapt(each)))
  if (value instanceof CelObject) return Object.fromEntries(Object.entries(value.raw).map(([json, each]) => [json, toJson(adapt(each))]))
  if (!isMap(value)) return fail(`type conversion error from '${typeOf(value).name}' to 'google.protobuf.Value'`)
  return Object.fromEntries(keysOf(value).map((key) => [formatValue(key), toJson(getKey(value, key))]))
}
