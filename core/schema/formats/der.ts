/** Reader and writer for DER (ITU-T X.690): the parts that certificates and keys need. */

/** One element. Universal tags are unchanged; a constructed context tag N is 0xa0 + N, a primitive one 0x80 + N. */
export interface Der {
  readonly tag: number
  readonly content: Uint8Array<ArrayBuffer>
  /** Including tag and length. */
  readonly raw: Uint8Array<ArrayBuffer>
}

export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  sequence: 0x30,
  set: 0x31,
} as const

/** Throws an Error when the bytes are not exactly one well-formed element. */
export function readDer(bytes: Uint8Array): Der {
  const { element, end } = readAt(bytes, 0)
  if (end !== bytes.length) throw new Error('malformed DER: trailing bytes')
  return element
}

/** The child elements; throws when the parent's tag is not the expected one. */
export function childrenOf({ tag, content }: Der, expected: number = tags.sequence): Der[] {
  if (tag !== expected) throw new Error(`malformed DER: tag ${tag} where ${expected} was expected`)
  const children: Der[] = []
  for (let at = 0; at < content.length; ) {
    const { element, end } = readAt(content, at)
    children.push(element)
    at = end
  }
  return children
}

function readAt(bytes: Uint8Array, start: number): { element: Der; end: number } {
  const tag = bytes[start]
  let length = bytes[start + 1]
  if (tag === undefined || length === undefined || (tag & 0x1f) === 0x1f) throw new Error('malformed DER: truncated or unsupported tag')
  let content = start + 2
  if (length >= 0x80) {
    const digits = length & 0x7f
    if (digits === 0 || digits > 4) throw new Error('malformed DER: unsupported length')
    length = 0
    for (let index = 0; index < digits; index++) length = length * 256 + (bytes[content + index] ?? 0)
    content += digits
    if (length < 0x80) throw new Error('malformed DER: length is not minimal')
  }
  const end = content + length
  if (end > bytes.length) throw new Error('malformed DER: truncated')
  return { element: { tag, content: bytes.slice(content, end), raw: bytes.slice(start, end) }, end }
}

/** Dotted form of an object identifier. */
export function oidOf({ tag, content }: Der): string {
  const last = content.at(-1)
  if (tag !== tags.oid || last === undefined || last >= 0x80) throw new Error('malformed DER: no object identifier')
  const arcs: number[] = []
  let arc = 0
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f)
    if (byte < 0x80) {
      arcs.push(arc)
      arc = 0
    }
  }
  const first = arcs[0] ?? 0
  const root = Math.min(2, Math.floor(first / 40))
  return [root, first - root * 40, ...arcs.slice(1)].join('.')
}

/** The bytes of a bit string without unused bits. */
export function bitsOf({ tag, content }: Der): Uint8Array<ArrayBuffer> {
  if (tag !== tags.bitString || content[0] !== 0) throw new Error('malformed DER: no bit string of whole bytes')
  return content.slice(1)
}

/** An element with this tag and content. */
export function writeDer(tag: number, ...contents: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const size = contents.reduce((sum, { length }) => sum + length, 0)
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : size < 0x10000 ? [0x82, size >> 8, size & 0xff] : undefined
  if (length === undefined) throw new Error('a DER element of more than 65535 bytes is not supported')
  const bytes = new Uint8Array(1 + length.length + size)
  bytes.set([tag, ...length])
  let at = 1 + length.length
  for (const part of contents) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** The unsigned integer of big-endian bytes. */
export function unsignedOf(bytes: Uint8Array): bigint {
  let digits = '0x0'
  for (const byte of bytes) digits += byte.toString(16).padStart(2, '0')
  return BigInt(digits)
}
