/** `"%s is %d".format([...])`: all verbs (cel-go's ext/formatting.go, version 2 of ext.Strings). */
import { quote } from '../../schema/go/quote.ts'
import { boundText } from '../limits.ts'
import { Pace, type Parts, Steps, unitsOf } from '../steps.ts'
import { sorted } from '../values/compare.ts'
import { CelError, fail } from '../values/errors.ts'
import { type AnyMap, adapt, getKey, isMap, keysOf } from '../values/maps.ts'
import { CelDouble, CelUint, formatDouble, isInt, plainNumber } from '../values/numbers.ts'
import { CelDuration, CelTimestamp, formatDuration, formatTimestamp } from '../values/times.ts'
import { typeOf } from '../values/typing.ts'
import { CelTypeValue } from '../values/values.ts'
import { type Clause, replaceClauses } from './format-clauses.ts'
import { fixedPoint, scientific } from './localized.ts'

/** Time to write a value of a list or map, and to look at a character. */
const nanosecondsPerValue = 500
const nanosecondsPerCharacter = 3
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

const partsAtOnce = 512

/** Joins many parts: a chain of as many concatenations would burden the garbage collector. */
class Joined {
  #text = ''
  #parts: string[] = []

  add(part: string): void {
    this.#parts.push(part)
    if (this.#parts.length === partsAtOnce) this.#join()
  }

  #join(): void {
    this.#text += this.#parts.join('')
    this.#parts = []
  }

  get text(): string {
    this.#join()
    return this.#text
  }
}

/** Text, paced by the time that it took to write. */
class Writing {
  readonly pace = new Pace()
  #length = 0

  /** Whether the text so far should be charged. */
  wrote(part: string): boolean {
    this.#length += part.length
    boundText(this.#length)
    return this.pace.due(nanosecondsPerValue + part.length * nanosecondsPerCharacter)
  }
}

/** Formats a value for `%s`. */
function* text(value: unknown, writing: Writing): Parts<string> {
  if (Array.isArray(value)) return yield* listText(value, writing)
  if (isMap(value) && !(value instanceof Uint8Array)) return yield* mapText(value, writing)
  const written = scalarText(value)
  if (writing.wrote(written)) yield writing.pace.units
  return written
}

function scalarText(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || typeof value === 'boolean' || isInt(value)) return String(value)
  if (value instanceof CelUint) return String(value.value)
  if (value instanceof CelDouble) return formatDouble(value.value)
  if (value instanceof Uint8Array) return decode(value)
  if (value instanceof CelTimestamp) return formatTimestamp(value)
  if (value instanceof CelDuration) return formatDuration(value)
  return value instanceof CelTypeValue ? value.type.name : refuse('s', value)
}

function* listText(list: readonly unknown[], writing: Writing): Parts<string> {
  const result = new Joined()
  for (let at = 0; at < list.length; at++) {
    if (at > 0) result.add(', ')
    result.add(yield* literal(adapt(list[at]), writing))
  }
  return `[${result.text}]`
}

/** Formats a value inside a list or map, as a literal of the language. */
function* literal(value: unknown, writing: Writing): Parts<string> {
  const written = scalarLiteral(value)
  if (written === undefined) {
    return isWritable(value) ? yield* text(value, writing) : fail(`no formatting function for ${typeOf(value).name}`)
  }
  if (writing.wrote(written)) yield writing.pace.units
  return written
}

/** Undefined: as for `%s`. */
function scalarLiteral(value: unknown): string | undefined {
  if (typeof value === 'string') return quote(value)
  if (value instanceof Uint8Array) return `b${quote(decode(value))}`
  if (value instanceof CelTimestamp) return `timestamp(${quote(formatTimestamp(value))})`
  if (value instanceof CelDuration) return `duration(${quote(formatDuration(value))})`
  if (!(value instanceof CelDouble)) return undefined
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
  if (typeof key === 'boolean' || isInt(key) || key instanceof CelUint) return scalarText(key)
  return fail(`no formatting function for map key of type ${typeOf(key).name}`)
}

function* mapText(map: AnyMap, writing: Writing): Parts<string> {
  const entries: { readonly key: string; readonly value: string }[] = []
  for (const each of keysOf(map)) {
    const key = keyText(each)
    if (writing.wrote(key)) yield writing.pace.units
    entries.push({ key, value: yield* literal(getKey(map, each), writing) })
  }
  const result = new Joined()
  const inOrder = yield* sorted(entries, ({ key }) => key)
  for (const [at, { key, value }] of inOrder.entries()) {
    if (writing.pace.due(nanosecondsPerValue)) yield writing.pace.units
    result.add(`${at > 0 ? ', ' : ''}${key}:${value}`)
  }
  return `{${result.text}}`
}

const decimal = (value: unknown): string => (isInt(value) || value instanceof CelUint ? scalarText(value) : refuse('d', value))

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

const nanosecondsPerByte = 50

function* hex(value: unknown, upper: boolean): Parts<string> {
  const cased = (digits: string) => (upper ? digits.toUpperCase() : digits)
  const number = value instanceof CelDouble ? undefined : plainNumber(value)
  if (number !== undefined) return cased(number.toString(16))
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value
  if (!(bytes instanceof Uint8Array)) return refuse('x', value)
  boundText(bytes.length * 2)
  const pace = new Pace()
  let result = ''
  for (const each of bytes) {
    if (pace.due(nanosecondsPerByte)) yield pace.units
    result += cased(each.toString(16).padStart(2, '0'))
  }
  return result
}

const writers: { readonly [verb: string]: (value: unknown, precision: number | undefined) => string } = {
  d: decimal,
  f: (value, precision) => fixedPoint(floating('f', value), precision),
  e: (value, width) => scientific(floating('e', value), width),
  b: (value) => based(2, 'b', value),
  o: (value) => based(8, 'o', value),
}

/** Time to write a number with as many digits as a precision may ask for. */
const nanosecondsPerDigit = 30

function* write({ verb, precision }: Clause, value: unknown): Parts<string> {
  try {
    if (verb === 's') return yield* text(value, new Writing())
    if (verb === 'x' || verb === 'X') return yield* hex(value, verb === 'X')
    if (precision) yield unitsOf(precision * nanosecondsPerDigit)
    return writers[verb]?.(value, precision) ?? ''
  } catch (error) {
    throw error instanceof CelError ? new CelError(`error during formatting: ${error.message}`) : error
  }
}

export const format = (template: string, args: readonly unknown[]) =>
  new Steps(replaceClauses(template, args.length, (clause, index) => new Steps(write(clause, adapt(args[index])))))
