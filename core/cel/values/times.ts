/** CEL timestamps and durations in nanoseconds, as in Go. */
import { parseTime } from '../../schema/formats/time.ts'
import { fail } from './errors.ts'
import { type Int, maxInt, minInt } from './numbers.ts'

export class CelTimestamp {
  /** Since the epoch. */
  readonly nanos: bigint
  constructor(nanos: bigint) {
    this.nanos = nanos
  }
}

export class CelDuration {
  readonly nanos: bigint
  constructor(nanos: bigint) {
    this.nanos = nanos
  }
}

export const second = 1_000_000_000n
/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z, in seconds. */
const [earliest, latest] = [-62_135_596_800n, 253_402_300_799n]

const floorDivide = (a: bigint, b: bigint) => (a - (((a % b) + b) % b)) / b

/** Throws a CelError outside of the years 1 to 9999. */
export function timestamp(nanos: bigint): CelTimestamp {
  const seconds = floorDivide(nanos, second)
  if (seconds < earliest || seconds > latest) fail('timestamp overflow')
  return new CelTimestamp(nanos)
}

/** A timestamp from seconds since the epoch. */
export const timestampOf = (seconds: Int): CelTimestamp => timestamp(BigInt(seconds) * second)

export function duration(nanos: bigint): CelDuration {
  if (nanos < minInt || nanos > maxInt) fail('integer overflow')
  return new CelDuration(nanos)
}

/** Parses RFC 3339 as Go's time.Parse does; undefined for other strings. */
export function parseTimestamp(text: string): CelTimestamp | undefined {
  const instant = parseTime(text)
  return instant && timestamp(BigInt(instant.seconds) * second + BigInt(instant.nanos))
}

const fractionOf = (nanos: bigint) => (nanos === 0n ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`)

/** RFC 3339 in UTC, with as many fraction digits as needed. */
export function formatTimestamp({ nanos }: CelTimestamp): string {
  const seconds = floorDivide(nanos, second)
  const [text = ''] = new Date(Number(seconds) * 1000).toISOString().split('.')
  return `${text}${fractionOf(nanos - seconds * second)}Z`
}

const units: { readonly [unit: string]: bigint } = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: second,
  m: 60n * second,
  h: 3600n * second,
}

const part = /(\d*)(?:\.(\d*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y

/** Maximum characters of a duration. */
const maxDurationLength = 1_000

/** As Go's time.ParseDuration, such as `1h2m3.5s`; undefined for other strings. */
export function parseDuration(text: string): CelDuration | undefined {
  const sign = /^[+-]/.exec(text)?.[0] ?? ''
  const body = text.slice(sign.length)
  if (body === '0') return new CelDuration(0n)
  if (body === '' || body.length > maxDurationLength) return undefined
  let [nanos, at] = [0n, 0]
  while (at < body.length) {
    part.lastIndex = at
    const [found, whole = '', fraction = '', unit = ''] = part.exec(body) ?? []
    if (found === undefined || (whole === '' && fraction === '') || whole.length > 19) return undefined
    const size = units[unit] ?? 0n
    nanos += BigInt(whole || '0') * size + (BigInt(fraction.slice(0, 18) || '0') * size) / 10n ** BigInt(Math.min(fraction.length, 18))
    at = part.lastIndex
  }
  const value = sign === '-' ? -nanos : nanos
  return value < minInt || value > maxInt ? undefined : new CelDuration(value)
}

/** Seconds with as many fraction digits as needed, such as `3600s`. */
export function formatDuration({ nanos }: CelDuration): string {
  const size = nanos < 0n ? -nanos : nanos
  return `${nanos < 0n ? '-' : ''}${size / second}${fractionOf(size % second)}s`
}
