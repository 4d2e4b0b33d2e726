/** Times in CBOR (RFC 8949 section 3.4.1 and 3.4.2), as RFC 3339 texts with as many digits as they need. */
import { DecodeError } from '../decode-error.ts'
import { formatTime } from '../formats/time.ts'
import { parseGoTime, type TimeParts } from '../go/time.ts'
import { type HeadReader, major, nameOf } from './head.ts'

const unwritable = (why: string) =>
  new DecodeError(`cbor: decoded time cannot be represented in RFC3339 format with sub-second precision: Time.MarshalText: ${why}`)

/** Digits of nanoseconds with their point, without zeros at the end. */
const fraction = (nanos: number) => (nanos === 0 ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`)

const pair = (value: number) => String(value).padStart(2, '0')

/** The time zone of an offset in minutes, such as `+02:00`. */
function zoneOf(offset: number): string {
  if (offset === 0) return 'Z'
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60]
  if (hours > 23) throw unwritable('timezone hour outside of range [0,23]')
  return `${offset < 0 ? '-' : '+'}${pair(hours)}:${pair(minutes)}`
}

function partsOf(text: string): TimeParts {
  try {
    return parseGoTime(text, 'time')
  } catch (error) {
    throw error instanceof DecodeError ? new DecodeError(`cbor: cannot set ${text} for time.Time: ${error.message}`) : error
  }
}

/** A time as the text that Go prints of it: in the time zone that it has. */
export function textTime(text: string): string {
  const { year, month, day, hour, minute, second, nanos, offsetSeconds } = partsOf(text)
  const date = `${String(year).padStart(4, '0')}-${pair(month)}-${pair(day)}`
  return `${date}T${pair(hour)}:${pair(minute)}:${pair(second)}${fraction(nanos)}${zoneOf(offsetSeconds / 60)}`
}

/** Seconds since 1970, as the number of the last head, as a text in UTC. */
export function epochTime(reader: HeadReader): string {
  const { type, argument } = reader
  if (type !== major.simple && reader.overflows) {
    const value = type === major.negative ? -1n - reader.exact : reader.exact
    throw new DecodeError(`cbor: cannot unmarshal ${nameOf(type)} into Go value of type time.Time (${value} overflows Go's int64)`)
  }
  const given = type === major.simple ? reader.float : type === major.negative ? -1 - argument : argument
  const whole = Math.trunc(given)
  const nanos = Math.trunc((given - whole) * 1e9)
  const seconds = nanos < 0 ? whole - 1 : whole
  try {
    const text = formatTime({ seconds, nanos: nanos < 0 ? nanos + 1e9 : nanos }, 'time') ?? '0001-01-01T00:00:00Z'
    return `${text.slice(0, -1)}${fraction(nanos < 0 ? nanos + 1e9 : nanos)}Z`
  } catch (error) {
    if (error instanceof DecodeError) throw unwritable(error.message)
    throw error
  }
}
