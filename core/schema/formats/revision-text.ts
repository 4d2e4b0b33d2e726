import { quote } from '../go/quote.ts'
import { shorten } from '../go/shorten.ts'

const maxUint64 = 2n ** 64n - 1n
/** Maximum characters of a text in an error. */
const maxShown = 256

/** The revision that a resourceVersion names (0: none or any), or the text of Go's error. */
export function parseRevision(text: string): number | string {
  if (text === '' || text === '0') return 0
  const fault = (why: string) => `strconv.ParseUint: parsing ${quote(shorten(text, maxShown))}: ${why}`
  if (!/^[0-9]+$/.test(text)) return fault('invalid syntax')
  const digits = text.replace(/^0+(?=.)/, '')
  if (digits.length > 20 || BigInt(digits) > maxUint64) return fault('value out of range')
  return Number(digits)
}
