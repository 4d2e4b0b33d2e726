/** Minimum characters at which a search for non-ASCII ones is faster than looking at each. */
const long = 1_000
const isAscii = (text: string) => !/[^\0-\x7f]/.test(text)

/** Length in bytes of a string in UTF-8; lone surrogates count as their replacement character. */
export function utf8Length(text: string): number {
  let { length } = text
  if (length > long && isAscii(text)) return length
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x80) continue
    const pair = code >= 0xd800 && code < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00
    length += code < 0x800 ? 1 : 2
    if (pair) at++
  }
  return length
}

/** Maximum bytes of a UTF-16 unit in UTF-8. */
const maxUnitBytes = 3

/** Whether texts have more than so many bytes in UTF-8. Bytes are only counted when there are enough characters for that. */
export function isLongerThan(limit: number, texts: Iterable<string>): boolean {
  let units = 0
  for (const text of texts) units += text.length
  if (units * maxUnitBytes <= limit) return false
  let bytes = 0
  for (const text of texts) bytes += utf8Length(text)
  return bytes > limit
}

/** Bytes of all parts. */
export const totalLength = (parts: readonly Uint8Array[]) => parts.reduce((sum, { length }) => sum + length, 0)

/** Concatenates all parts; `size`: total bytes, if known. */
export function concatenate(parts: readonly Uint8Array[], size = totalLength(parts)): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(size)
  fill(all, parts)
  return all
}

/** Copies the parts to the start of a buffer that has room for them, one after the other. */
function fill(buffer: Uint8Array, parts: readonly Uint8Array[]): void {
  let at = 0
  for (const part of parts) {
    buffer.set(part, at)
    at += part.length
  }
}

/** Smallest buffer of a `BufferPool`, and maximum bytes of one that is kept. */
const [firstSize, largestKept] = [16 * 1024, 256 * 1024]

/** Concatenates parts in a buffer that is used again: to make a new one for each object takes longer than to fill it. */
export class BufferPool {
  #buffer: Uint8Array = new Uint8Array(0)

  /** All parts, until the next call. A single part is returned as it is. */
  join(parts: readonly Uint8Array[]): Uint8Array {
    if (parts.length === 1) return parts[0] as Uint8Array
    const size = totalLength(parts)
    if (size > this.#buffer.length || this.#buffer.length > largestKept) this.#buffer = new Uint8Array(Math.max(size, firstSize))
    fill(this.#buffer, parts)
    return this.#buffer.subarray(0, size)
  }
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
/** Minimum bytes at which views cost less than a comparison byte by byte. */
const worthViewing = 64

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  let at = 0
  if (a.length >= worthViewing) {
    const [left, right] = [viewOf(a), viewOf(b)]
    for (const end = a.length - 3; at < end; at += 4) if (left.getInt32(at) !== right.getInt32(at)) return false
  }
  for (; at < a.length; at++) if (a[at] !== b[at]) return false
  return true
}

export function startsWith(bytes: Uint8Array, head: Uint8Array): boolean {
  if (bytes.length < head.length) return false
  for (let index = 0; index < head.length; index++) if (bytes[index] !== head[index]) return false
  return true
}

const lineFeed = 0x0a

/** Ends an array whose last byte is free with a line feed; returns the bytes before it, which `withLineFeed` does not copy. */
export function endLine(line: Uint8Array): Uint8Array {
  line[line.length - 1] = lineFeed
  return line.subarray(0, -1)
}

/** The bytes with a line feed at their end, as Go's encoder writes JSON. They are returned if they have it. */
export function withLineFeed(bytes: Uint8Array): Uint8Array {
  const { length, byteOffset, buffer } = bytes
  if (bytes[length - 1] === lineFeed) return bytes
  // Only if the buffer ends there: nothing else is written to that byte.
  if (byteOffset + length + 1 === buffer.byteLength) {
    const line = new Uint8Array(buffer, byteOffset, length + 1)
    if (line[length] === lineFeed) return line
  }
  const line = new Uint8Array(length + 1)
  line.set(bytes)
  line[length] = lineFeed
  return line
}

export const withoutLineFeed = (bytes: Uint8Array): Uint8Array => (bytes[bytes.length - 1] === lineFeed ? bytes.subarray(0, -1) : bytes)

/** A text of a character for each byte (ISO 8859-1). */
export function latin1(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}
