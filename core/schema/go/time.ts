/** Times as Go's `time.Parse` reads them with the layouts of RFC 3339: more than the RFC allows, with Go's texts for what is refused. */
import { DecodeError } from '../decode-error.ts'
import { encodeUtf8 } from '../formats/utf8.ts'

/** The parts of a time as they are written. */
export interface TimeParts {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
  nanos: number
  /** Of the time zone, east of UTC. */
  offsetSeconds: number
}

/** What an element of a layout finds: the number of characters that it takes, or why it refuses them (undefined: they have another form). */
type Found = { readonly length: number } | { readonly outOfRange: string | undefined }

/** An element of a layout, behind the text before it; writes what it finds into `parts`. */
interface Element {
  readonly before: string
  readonly name: string
  read(rest: string, parts: TimeParts): Found
}

const otherForm: Found = { outOfRange: undefined }
/** Digits of a fraction that count. */
const fractionDigits = 9

const number = (before: string, name: string, form: RegExp, part: keyof TimeParts, range?: readonly [string, number, number]): Element => ({
  before,
  name,
  read(rest, parts) {
    const digits = form.exec(rest)?.[0]
    if (digits === undefined) return otherForm
    const value = Number(digits)
    if (range !== undefined && (value < range[1] || value > range[2])) return { outOfRange: range[0] }
    parts[part] = value
    return { length: digits.length }
  },
})

const two = /^\d\d/
const minuteAndBefore: readonly Element[] = [
  number('', '2006', /^\d{4}/, 'year'),
  number('-', '01', two, 'month', ['month', 1, 12]),
  // The greatest day depends on month and year.
  number('-', '02', two, 'day'),
  number('T', '15', /^\d\d?/, 'hour', ['hour', 0, 23]),
  number(':', '04', two, 'minute', ['minute', 0, 59]),
]
const second = number(':', '05', two, 'second', ['second', 0, 59])

/** Seconds of a layout without fraction, which takes any fraction that follows. */
const secondWithAnyFraction: Element = {
  ...second,
  read(rest, parts) {
    const found = second.read(rest, parts)
    const fraction = 'length' in found ? /^[.,](\d+)/.exec(rest.slice(found.length)) : null
    if (!('length' in found) || fraction === null) return found
    parts.nanos = Number(fraction[1]?.slice(0, fractionDigits).padEnd(fractionDigits, '0'))
    return { length: found.length + fraction[0].length }
  },
}

/** Six characters that Go reads as an integer, so that one of them may be a sign. */
const microseconds: Element = {
  before: '',
  name: '.000000',
  read(rest, parts) {
    const value = /^[.,](\d{6}|[+-]\d{5})/.exec(rest)?.[1]
    if (value === undefined) return otherForm
    if (Number(value) < 0) return { outOfRange: 'fractional second' }
    parts.nanos = Math.abs(Number(value)) * 1000
    return { length: value.length + 1 }
  },
}

const zoneLength = '+07:00'.length

/** Offsets of 24 hours and of 60 minutes are taken. */
const zone: Element = {
  before: '',
  name: 'Z07:00',
  read(rest, parts) {
    if (rest.startsWith('Z')) return { length: 1 }
    if (rest.length < zoneLength || rest[3] !== ':') return otherForm
    const hours = two.exec(rest.slice(1))?.[0]
    if (hours === undefined) return otherForm
    const minutes = two.exec(rest.slice(4))?.[0]
    if (Number(minutes ?? 0) > 60) return { outOfRange: 'time zone offset minute' }
    if (Number(hours) > 24) return { outOfRange: 'time zone offset hour' }
    if (minutes === undefined || (rest[0] !== '+' && rest[0] !== '-')) return otherForm
    parts.offsetSeconds = (Number(hours) * 60 + Number(minutes)) * (rest[0] === '-' ? -60 : 60)
    return { length: zoneLength }
  },
}

const layouts = {
  time: { text: '2006-01-02T15:04:05Z07:00', elements: [...minuteAndBefore, secondWithAnyFraction, zone] },
  microTime: { text: '2006-01-02T15:04:05.000000Z07:00', elements: [...minuteAndBefore, second, microseconds, zone] },
} as const

/** A text as Go sees it: one character for each byte. */
const byteText = (text: string) =>
  /^[\0-\x7f]*$/.test(text) ? text : Array.from(encodeUtf8(text), (byte) => String.fromCharCode(byte)).join('')

/** As the package time quotes: bytes that are not printable ASCII in hexadecimal. */
const quoted = (bytes: string) =>
  `"${bytes.replaceAll(/["\\]|[^ -\x7f]/g, (found) =>
    found === '"' || found === '\\' ? `\\${found}` : `\\x${found.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )}"`

/** A text in errors of Go's package time. */
export const quoteForTime = (text: string): string => quoted(byteText(text))

const daysIn = (year: number, month: number) => new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()

/** Why a text is no time, in Go's words; made on demand, because it quotes the text. */
type Refusal = () => string

/** The parts of a time, or why there are none. */
export function scanGoTime(text: string, type: keyof typeof layouts): TimeParts | Refusal {
  const layout = layouts[type]
  const refusal = (reason: string) => () => `parsing time ${quoteForTime(text)}${reason}`
  const mismatch = (rest: string, element: string) => () =>
    `parsing time ${quoteForTime(text)} as "${layout.text}": cannot parse ${quoteForTime(rest)} as "${element}"`
  const parts: TimeParts = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0, nanos: 0, offsetSeconds: 0 }
  let rest = text
  for (const { before, name, read } of layout.elements) {
    if (!rest.startsWith(before)) return mismatch(rest, before)
    rest = rest.slice(before.length)
    const found = read(rest, parts)
    if ('length' in found) rest = rest.slice(found.length)
    else return found.outOfRange === undefined ? mismatch(rest, name) : refusal(`: ${found.outOfRange} out of range`)
  }
  if (rest !== '') return () => `parsing time ${quoteForTime(text)}: extra text: ${quoteForTime(rest)}`
  if (parts.day < 1 || parts.day > daysIn(parts.year, parts.month)) return refusal(': day out of range')
  return parts
}

/**
 * The parts of a time.
 * @throws DecodeError with the text of Go's ParseError.
 */
export function parseGoTime(text: string, type: keyof typeof layouts): TimeParts {
  const found = scanGoTime(text, type)
  if (typeof found === 'function') throw new DecodeError(found())
  return found
}
