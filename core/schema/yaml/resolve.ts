/** Resolves plain scalars by YAML 1.1 rules as in the reference's parser (go-yaml v2). */
import { exactInteger } from '../json/text.ts'
import type { Json } from '../model.ts'

const words = new Map<string, Json>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, Number.NaN] as const),
  ...['', '+'].flatMap((sign) => ['.inf', '.Inf', '.INF'].map((word) => [sign + word, Number.POSITIVE_INFINITY] as const)),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, Number.NEGATIVE_INFINITY] as const),
])

const maxWordLength = 5

const decimal = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/
const integer = /^([-+]?)(?:(0[xX][\da-fA-F]+|0[oO][0-7]+|0[bB][01]+)|0([0-7]+)|(0|[1-9]\d*))$/
/** Maximum characters of a 64-bit integer (binary, with sign), and its maximum. */
const maxDigits = 67
const maxValue = 2n ** 64n - 1n
const maxNegative = 2n ** 63n

/** Parses an integer; undefined for others and for more than 64 bits. */
function integerOf(text: string): number | bigint | undefined {
  if (text.length > maxDigits) return undefined
  const [match, sign, prefixed, octal, plain] = integer.exec(text) ?? []
  if (match === undefined) return undefined
  if (plain !== undefined && plain.length < 16) return Number(sign + plain) || 0
  const size = BigInt(prefixed ?? (octal === undefined ? (plain ?? '0') : `0o${octal}`))
  const isNegative = sign === '-'
  return size > (isNegative ? maxNegative : maxValue) ? undefined : exactInteger(isNegative ? -size : size)
}

/** Whether it is a short decimal number without leading zero. */
function isShort(text: string): boolean {
  if (text.length > 15 || (text.length > 1 && text.charCodeAt(0) === 0x30)) return false
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) < 0x30 || text.charCodeAt(at) > 0x39) return false
  return true
}

function numberOf(text: string): Json | undefined {
  if (isShort(text)) return Number(text)
  const plain = text.includes('_') ? text.replaceAll('_', '') : text
  const whole = integerOf(plain)
  if (whole !== undefined) return whole
  return decimal.test(plain) ? finite(plain) : undefined
}

/** Value of a plain scalar: null, a boolean, a number (including NaN and infinities), or its text. */
export function resolvePlain(text: string): Json {
  const first = text.charCodeAt(0)
  // Fast path: most texts start with a letter that starts no word and no number.
  if ((first >= 0x61 && first <= 0x7a) || (first >= 0x41 && first <= 0x5a))
    return text.length > maxWordLength || !words.has(text) ? text : (words.get(text) as Json)
  const word = words.get(text)
  if (word !== undefined) return word
  if (first === 0x2e) return decimal.test(text) ? (finite(text) ?? text) : text
  if ((first >= 0x30 && first <= 0x39) || first === 0x2b || first === 0x2d) return numberOf(text) ?? text
  return text
}

/** Doubles below are written in JSON without exponent. */
const minExponent = 1e21

/** A double; undefined beyond its range. The reference reads it again from JSON, where whole numbers below 1e21 are integers. */
function finite(text: string): Json | undefined {
  const value = Number(text)
  if (!Number.isFinite(value)) return undefined
  return !Number.isInteger(value) || Math.abs(value) >= minExponent ? value : exactInteger(BigInt(String(value)))
}
