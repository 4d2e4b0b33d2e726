/** Resource quantities such as `100m`, `1.5Gi` or `2e3` (apimachinery resource.Quantity): exact decimals, never floats. */
import { DecodeError } from '../decode-error.ts'

export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent'

/** The number `mantissa × 10^exponent`, with the format of its suffix. */
export interface Quantity {
  readonly mantissa: bigint
  readonly exponent: number
  readonly format: QuantityFormat
}

const formatWrong = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const numberWrong = 'unable to parse numeric part of quantity'
const suffixWrong = "unable to parse quantity's suffix"
const shape = /^([+-]?)0*(\d*)(\.\d*)?([eEinumkKMGTP]*[-+]?\d*)$/

const decimalSuffixes: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 }
const binarySuffixes: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 }
const decimalNames = new Map(Object.entries(decimalSuffixes).map(([name, exponent]) => [exponent, name]))
const maxSuffix = 18
const binaryNames = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']

/** Maximum of binary quantities. */
const maxInt64 = (1n << 63n) - 1n
/** Smallest exponent; finer amounts are rounded away from zero. */
const finest = -9
/** Maximum characters, to bound the cost of a hostile quantity. */
const maxLength = 256
/** Maximum exponent: larger ones are hostile, and aligning them would take unbounded memory. */
const maxExponent = 1000
const int64Digits = 18

const pow10 = (exponent: number) => 10n ** BigInt(exponent)

/** `mantissa / 10^digits`, rounded away from zero. */
function shrink(mantissa: bigint, digits: number): bigint {
  const divisor = pow10(digits)
  const quotient = mantissa / divisor
  if (mantissa % divisor === 0n) return quotient
  return mantissa < 0n ? quotient - 1n : quotient + 1n
}

interface Parsed extends Quantity {
  /** The text is canonical. */
  readonly verbatim: boolean
}

/** Maximum digits of a plain amount. */
const plainDigits = 15
const isDigit = (code: number) => code >= 0x30 && code <= 0x39

/** Number of digits of a plain amount (an integer without leading zeros, with optional suffix), which nearly all are; else 0. */
function plainLength(text: string): number {
  let end = 0
  while (end <= plainDigits && end < text.length && isDigit(text.charCodeAt(end))) end++
  if (end === 0 || end > plainDigits || text.charCodeAt(0) === 0x30) return 0
  if (end === text.length) return end
  const suffix = text.slice(end)
  if (Object.hasOwn(decimalSuffixes, suffix)) return end
  return Object.hasOwn(binarySuffixes, suffix) && isPrecise(end, binarySuffixes[suffix] as number) ? end : 0
}

/** Whether a binary amount with this many digits is parsed without rounding. */
const isPrecise = (digits: number, bits: number) => plainDigits - digits - Math.trunc((bits * 3) / 10) - 1 >= 0

/** Whether a plain amount is canonical: no larger suffix is possible. */
function isCanonical(text: string, digits: number): boolean {
  if (digits === 0) return false
  if (text.charCodeAt(text.length - 1) !== 0x69) return text.slice(Math.max(0, digits - 3), digits) !== '000'
  return Number(text.slice(0, digits)) % 1024 !== 0
}

function parsePlain(text: string, digits: number): Parsed {
  const suffix = text.slice(digits)
  const amount = BigInt(text.slice(0, digits))
  const verbatim = isCanonical(text, digits)
  const power = decimalSuffixes[suffix]
  if (power !== undefined) return { mantissa: amount, exponent: power, format: 'DecimalSI', verbatim }
  return { mantissa: amount << BigInt(binarySuffixes[suffix] as number), exponent: 0, format: 'BinarySI', verbatim }
}

function parse(text: string): Parsed {
  const plain = plainLength(text)
  if (plain > 0) return parsePlain(text, plain)
  const match = text.length > 0 && text.length <= maxLength ? shape.exec(text) : null
  if (match === null) throw new DecodeError(formatWrong)
  const [, sign, digits = '', point = '', suffix = ''] = match
  const fraction = point.slice(1)
  const negative = sign === '-'
  const whole = digits === '' ? '0' : digits
  const signed = (value: bigint) => (negative ? -value : value)
  // An amount without digits is 0 in 64 bits, and refused beyond.
  const isNumber = /^[+-]?\.?\d/.test(text)

  const bits = binarySuffixes[suffix]
  if (bits !== undefined) {
    const unscaled = BigInt(whole + fraction)
    const exact = unscaled << BigInt(bits)
    const precise = fraction === '' && isPrecise(whole.length, bits)
    if (precise) return { mantissa: signed(exact), exponent: 0, format: 'BinarySI', verbatim: (unscaled & 7n) !== 0n }
    if (!isNumber) throw new DecodeError(numberWrong)
    return { ...capped(exact, -fraction.length, negative), verbatim: false }
  }

  const named = decimalSuffixes[suffix]
  const isExponent = named === undefined
  if (isExponent && !/^[eE][-+]?\d+$/.test(suffix)) throw new DecodeError(suffixWrong)
  const power = named ?? Number(suffix.slice(1))
  if (Math.abs(power) > maxExponent) throw new DecodeError(suffixWrong)
  const format = isExponent ? 'DecimalExponent' : 'DecimalSI'
  const shifted = whole + fraction
  const exponent = power - fraction.length
  if (shifted.length <= int64Digits && exponent >= finest) {
    const verbatim = exponent % 3 === 0 && !shifted.endsWith('000') && shifted[0] !== '0'
    return { mantissa: signed(BigInt(shifted)), exponent, format, verbatim }
  }
  if (!isNumber) throw new DecodeError(numberWrong)
  const mantissa = BigInt(shifted)
  const fine = exponent < finest
  return {
    mantissa: signed(fine ? shrink(mantissa, finest - exponent) : mantissa),
    exponent: fine ? finest : exponent,
    format,
    verbatim: false,
  }
}

