/** String formats of the reference's OpenAPI validator, for custom resources. Other formats are ignored. */
import { parseDuration } from '../formats/duration.ts'
import { isEmail } from '../formats/email.ts'
import { formats } from '../formats/formats.ts'
import { parseAddress, parseNetwork } from '../formats/ip.ts'
import { isRequestURI } from '../formats/request-uri.ts'
import { parseTime } from '../formats/time.ts'

type Test = (text: string) => boolean

const uuid = (version: string, variant: string): Test => {
  const pattern = new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`, 'i')
  return (text) => pattern.test(text)
}

const matches =
  (pattern: RegExp, maxLength = 1000): Test =>
  (text) =>
    text.length <= maxLength && pattern.test(text)

const symbol = 'a-zA-Z0-9\\p{S}\\p{L}'
/** A name without dots may have one dash, as its second character. */
const singleLabel = new RegExp(`^[${symbol}](?:-?[${symbol}]{0,62})?$`, 'u')
const label = new RegExp(`^[${symbol}](?:[${symbol}\\-]{0,61}[${symbol}])?$`, 'u')
const topLabel = /^[a-zA-Z\p{L}]{2,63}$/u
const utf8 = new TextEncoder()
const sizeOf = (text: string) => utf8.encode(text).length

function hostname(text: string): boolean {
  if (text.length > 255 || sizeOf(text) > 255) return false
  const labels = text.split('.')
  if (labels.some((each) => sizeOf(each) > 63)) return false
  const last = labels.pop() as string
  return labels.length === 0 ? singleLabel.test(last) : labels.every((each) => label.test(each)) && topLabel.test(last)
}

function date(text: string): boolean {
  return text.length === 10 && parseTime(`${text}T00:00:00Z`) !== undefined
}

const clock = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/

/** What follows a second `t` is ignored, as by the reference. */
function dateTime(text: string): boolean {
  const [day = '', time] = text.toLowerCase().split('t')
  const [, hours = '', minutes = '', seconds = ''] = clock.exec(time ?? '') ?? []
  return hours !== '' && date(day) && hours <= '23' && minutes <= '59' && seconds <= '59'
}

/** Units, and what the long ones begin with. */
const unit = /^(?:ns|nano.*|us|\u00b5s|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*)$/
const amounts = /([0-9]+)[\t\n\f\r ]*([A-Za-z\u00b5]*)/g
const maxAmount = 2n ** 63n - 1n

function isGoDuration(text: string): boolean {
  try {
    parseDuration(text)
    return true
  } catch {
    return false
  }
}

/** A duration of Go, or a text with numbers and units, one of which is known. */
function duration(text: string): boolean {
  if (isGoDuration(text)) return true
  let isKnown = false
  for (const [, digits = '', name = ''] of text.matchAll(amounts)) {
    if (name === '') continue
    const significant = digits.replace(/^0+(?=.)/, '')
    if (significant.length > 19 || BigInt(significant) > maxAmount) return false
    isKnown ||= unit.test(name.toLowerCase())
  }
  return isKnown
}

function checksum(digits: string, weight: (digit: number, fromEnd: number) => number): number {
  let sum = 0
  for (let i = 0; i < digits.length; i++) sum += weight(digits[i] === 'X' ? 10 : Number(digits[i]), digits.length - 1 - i)
  return sum
}

const cardNumber =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/

function creditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '')
  const doubled = (digit: number, at: number) => (at % 2 === 0 ? digit : digit * 2 > 9 ? digit * 2 - 9 : digit * 2)
  return cardNumber.test(digits) && checksum(digits, doubled) % 10 === 0
}

const compact = (text: string) => text.replace(/[\t\n\f\r -]+/g, '')
/** The weights of the first nine digits rise from 1; the check digit counts ten times. */
const isbn10: Test = (text) =>
  /^[0-9]{9}[0-9X]$/.test(compact(text)) && checksum(compact(text), (digit, at) => digit * (10 - at)) % 11 === 0
const isbn13: Test = (text) =>
  /^\d{13}$/.test(compact(text)) && checksum(compact(text), (digit, at) => digit * (at % 2 === 0 ? 1 : 3)) % 10 === 0

/** Addresses of 6, 8 and 20 bytes: all pairs with one separator, groups of four digits with dots, or digits alone. */
const mac =
  /^(?:[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4}(?:(?:[0-9a-f]{2}\1){2}|(?:[0-9a-f]{2}\1){14})?[0-9a-f]{2}|[0-9a-f]{4}\.(?:[0-9a-f]{4}\.)(?:[0-9a-f]{4}\.|(?:[0-9a-f]{4}\.){7})?[0-9a-f]{4}|[0-9a-f]{12}|[0-9a-f]{16}|[0-9a-f]{40})$/i

const colour = '[\\t\\n\\f\\r ]*(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])[\\t\\n\\f\\r ]*'

/** Addresses that may have leading zeros, as the reference accepts them in IPv4. */
const isIPv4: Test = (text) => text.includes('.') && parseAddress(text) !== undefined

function isIPv6(text: string): boolean {
  const address = text.includes(':') ? parseAddress(text) : undefined
  return address !== undefined && !address.leadingZeros
}

const tests: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['bsonobjectid', matches(/^[0-9a-f]{24}$/i)],
  ['byte', (text) => text.length % 4 === 0 && text.length > 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)],
  ['cidr', (text) => parseNetwork(text) !== undefined],
  ['creditcard', creditCard],
  ['date', date],
  ['datetime', dateTime],
  ['duration', duration],
  ['email', isEmail],
  ['hexcolor', matches(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ['hostname', hostname],
  ['ipv4', isIPv4],
  ['ipv6', isIPv6],
  ['isbn', (text) => isbn10(text) || isbn13(text)],
  ['isbn10', isbn10],
  ['isbn13', isbn13],
  ['mac', matches(mac)],
  ['password', () => true],
  ['rgbcolor', matches(new RegExp(`^rgb\\(${colour},${colour},${colour}\\)$`), 100_000)],
  ['ssn', (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ['uri', isRequestURI],
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

/** The test for a format, in whose name dashes do not count; undefined: not validated. */
export function openapiFormat(name: string): Test | undefined {
  const kind = prefixed.exec(name)?.[1]
  if (kind !== undefined) return (text) => (kind === 'short' ? formats.dns1123Label(text) : formats.dns1123Subdomain(text)).length === 0
  return tests.get(name.replaceAll('-', ''))
}
