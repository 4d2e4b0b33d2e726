/** String formats of the reference's OpenAPI validator, for custom resources. Other formats are ignored. */
import { formats } from './formats.ts'
import { parseAddress, parseNetwork } from './ip.ts'
import { parseTime } from './time.ts'

type Test = (text: string) => boolean

const uuid = (version: string, variant: string): Test => {
  const pattern = new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`, 'i')
  return (text) => pattern.test(text)
}

const matches =
  (pattern: RegExp, longest = 1000): Test =>
  (text) =>
    text.length <= longest && pattern.test(text)

const symbol = '[a-zA-Z0-9\\p{S}\\p{L}]'
const hostLabel = new RegExp(`^${symbol}(?:[a-zA-Z0-9\\-\\p{S}\\p{L}]*${symbol})?$`, 'u')

function hostname(text: string): boolean {
  if (text.length === 0 || text.length > 255) return false
  const labels = text.split('.')
  if (!labels.every((label) => label.length <= 63 && hostLabel.test(label))) return false
  return labels.length === 1 || /^[a-zA-Z\p{L}]{2,63}$/u.test(labels[labels.length - 1] as string)
}

function date(text: string): boolean {
  return text.length === 10 && parseTime(`${text}T00:00:00Z`) !== undefined
}

/** RFC 5322 addr-spec in its common form, or a name with the address in angle brackets. */
function email(text: string): boolean {
  const bracketed = /^[^<>]*<([^<>]+)>$/.exec(text.slice(0, 1000))
  return /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"]+$/.test(bracketed?.[1] ?? text) && !text.includes('..')
}

const durationUnits =
  'ns|us|µs|ms|s|m|h|d|w|nanos?|nanoseconds?|micros?|microseconds?|millis?|milliseconds?|secs?|seconds?|mins?|minutes?|hours?|days?|weeks?'
const duration = new RegExp(`^[+-]?(?:\\d+(?:\\.\\d+)?\\s*(?:${durationUnits})\\s*)+$|^[+-]?0$`)

function checksum(digits: string, weight: (digit: number, fromEnd: number) => number): number {
  let sum = 0
  for (let i = 0; i < digits.length; i++) sum += weight(digits[i] === 'X' ? 10 : Number(digits[i]), digits.length - 1 - i)
  return sum
}

function creditCard(text: string): boolean {
  const digits = text.slice(0, 100).replace(/[^0-9]+/g, '')
  const doubled = (digit: number, at: number) => (at % 2 === 0 ? digit : digit * 2 > 9 ? digit * 2 - 9 : digit * 2)
  return /^\d{12,19}$/.test(digits) && checksum(digits, doubled) % 10 === 0
}

const compact = (text: string) => text.slice(0, 100).replace(/[\s-]+/g, '')
const isbn10: Test = (text) => /^\d{9}[\dX]$/.test(compact(text)) && checksum(compact(text), (digit, at) => digit * (at + 1)) % 11 === 0
const isbn13: Test = (text) =>
  /^\d{13}$/.test(compact(text)) && checksum(compact(text), (digit, at) => digit * (at % 2 === 0 ? 1 : 3)) % 10 === 0

const colour = '\\s*(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*'
const uri: Test = (text) => text.length <= 100_000 && !/[\s\x7f]/.test(text) && (text.startsWith('/') || URL.canParse(text))

const tests: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['byte', (text) => text.length % 4 === 0 && text.length > 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)],
  ['cidr', (text) => parseNetwork(text) !== undefined],
  ['creditcard', creditCard],
  ['date', date],
  ['date-time', (text) => parseTime(text.replace('t', 'T').replace('z', 'Z')) !== undefined],
  ['datetime', (text) => parseTime(text.replace('t', 'T').replace('z', 'Z')) !== undefined],
  ['duration', matches(duration, 200)],
  ['email', email],
  ['hexcolor', matches(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ['hostname', hostname],
  ['ipv4', (text) => text.includes('.') && parseAddress(text) !== undefined],
  ['ipv6', (text) => text.includes(':') && parseAddress(text) !== undefined],
  ['isbn', (text) => isbn10(text) || isbn13(text)],
  ['isbn10', isbn10],
  ['isbn13', isbn13],
  [
    'mac',
    matches(/^(?:[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}(?:\1[0-9a-f]{2}\1[0-9a-f]{2})?|[0-9a-f]{4}(?:\.[0-9a-f]{4}){2,3})$/i),
  ],
  ['password', () => true],
  ['rgbcolor', matches(new RegExp(`^rgb\\(${colour},${colour},${colour}\\)$`))],
  ['ssn', matches(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/, 11)],
  ['uri', uri],
  ['uuid', uuid('[0-9a-f]', '[0-9a-f]')],
  ['uuid3', uuid('3', '[0-9a-f]')],
  ['uuid4', uuid('4', '[89ab]')],
  ['uuid5', uuid('5', '[89ab]')],
])

const prefixed = /^[a-z0-9]+-(short|long)-name$/

/** Formats of numbers. */
const numeric: { readonly [type: string]: readonly string[] } = { integer: ['int32', 'int64'], number: ['float', 'double'] }

/** Whether the format applies to a schema of these types; others are ignored. */
export function isKnownFormat(types: readonly string[], format: string): boolean {
  const [type, ...more] = types
  if (type === undefined || more.length > 0 || type === 'string') return openapiFormat(format) !== undefined
  return numeric[type]?.includes(format) ?? false
}

/** The test for a format; undefined: not validated. */
export function openapiFormat(name: string): Test | undefined {
  const kind = prefixed.exec(name)?.[1]
  if (kind !== undefined) return (text) => (kind === 'short' ? formats.dns1123Label(text) : formats.dns1123Subdomain(text)).length === 0
  return tests.get(name)
}
