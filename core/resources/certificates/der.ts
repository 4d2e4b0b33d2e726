/** As much of X.509 (RFC 5280) and DER (ITU-T X.690) as rules about the form of certificates need. */

export const tags = { boolean: 0x01, bitString: 0x03, octetString: 0x04, oid: 0x06, sequence: 0x30, extensions: 0xa3 } as const

export interface Element {
  readonly tag: number
  readonly content: Uint8Array
}

/** The element that the bytes are; undefined when they are not exactly one. */
export function elementOf(bytes: Uint8Array): Element | undefined {
  const found = elementAt(bytes, 0)
  return found && found.end === bytes.length ? { tag: found.tag, content: bytes.subarray(found.start, found.end) } : undefined
}

/** The elements inside one of this tag; undefined when it is no such thing. */
export function partsOf(element: Element | undefined, tag: number = tags.sequence): readonly Element[] | undefined {
  if (element?.tag !== tag) return undefined
  const { content } = element
  const found: Element[] = []
  for (let at = 0; at < content.length; ) {
    const part = elementAt(content, at)
    if (part === undefined) return undefined
    found.push({ tag: part.tag, content: content.subarray(part.start, part.end) })
    at = part.end
  }
  return found
}

function elementAt(bytes: Uint8Array, at: number): { tag: number; start: number; end: number } | undefined {
  const [tag, first] = [bytes[at], bytes[at + 1]]
  if (tag === undefined || first === undefined) return undefined
  const digits = first < 0x80 ? 0 : first & 0x7f
  if (digits > 4) return undefined
  const length = digits === 0 ? first : bytes.subarray(at + 2, at + 2 + digits).reduce((value, byte) => value * 256 + byte, 0)
  const start = at + 2 + digits
  return start + length > bytes.length ? undefined : { tag, start, end: start + length }
}

/** A signed structure: content, algorithm, signature. The parts of the content; undefined when the bytes are no such thing. */
export function signedParts(bytes: Uint8Array): readonly Element[] | undefined {
  const [content, algorithm, signature, ...more] = partsOf(elementOf(bytes)) ?? []
  if (algorithm?.tag !== tags.sequence || signature?.tag !== tags.bitString || more.length > 0) return undefined
  return partsOf(content)
}

/** 2.5.29.19 */
const basicConstraints = [0x55, 0x1d, 0x13]

/** Whether a certificate is that of an authority; undefined when the bytes are no certificate. */
export function isAuthority(bytes: Uint8Array): boolean | undefined {
  const parts = signedParts(bytes)
  if (parts === undefined || parts.length < 6) return undefined
  const holder = parts.find(({ tag }) => tag === tags.extensions)
  if (!holder) return false
  for (const extension of partsOf(partsOf(holder, tags.extensions)?.[0]) ?? []) {
    const [id, ...rest] = partsOf(extension) ?? []
    if (id?.tag !== tags.oid || id.content.length !== 3 || !basicConstraints.every((byte, index) => id.content[index] === byte)) continue
    const value = rest.at(-1)
    const [authority] = (value?.tag === tags.octetString && partsOf(elementOf(value.content))) || []
    return authority?.tag === tags.boolean && authority.content[0] !== 0
  }
  return false
}