/** A binary amount within its bounds; values below one are decimal. */
function capped(mantissa: bigint, exponent: number, negative: boolean): Quantity {
  const fine = exponent < finest
  const amount = fine ? shrink(mantissa, finest - exponent) : mantissa
  const at = fine ? finest : exponent
  const one = pow10(-at)
  const bounded = amount > maxInt64 * one ? maxInt64 * one : amount
  const format = bounded > 0n && bounded < one ? 'DecimalSI' : 'BinarySI'
  return { mantissa: negative ? -bounded : bounded, exponent: at, format }
}

/**
 * Parses a quantity.
 * @throws DecodeError with the reference's text.
 */
export function parseQuantity(text: string): Quantity {
  const { mantissa, exponent, format } = parse(text)
  return { mantissa, exponent, format }
}

/** Canonical form: no fraction, and the largest suffix without loss of precision. */
export function formatQuantity({ mantissa, exponent, format }: Quantity): string {
  if (mantissa === 0n) return '0'
  if (format === 'BinarySI') {
    const scale = exponent < 0 ? pow10(-exponent) : 1n
    const value = exponent < 0 ? mantissa / scale : mantissa * pow10(exponent)
    const exact = mantissa % scale === 0n
    if (exact && (value >= 1024n || value <= -1024n)) {
      let amount = value
      let times = 0
      while (amount % 1024n === 0n && times < binaryNames.length - 1) {
        amount /= 1024n
        times++
      }
      return `${amount}${binaryNames[times]}`
    }
  }
  let amount = mantissa
  let power = exponent
  while (amount % 10n === 0n) {
    amount /= 10n
    power++
  }
  while (power % 3 !== 0) {
    amount *= 10n
    power--
  }
  if (format === 'DecimalExponent') return power === 0 ? String(amount) : `${amount}e${power}`
  if (power > maxSuffix) return `${amount * pow10(power - maxSuffix)}E`
  return `${amount}${decimalNames.get(power)}`
}

/**
 * Canonical form of a quantity: `1000m` → `1`, `0.5` → `500m`.
 * @throws DecodeError with the reference's text.
 */
export function canonicalQuantity(text: string): string {
  if (text === '0' || isCanonical(text, plainLength(text))) return text
  const parsed = parse(text)
  return parsed.verbatim ? text : formatQuantity(parsed)
}

/**
 * The canonical quantity, rounded away from zero to a multiple of `10^exponent`.
 * @param exponent at most 0.
 * @throws DecodeError with the reference's text.
 */
export function roundQuantity(text: string, exponent: number): string {
  // Nearly all amounts have no fraction, and need no parsing.
  const digits = plainLength(text)
  if (digits > 0 && (decimalSuffixes[text.slice(digits)] ?? 0) >= exponent) return text
  const parsed = parse(text)
  if (parsed.exponent >= exponent) return parsed.verbatim ? text : formatQuantity(parsed)
  return formatQuantity({ mantissa: shrink(parsed.mantissa, exponent - parsed.exponent), exponent, format: parsed.format })
}

/** Both mantissas scaled to the smaller exponent. */
function aligned(a: Quantity, b: Quantity): readonly [bigint, bigint, number] {
  if (a.exponent === b.exponent) return [a.mantissa, b.mantissa, a.exponent]
  const exponent = Math.min(a.exponent, b.exponent)
  return [a.mantissa * pow10(a.exponent - exponent), b.mantissa * pow10(b.exponent - exponent), exponent]
}

/** Negative, zero or positive, as `a` is less than, equal to or greater than `b`. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  const [left, right] = aligned(a, b)
  return left < right ? -1 : left > right ? 1 : 0
}

/** The sum, in the format of `a` unless that is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  const [left, right, exponent] = aligned(a, b)
  return { mantissa: left + right, exponent, format: a.mantissa === 0n ? b.format : a.format }
}

export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return addQuantities(a, { ...b, mantissa: -b.mantissa })
}

/** -1, 0 or 1. */
export function quantitySign({ mantissa }: Quantity): number {
  return mantissa < 0n ? -1 : mantissa > 0n ? 1 : 0
}

/** The sign of a quantity, with a fast path for plain amounts. */
export const signOfQuantity = (text: string): number => (plainLength(text) > 0 ? 1 : quantitySign(parseQuantity(text)))

/** The amount in units of `10^exponent` (0: units, -3: thousandths), rounded away from zero. */
export function scaledQuantity({ mantissa, exponent }: Quantity, unit: number): bigint {
  return exponent >= unit ? mantissa * pow10(exponent - unit) : shrink(mantissa, unit - exponent)
}
