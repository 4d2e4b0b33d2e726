/** `"%s is %d".format([...])`: every verb of the language. */
import { fail } from '../values/errors.ts'
import { adapt, getKey, isMap, keysOf } from '../values/maps.ts'
import { CelDouble, CelUint, isInt, plainNumber } from '../values/numbers.ts'
import { CelDuration, CelTimestamp, formatTimestamp } from '../values/times.ts'
import { typeOf } from '../values/typing.ts'
import { CelTypeValue } from '../values/values.ts'

/** The result may be so long. Characters. */
const longest = 16 * 1024 * 1024

const special = (value: number): string | undefined =>
  Number.isNaN(value) ? 'NaN' : Number.isFinite(value) ? undefined : value > 0 ? 'Infinity' : '-Infinity'

/** A double with all its digits and no exponent. */
function plainDouble(value: number): string {
  const text = special(value)
  if (text !== undefined) return text
  const [digits = '', exponent] = String(value).split('e')
  if (exponent === undefined) return digits
  const [whole = '', fraction = ''] = digits.replace('-', '').split('.')
  const sign = value < 0 ? '-' : ''
  const power = Number(exponent)
  return power < 0 ? `${sign}0.${'0'.repeat(-power - 1)}${whole}${fraction}` : sign + whole + fraction.padEnd(power, '0')
}

const secondsOf = ({ nanos }: CelDuration) => {
  const size = nanos < 0n ? -nanos : nanos
  const fraction = String(size % 1_000_000_000n)
    .padStart(9, '0')
    .replace(/0+$/, '')
  return `${nanos < 0n ? '-' : ''}${size / 1_000_000_000n}${fraction === '' ? '' : `.${fraction}`}s`
}

/** `%s`. */
function text(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || typeof value === 'boolean' || isInt(value)) return String(value)
  if (value instanceof CelUint) return String(value.value)
  if (value instanceof CelDouble) return plainDouble(value.value)
  if (value instanceof Uint8Array) return new TextDecoder().decode(value)
  if (value instanceof CelTimestamp) return formatTimestamp(value)
  if (value instanceof CelDuration) return secondsOf(value)
  if (value instanceof CelTypeValue) return value.type.name
  if (Array.isArray(value)) return `[${value.map((each) => text(adapt(each))).join(', ')}]`
  if (!isMap(value))
    return fail(
      `string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ${typeOf(value).name}`,
    )
  const entries = keysOf(value).map((key) => [text(key), text(getKey(value, key))] as const)
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `{${entries.map(([key, each]) => `${key}: ${each}`).join(', ')}}`
}

function wrong(verb: string, allowed: string, value: unknown): never {
  return fail(`${verb} clause can only be used on ${allowed}, was given ${typeOf(value).name}`)
}

function decimal(value: unknown): string {
  if (isInt(value)) return String(value)
  if (value instanceof CelUint) return String(value.value)
  if (value instanceof CelDouble) {
    const named = special(value.value)
    if (named !== undefined) return named
  }
  return wrong('decimal', 'integers', value)
}

function fixed(value: unknown, precision: number): string {
  const number = floating(value, 'fixed-point')
  return special(number) ?? roundedFixed(number, precision)
}

/** The digits of a double rounded half to even on its exact value; toFixed ends at 1e21 and 100 digits. */
function roundedFixed(value: number, precision: number): string {
  if (Math.abs(value) < 1e21 && precision <= 100) return value.toFixed(precision)
  return `${plainDouble(value)}${precision > 0 ? `.${'0'.repeat(precision)}` : ''}`
}

function scientific(value: unknown, precision: number): string {
  const number = floating(value, 'scientific')
  const named = special(number)
  if (named !== undefined) return named
  const [digits = '', exponent = '0'] = number.toExponential(Math.min(precision, 100)).split('e')
  const power = Number(exponent)
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}

function floating(value: unknown, verb: string): number {
  const named: { readonly [name: string]: number } = {
    NaN: Number.NaN,
    Infinity: Number.POSITIVE_INFINITY,
    '-Infinity': Number.NEGATIVE_INFINITY,
  }
  if (typeof value === 'string' && Object.hasOwn(named, value)) return named[value] as number
  if (value instanceof CelDouble) return value.value
  return wrong(verb, 'doubles', value)
}

function based(value: unknown, base: 2 | 8, verb: string): string {
  if (typeof value === 'boolean' && base === 2) return value ? '1' : '0'
  if (isInt(value)) return value.toString(base)
  if (value instanceof CelUint) return value.value.toString(base)
  return wrong(verb, base === 2 ? 'integers and bools' : 'integers', value)
}

function hex(value: unknown, upper: boolean): string {
  const number = value instanceof CelDouble ? undefined : plainNumber(value)
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value
  let digits: string
  if (number !== undefined) digits = number.toString(16)
  else if (bytes instanceof Uint8Array) digits = [...bytes].map((each) => each.toString(16).padStart(2, '0')).join('')
  else return wrong('hexadecimal', 'integers, byte buffers, and strings', value)
  return upper ? digits.toUpperCase() : digits
}

const defaultPrecision = 6

const verbs: { readonly [verb: string]: (value: unknown, precision: number | undefined) => string } = {
  s: text,
  d: decimal,
  f: (value, precision = defaultPrecision) => fixed(value, precision),
  e: (value, precision = defaultPrecision) => scientific(value, precision),
  b: (value) => based(value, 2, 'binary'),
  o: (value) => based(value, 8, 'octal'),
  x: (value) => hex(value, false),
  X: (value) => hex(value, true),
}

const clause = /%(?:%|(\.\d*)?(.?))/gsu

/** Digits after the point of one clause, at most. */
const mostDigits = 1000

export function format(template: string, args: readonly unknown[]): string {
  let index = 0
  let length = 0
  const result = template.replace(clause, (written: string, dot: string | undefined, verb: string | undefined) => {
    if (written === '%%') return '%'
    if (!verb) return fail('unexpected end of string')
    const write = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined
    if (!write) return fail(`could not parse formatting clause: unrecognized formatting clause "${verb}"`)
    if (dot === '.') return fail(`could not parse formatting clause: error while parsing precision: could not convert precision to integer`)
    if (index >= args.length) return fail(`index ${index} out of range`)
    const precision = dot === undefined ? undefined : Math.min(Number(dot.slice(1)), mostDigits)
    const part = write(adapt(args[index++]), precision)
    length += part.length
    if (length > longest) return fail('the result of a function is too long')
    return part
  })
  return result
}
