/** `"%s is %d".format([...])`: all verbs (cel-go's ext/formatting.go, version 2 of ext.Strings). */
import { quote } from '../../schema/field-error.ts'
import { CelError, fail } from '../values/errors.ts'
import { type AnyMap, adapt, getKey, isMap, keysOf } from '../values/maps.ts'
import { CelDouble, CelUint, formatDouble, isInt, plainNumber } from '../values/numbers.ts'
import { CelDuration, CelTimestamp, formatDuration, formatTimestamp } from '../values/times.ts'
import { typeOf } from '../values/typing.ts'
import { CelTypeValue } from '../values/values.ts'
import { type Clause, replaceClauses } from './format-clauses.ts'
import { fixedPoint, scientific } from './localized.ts'

/** Maximum characters of the result. */
const longest = 16 * 1024 * 1024
const doubleDigits = 6

/** Values that a verb accepts, as error text. */
export const takes: { readonly [verb: string]: string } = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  d: 'decimal clause can only be used on integers',
  f: 'fixed-point clause can only be used on doubles',
  e: 'scientific clause can only be used on doubles',
  b: 'only integers and bools can be formatted as binary',
  o: 'octal clause can only be used on integers',
  x: 'only integers, byte buffers, and strings can be formatted as hex',
  X: 'only integers, byte buffers, and strings can be formatted as hex',
}

const refuse = (verb: string, value: unknown): never => fail(`${takes[verb]}, was given ${typeOf(value).name}`)

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return fail('could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string')
  }
}

/** Formats a value for `%s`. */
function text(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || typeof value === 'boolean' || isInt(value)) return String(value)
  if (value instanceof CelUint) return String(value.value)
  if (value instanceof CelDouble) return formatDouble(value.value)
  if (value instanceof Uint8Array) return decode(value)
  if (value instanceof CelTimestamp) return formatTimestamp(value)
  if (value instanceof CelDuration) return formatDuration(value)
  if (value instanceof CelTypeValue) return value.type.name
  if (Array.isArray(value)) return `[${value.map((each) => literal(adapt(each))).join(', ')}]`
  return isMap(value) ? mapText(value) : refuse('s', value)
}

/** Formats a value inside a list or map, as a literal of the language. */
function literal(value: unknown): string {
  if (typeof value === 'string') return quote(value)
  if (value instanceof Uint8Array) return `b${quote(decode(value))}`
  if (value instanceof CelTimestamp) return `timestamp(${quote(formatTimestamp(value))})`
  if (value instanceof CelDuration) return `duration(${quote(formatDuration(value))})`
  if (!(value instanceof CelDouble)) return isWritable(value) ? text(value) : fail(`no formatting function for ${typeOf(value).name}`)
  if (!Number.isFinite(value.value)) return quote(formatDouble(value.value))
  return `${Object.is(value.value, -0) ? '-' : ''}${fixedPoint(value.value, doubleDigits).replaceAll(',', '')}`
}

const isWritable = (value: unknown) =>
  value === null ||
  typeof value === 'boolean' ||
  plainNumber(value) !== undefined ||
  value instanceof CelTypeValue ||
  Array.isArray(value) ||
  isMap(value)

function keyText(key: unknown): string {
  if (typeof key === 'string') return quote(key)
  if (typeof key === 'boolean' || isInt(key) || key instanceof CelUint) return text(key)
  return fail(`no formatting function for map key of type ${typeOf(key).name}`)
}

function mapText(map: AnyMap): string {
  const entries = keysOf(map).map((key) => [keyText(key), literal(getKey(map, key))] as const)
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `{${entries.map(([key, value]) => `${key}:${value}`).join(', ')}}`
}

const decimal = (value: unknown): string => (isInt(value) || value instanceof CelUint ? text(value) : refuse('d', value))

const words: { readonly [text: string]: number } = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
}

function floating(verb: string, value: unknown): number {
  if (typeof value === 'string' && Object.hasOwn(words, value)) return words[value] as number
  return value instanceof CelDouble ? value.value : refuse(verb, value)
}

function based(base: 2 | 8, verb: string, value: unknown): string {
  if (typeof value === 'boolean' && base === 2) return value ? '1' : '0'
  if (isInt(value)) return value.toString(base)
  return value instanceof CelUint ? value.value.toString(base) : refuse(verb, value)
}

function hex(value: unknown): string {
  const number = value instanceof CelDouble ? undefined : plainNumber(value)
  if (number !== undefined) return number.toString(16)
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value
  return bytes instanceof Uint8Array ? [...bytes].map((each) => each.toString(16).padStart(2, '0')).join('') : refuse('x', value)
}

const writers: { readonly [verb: string]: (value: unknown, precision: number | undefined) => string } = {
  s: text,
  d: decimal,
  f: (value, precision) => fixedPoint(floating('f', value), precision),
  e: (value, width) => scientific(floating('e', value), width),
  b: (value) => based(2, 'b', value),
  o: (value) => based(8, 'o', value),
  x: hex,
  X: (value) => hex(value).toUpperCase(),
}

function write({ verb, precision }: Clause, value: unknown): string {
  try {
    return writers[verb]?.(value, precision) ?? ''
  } catch (error) {
    throw error instanceof CelError ? new CelError(`error during formatting: ${error.message}`) : error
  }
}

export function format(template: string, args: readonly unknown[]): string {
  let length = 0
  return replaceClauses(template, args.length, (clause, index) => {
    const part = write(clause, adapt(args[index]))
    length += part.length
    return length > longest ? fail('the result of a function is too long') : part
  })
}
