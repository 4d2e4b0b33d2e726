/** Go duration strings: `1h2m3.5s`. Values are nanoseconds in 64 bits. */
import { DecodeError } from '../decode-error.ts'
import { quoteForTime } from '../go/time.ts'

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
}
const element = /(\d*)(?:\.(\d*))?([^.\d]*)/y
const limit = 1n << 63n

/** Digits of integers that may fit 64 bits. */
const maxDigits = 19

/** The nanoseconds of a fraction of a unit, in floating point, as Go computes them; digits that would not fit 64 bits do not count. */
function fractionOf(digits: string, unit: bigint): bigint {
  let value = 0n
  let scale = 1
  for (const digit of digits.slice(0, maxDigits)) {
    const next = value * 10n + BigInt(digit)
    if (value > (limit - 1n) / 10n || next > limit) break
    value = next
    scale *= 10
  }
  return BigInt(Math.trunc(Number(value) * (Number(unit) / scale)))
}

/** An integer of at most 2^63; undefined: it is larger. */
function leadingInteger(digits: string): bigint | undefined {
  const significant = digits.replace(/^0+/, '')
  const value = significant.length > maxDigits ? limit + 1n : BigInt(significant || 0)
  return value > limit ? undefined : value
}

/**
 * Parses a duration to nanoseconds.
 * @throws DecodeError with Go's text.
 */
export function parseDuration(text: string): bigint {
  const invalid = () => new DecodeError(`time: invalid duration ${quoteForTime(text)}`)
  const negative = text.startsWith('-')
  const start = negative || text.startsWith('+') ? 1 : 0
  if (text.slice(start) === '0') return 0n
  if (text.length === start) throw invalid()
  let total = 0n
  element.lastIndex = start
  for (let at = start; at < text.length; at = element.lastIndex) {
    const [, whole = '', fraction = '', unit = ''] = element.exec(text) ?? []
    const integer = leadingInteger(whole)
    if (integer === undefined || (whole === '' && fraction === '')) throw invalid()
    if (unit === '') throw new DecodeError(`time: missing unit in duration ${quoteForTime(text)}`)
    const scale = Object.hasOwn(units, unit) ? units[unit] : undefined
    if (scale === undefined) throw new DecodeError(`time: unknown unit ${quoteForTime(unit)} in duration ${quoteForTime(text)}`)
    total += integer * scale + fractionOf(fraction, scale)
    if (total > limit) throw invalid()
  }
  if (total === limit && !negative) throw invalid()
  return negative ? -total : total
}

const withFraction = (value: bigint, unit: bigint): string => {
  const fraction = value % unit
  const digits = String(unit).length - 1
  const whole = String(value / unit)
  return fraction === 0n ? whole : `${whole}.${String(fraction).padStart(digits, '0').replace(/0+$/, '')}`
}

/** Formats nanoseconds. */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s'
  const sign = nanoseconds < 0n ? '-' : ''
  const value = nanoseconds < 0n ? -nanoseconds : nanoseconds
  if (value < 1_000n) return `${sign}${value}ns`
  if (value < 1_000_000n) return `${sign}${withFraction(value, 1_000n)}µs`
  if (value < 1_000_000_000n) return `${sign}${withFraction(value, 1_000_000n)}ms`
  const hours = value / 3_600_000_000_000n
  const minutes = (value / 60_000_000_000n) % 60n
  const seconds = `${withFraction(value % 60_000_000_000n, 1_000_000_000n)}s`
  if (hours > 0n) return `${sign}${hours}h${minutes}m${seconds}`
  return minutes > 0n ? `${sign}${minutes}m${seconds}` : `${sign}${seconds}`
}
