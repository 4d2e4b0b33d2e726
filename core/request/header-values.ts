/** Values of headers that name somebody: bytes that stand for UTF-8, one header line per value. */

/** Headers of a runtime that still knows which lines there were. */
interface Lines {
  /** The values of one header, one per line. */
  getAll(name: string): readonly string[]
}

const keepsLines = (headers: Headers): headers is Headers & Lines => 'getAll' in headers && typeof headers.getAll === 'function'

/** Header values are bytes, one per character; the texts in them are UTF-8. */
export function headerText(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value
  return new TextDecoder().decode(Uint8Array.from(value, (char) => char.charCodeAt(0)))
}

/** All values of a header. Where the runtime has joined its lines with `, ` (Fetch 2.2.2), a value with that in it comes apart. */
export function headerValues(headers: Headers, name: string): string[] {
  const joined = headers.get(name)
  if (joined === null) return []
  const lines = keepsLines(headers) ? headers.getAll(name) : joined.split(', ')
  return lines.map(headerText)
}

/** Percent-decodes the part of a header's name that is the key of an attribute; as it stands when that is not possible. */
export function extraKey(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
