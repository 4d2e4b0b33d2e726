/** Base64 (RFC 4648, standard alphabet, padded) as JSON carries bytes. */
import { Base64Error } from '../decode-error.ts'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const values = new Uint8Array(128).fill(255)
for (let i = 0; i < 64; i++) values[alphabet.charCodeAt(i)] = i

const valueAt = (text: string, at: number) => {
  const code = text.charCodeAt(at)
  return code < 128 ? (values[code] ?? 255) : 255
}

/** Where Go sees an error: a padding that is complete is none, but what follows it. */
function afterPadding(text: string, at: number): number {
  if (text[at] !== '=') return at
  if (at % 4 === 3) return at + 1
  return at % 4 === 2 && text[at + 1] === '=' ? at + 2 : at
}

/** Number of characters before the padding. @throws DecodeError at the first character that is not base64. */
function payloadLength(text: string): number {
  let end = text.length
  while (end > 0 && text.length - end < 2 && text[end - 1] === '=') end--
  for (let i = 0; i < end; i++) if (valueAt(text, i) === 255) throw new Base64Error(afterPadding(text, i))
  if (text.length % 4 !== 0) throw new Base64Error(text.length - (text.length % 4))
  return end
}

const unwrapped = (text: string) => (text.includes('\n') || text.includes('\r') ? text.replace(/[\r\n]/g, '') : text)

/**
 * Canonical base64 of the same bytes: no line breaks, unused bits clear.
 * @throws DecodeError when it is not base64.
 */
export function canonicalBase64(given: string): string {
  const text = unwrapped(given)
  const end = payloadLength(text)
  const unusedBits = end === text.length ? 0 : text.length - end === 1 ? 2 : 4
  const last = valueAt(text, end - 1)
  if (unusedBits === 0 || (last & ((1 << unusedBits) - 1)) === 0) return text
  return `${text.slice(0, end - 1)}${alphabet[(last >> unusedBits) << unusedBits]}${text.slice(end)}`
}

/** @throws DecodeError when it is not base64. */
export function decodeBase64(given: string): Uint8Array {
  const text = unwrapped(given)
  const end = payloadLength(text)
  const bytes = new Uint8Array(Math.floor((end * 3) / 4))
  for (let i = 0, at = 0; i < end; i += 4) {
    const rest = end - i
    const b = valueAt(text, i + 1)
    const c = rest > 2 ? valueAt(text, i + 2) : 0
    const d = rest > 3 ? valueAt(text, i + 3) : 0
    bytes[at++] = (valueAt(text, i) << 2) | (b >> 4)
    if (rest > 2) bytes[at++] = ((b & 15) << 4) | (c >> 2)
    if (rest > 3) bytes[at++] = ((c & 3) << 6) | d
  }
  return bytes
}

export function encodeBase64(bytes: Uint8Array): string {
  const parts: string[] = []
  for (let i = 0; i < bytes.length; i += 3) {
    const a = bytes[i] ?? 0
    const b = bytes[i + 1]
    const c = bytes[i + 2]
    parts.push(
      `${alphabet[a >> 2]}${alphabet[((a & 3) << 4) | ((b ?? 0) >> 4)]}` +
        `${b === undefined ? '=' : alphabet[((b & 15) << 2) | ((c ?? 0) >> 6)]}${c === undefined ? '=' : alphabet[c & 63]}`,
    )
  }
  return parts.join('')
}
