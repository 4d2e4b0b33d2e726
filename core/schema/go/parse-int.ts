/** Go's strconv.ParseInt of decimal digits and 64 bits. */
import { quote } from './quote.ts'

const maxInt64 = 2n ** 63n - 1n

const isInteger = (text: string) => /^[+-]?[0-9]+$/.test(text)

/** Digits of the longest number of 64 bits; reading more takes more than linear time. */
const maxDigits = 19

/** The number that a text is in decimal digits; undefined: it is none of 64 bits. */
export function parsedInt64(text: string): bigint | undefined {
  if (!isInteger(text)) return undefined
  const digits = text.replace(/^[+-]?0*/, '')
  if (digits.length > maxDigits) return undefined
  const value = BigInt(`${text.startsWith('-') ? '-' : ''}${digits || '0'}`)
  return value > maxInt64 || value < -maxInt64 - 1n ? undefined : value
}

/** Go's error for a text that `parsedInt64` does not read. */
export const int64Fault = (text: string): string =>
  `strconv.ParseInt: parsing ${quote(text)}: ${isInteger(text) ? 'value out of range' : 'invalid syntax'}`
