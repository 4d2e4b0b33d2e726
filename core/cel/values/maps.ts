/** Access to maps and objects of all representations. */
import { utf8Length } from '../../schema/bytes.ts'
import { type MaybeSteps, type Parts, Steps, unitsOf } from '../steps.ts'
import { CelMap, CelObject, CelOpaque, CelOptional, numberOf } from './values.ts'

/** A map of JSON. */
export type PlainMap = { readonly [key: string]: unknown }
export type AnyMap = PlainMap | CelMap | CelObject

/** Whether a value is a map or an object. */
export function isMap(value: unknown): value is AnyMap {
  if (typeof value !== 'object' || value === null) return false
  if (value instanceof CelMap || value instanceof CelObject) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Converts a JSON value to a CEL value. */
export function adapt(value: unknown): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) ? numberOf(value) : value
}

/** Undefined: no such key. */
export function getKey(map: AnyMap, key: unknown): unknown {
  if (map instanceof CelObject) return typeof key === 'string' ? map.get(key) : undefined
  if (map instanceof CelMap) return map.get(key)
  if (typeof key !== 'string' || !Object.hasOwn(map, key)) return undefined
  const value = map[key]
  return value === undefined ? undefined : adapt(value)
}

/** As `getKey`; a value of an object may be read in steps. */
export const beginKey = (map: AnyMap, key: unknown): MaybeSteps<unknown> =>
  map instanceof CelObject && typeof key === 'string' ? map.begin(key) : getKey(map, key)

export function sizeOfMap(map: AnyMap): number {
  if (map instanceof CelMap) return map.entries.size
  return map instanceof CelObject ? keysOf(map).length : Object.keys(map).length
}

/** The keys as they were inserted. */
export function keysOf(map: AnyMap): readonly unknown[] {
  if (map instanceof CelMap) return [...map.entries.values()].map(([key]) => key)
  if (!(map instanceof CelObject)) return Object.keys(map)
  return (map.celType.fieldNames ?? []).filter((name) => map.has(name))
}

/** Size: code points of a string, items of a list and so on; undefined for values without size. */
export function sizeOf(value: unknown): number | undefined {
  if (typeof value === 'string') return lengthOf(value)
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length
  if (value instanceof CelOpaque) return value.size?.()
  return isMap(value) && !(value instanceof CelObject) ? sizeOfMap(value) : undefined
}

const surrogate = /[\ud800-\udbff]/

/** Whether a string may have code points of two UTF-16 code units. Takes no time for strings in Latin-1. */
export const hasPairs = (text: string): boolean => surrogate.test(text)

/** Whether a code point of two code units begins at a position. */
export const isPair = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00

/** Position after the code point at a position. */
export function pointAfter(text: string, at: number): number {
  const next = at + 1
  if ((text.charCodeAt(at) & 0xfc00) !== 0xd800 || (text.charCodeAt(next) & 0xfc00) !== 0xdc00) return next
  return next + 1
}

/** Number of code points, up to the code unit `end`. */
export function lengthOf(text: string, end = text.length): number {
  if (!hasPairs(text)) return end
  let length = end
  for (let at = 0; at < end; at++) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xd800 || at + 1 >= end || (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) continue
    length--
    at++
  }
  return length
}

/** Code units that are counted at once. */
const countedAtOnce = 128 * 1024

/** Code units up to which a string is counted without steps. */
const shortText = 1024

/** Nanoseconds to look at a code unit once, and to search for pairs. */
const nanosecondsPerUnit = 3
const nanosecondsPerSearch = 0.8

/** Sum of a measure over the parts of a string, in steps. */
function* sumOfParts(text: string, measure: (part: string) => number): Parts<number> {
  let sum = 0
  for (let from = 0, end = 0; from < text.length; from = end) {
    end = Math.min(from + countedAtOnce, text.length)
    if (isPair(text, end - 1)) end++
    yield unitsOf((end - from) * nanosecondsPerUnit)
    sum += measure(text.slice(from, end))
  }
  return sum
}

/** Number of code points, in steps. */
export function* lengthParts(text: string): Parts<number> {
  if (text.length < shortText) return lengthOf(text)
  yield unitsOf(text.length * nanosecondsPerSearch)
  return hasPairs(text) ? yield* sumOfParts(text, lengthOf) : text.length
}

/** Number of bytes in UTF-8, in steps. */
export const bytesOf = (text: string): MaybeSteps<number> =>
  text.length < shortText ? utf8Length(text) : new Steps(sumOfParts(text, utf8Length))

/** Nanoseconds to look at the code points of a string. */
export const scanTime = (text: string): number => text.length * (hasPairs(text) ? 3 : 0.5)

/** Size of the smaller of two values. Strings of very different lengths are not counted. */
export function smallerWeight(a: unknown, b: unknown, weigh: (value: unknown) => number): number {
  if (typeof a !== 'string' || typeof b !== 'string') return Math.min(weigh(a), weigh(b))
  if (a.length > 2 * b.length) return weigh(b)
  return b.length > 2 * a.length ? weigh(a) : Math.min(weigh(a), weigh(b))
}

/** Size of a value for costs; 1 if it has none. */
export function weightOf(value: unknown): number {
  if (value instanceof CelOptional) return value.hasValue ? weightOf(value.value) : 1
  if (value instanceof CelObject) return Object.keys(value.raw).length
  return sizeOf(value) ?? 1
}
