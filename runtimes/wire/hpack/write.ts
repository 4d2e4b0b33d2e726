/** Writes parts of header blocks into a buffer; each function returns the offset after them. */
import { huffmanLength, huffmanWrite } from './huffman.ts'
import { representations, type Start } from './representations.ts'
import { type Field, staticFieldIndex, staticNameIndex } from './static-table.ts'

/** Maximum bytes of the integers of one field. */
export const numbersOfField = 15

/** An integer (section 5.1). */
export function writeNumber(to: Buffer, start: number, { flag, bits }: Start, value: number): number {
  const maxPrefix = (1 << bits) - 1
  let at = start
  if (value < maxPrefix) {
    to[at++] = flag | value
    return at
  }
  to[at++] = flag | maxPrefix
  let rest = value - maxPrefix
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) to[at++] = (rest % 0x80) | 0x80
  to[at++] = rest
  return at
}

/**
 * A string without Huffman code (section 5.2).
 * @throws TypeError for characters that a field must not have (RFC 9113, section 8.2.1).
 */
export function writePlain(to: Buffer, start: number, text: string): number {
  let at = writeNumber(to, start, representations.plain, text.length)
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > 0xff || code === 0 || code === 10 || code === 13) throw new TypeError(`Invalid header value: ${JSON.stringify(text)}`)
    to[at++] = code
  }
  return at
}

/** A string, Huffman-coded when that is shorter (section 5.2). `writePlain` has accepted `text` before. */
export function writeShort(to: Buffer, start: number, text: string): number {
  const length = huffmanLength(text)
  if (length >= text.length) return writePlain(to, start, text)
  return huffmanWrite(text, to, writeNumber(to, start, representations.huffman, length))
}

function fieldOf([name, value]: Field): Buffer {
  const { indexed, literal } = representations
  const bytes = Buffer.allocUnsafe(name.length + value.length + numbersOfField)
  const whole = staticFieldIndex(name, value)
  if (whole > 0) return bytes.subarray(0, writeNumber(bytes, 0, indexed, whole))
  const index = staticNameIndex(name)
  const afterIndex = writeNumber(bytes, 0, literal, index)
  const afterName = index > 0 ? afterIndex : writePlain(bytes, afterIndex, name)
  return bytes.subarray(0, writePlain(bytes, afterName, value))
}

/** A header block that is valid on every connection, because it does not use the dynamic table. */
export const encodedHeaders = (fields: Iterable<Field>): Buffer => Buffer.concat([...fields].map(fieldOf))
