/** Times in JSON (RFC 3339) and protobuf (seconds and nanoseconds since the epoch). */
import { DecodeError } from '../decode-error.ts'
import { parseGoTime, scanGoTime, type TimeParts } from '../go/time.ts'

export interface Instant {
  readonly seconds: number
  readonly nanos: number
}

/** 0001-01-01T00:00:00Z, the unset time. */
const zeroSeconds = -62135596800
/** The text of the unset time, whose canonical form is null. */
export const unsetTime = { time: '0001-01-01T00:00:00Z', microTime: '0001-01-01T00:00:00.000000Z' } as const
const year0 = -62167219200
const year10000 = 253402300800

function epochSeconds(year: number, month: number, day: number, hour: number, minute: number, second: number): number {
  // Date.UTC takes years below 100 as 19xx; the calendar repeats every 400 years of 146097 days.
  return Date.UTC(year + 400, month - 1, day, hour, minute, second) / 1000 - 146097 * 86400
}

function instantOf({ year, month, day, hour, minute, second, nanos, offsetSeconds }: TimeParts): Instant {
  return { seconds: epochSeconds(year, month, day, hour, minute, second) - offsetSeconds, nanos }
}

/** Parses RFC 3339 with any number of fraction digits, as Go does; undefined when malformed or not a date. */
export function parseTime(text: string): Instant | undefined {
  if (text.length === 20 && text[19] === 'Z' && isPlainDate(text)) return { seconds: plainSeconds(text), nanos: 0 }
  const found = scanGoTime(text, 'time')
  return typeof found === 'function' ? undefined : instantOf(found)
}

const isDigits = (text: string, from: number, to: number) => {
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i)
    if (code < 48 || code > 57) return false
  }
  return true
}
/** The two digits at a position; NaN: others stand there. */
function pair(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48
  const ones = text.charCodeAt(at + 1) - 48
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

/** `YYYY-MM-DDThh:mm:ss` with a day that every month has, which is canonical without parsing. */
function isPlainDate(text: string): boolean {
  const month = pair(text, 5)
  const day = pair(text, 8)
  return (
    text.charCodeAt(4) === 0x2d &&
    text.charCodeAt(7) === 0x2d &&
    text.charCodeAt(10) === 0x54 &&
    text.charCodeAt(13) === 0x3a &&
    text.charCodeAt(16) === 0x3a &&
    pair(text, 0) * 100 + pair(text, 2) > 1 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= 28 &&
    pair(text, 11) <= 23 &&
    pair(text, 14) <= 59 &&
    pair(text, 17) <= 59
  )
}

/** Seconds since the epoch of a plain date. */
const plainSeconds = (text: string) =>
  epochSeconds(pair(text, 0) * 100 + pair(text, 2), pair(text, 5), pair(text, 8), pair(text, 11), pair(text, 14), pair(text, 17))

/** The two digits at a position; NaN: others stand there. */
function digitsAt(bytes: Uint8Array, at: number): number {
  const tens = (bytes[at] as number) - 48
  const ones = (bytes[at + 1] as number) - 48
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

/** Seconds since the epoch of a plain date with `Z` in UTF-8; undefined: something else stands there. */
export function plainSecondsAt(bytes: Uint8Array, at: number): number | undefined {
  for (const [place, code] of punctuation) if (bytes[at + place] !== code) return undefined
  const year = digitsAt(bytes, at) * 100 + digitsAt(bytes, at + 2)
  const [month, day] = [digitsAt(bytes, at + 5), digitsAt(bytes, at + 8)]
  const [hour, minute, second] = [digitsAt(bytes, at + 11), digitsAt(bytes, at + 14), digitsAt(bytes, at + 17)]
  const isPlain = year > 1 && month >= 1 && month <= 12 && day >= 1 && day <= 28 && hour <= 23 && minute <= 59 && second <= 59
  return isPlain ? epochSeconds(year, month, day, hour, minute, second) : undefined
}
const punctuation = [...'....-..-..T..:..:..Z'].flatMap((character, at) =>
  character === '.' ? [] : [[at, character.charCodeAt(0)] as const],
)

const twoDigits = Array.from({ length: 100 }, (_, value) => String(value).padStart(2, '0'))

const daySeconds = 86_400
/** Days from the first of March of the year 0 to the epoch, and of 400, 100 and 4 years. */
const [daysToEpoch, days400, days100, days4] = [719_468, 146_097, 36_524, 1_461]

/** For the years 0 to 9999; ten times as fast as `toISOString`, and used twice in every write. Years begin in March, so that leap days are last. */
function secondsText(seconds: number): string {
  const days = Math.floor(seconds / daySeconds)
  const shifted = days + daysToEpoch
  const era = Math.floor(shifted / days400)
  const ofEra = shifted - era * days400
  const years = Math.floor(
    (ofEra - Math.floor(ofEra / (days4 - 1)) + Math.floor(ofEra / days100) - Math.floor(ofEra / (days400 - 1))) / 365,
  )
  const ofYear = ofEra - (365 * years + Math.floor(years / 4) - Math.floor(years / 100))
  // Months of 30.6 days on average.
  const months = Math.floor((5 * ofYear + 2) / 153)
  const day = ofYear - Math.floor((153 * months + 2) / 5) + 1
  const month = months < 10 ? months + 3 : months - 9
  const year = era * 400 + years + (month <= 2 ? 1 : 0)
  const ofDay = seconds - days * daySeconds
  const date = `${twoDigits[Math.floor(year / 100)]}${twoDigits[year % 100]}-${twoDigits[month]}-${twoDigits[day]}`
  return `${date}T${twoDigits[Math.floor(ofDay / 3600)]}:${twoDigits[Math.floor(ofDay / 60) % 60]}:${twoDigits[ofDay % 60]}`
}

/**
 * RFC 3339 in UTC; null for the unset time.
 * @throws DecodeError for years beyond RFC 3339.
 */
export function formatTime({ seconds, nanos }: Instant, type: 'time' | 'microTime'): string | null {
  if (seconds === zeroSeconds && nanos === 0) return null
  if (!(seconds >= year0 && seconds < year10000)) throw new DecodeError('year outside of range [0,9999]')
  const text = secondsText(seconds)
  return type === 'time' ? `${text}Z` : `${text}.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z`
}

/**
 * The canonical text of a time (whole seconds) or microTime (six digits); null for the unset time.
 * @throws DecodeError with Go's text when the text is no time.
 */
export function canonicalTime(text: string, type: 'time' | 'microTime'): string | null {
  if (type === 'time' ? text.length === 20 && text[19] === 'Z' : text.length === 27 && text[26] === 'Z' && text[19] === '.') {
    if (isPlainDate(text) && (type === 'time' || isDigits(text, 20, 26))) return text
  }
  return formatTime(instantOf(parseGoTime(text, type)), type)
}

/** Milliseconds since the epoch of a time; undefined when malformed. */
export function epochMilliseconds(text: string): number | undefined {
  const instant = parseTime(text)
  return instant && instant.seconds * 1000 + instant.nanos / 1e6
}

/** Milliseconds since the epoch as microTime. */
export const microTimestamp = (milliseconds: number) =>
  `${secondsText(Math.floor(milliseconds / 1000))}.${String(Math.floor((milliseconds % 1000) * 1000)).padStart(6, '0')}Z`

/** Milliseconds since the epoch as RFC 3339 in UTC with whole seconds. */
export const timestamp = (milliseconds: number) => `${secondsText(Math.floor(milliseconds / 1000))}Z`
