/** Formats values for error messages. */
import { adapt, getKey, isMap, keysOf } from './maps.ts'
import { CelDouble, CelUint, formatDouble } from './numbers.ts'
import { CelDuration, CelTimestamp, formatDuration, formatTimestamp } from './times.ts'
import { CelOptional, CelTypeValue } from './values.ts'

const deepest = 8

/** Human-readable form of a value; deep levels are omitted. */
export function formatValue(value: unknown, depth = 0): string {
  if (value instanceof CelUint) return String(value.value)
  if (value instanceof CelDouble) return formatDouble(value.value)
  if (value instanceof CelTimestamp) return formatTimestamp(value)
  if (value instanceof CelDuration) return formatDuration(value)
  if (value instanceof CelTypeValue) return value.type.name
  if (value instanceof Uint8Array) return new TextDecoder().decode(value)
  if (depth > deepest) return '…'
  if (value instanceof CelOptional) return value.hasValue ? `optional(${formatValue(value.value, depth + 1)})` : 'optional.none()'
  if (Array.isArray(value)) return `[${value.map((each) => formatValue(adapt(each), depth + 1)).join(', ')}]`
  if (isMap(value)) {
    return `{${keysOf(value)
      .map((key) => `${formatValue(key)}: ${formatValue(getKey(value, key), depth + 1)}`)
      .join(', ')}}`
  }
  return String(value)
}
