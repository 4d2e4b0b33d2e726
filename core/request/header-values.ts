/** Values of headers that name users: UTF-8 bytes, one header line per value. */

/** Headers of a runtime that preserves separate lines. */
interface Lines {
  /** The values of one header, one per line. */
  getAll(name: string): readonly string[]
}

const keepsLines = (headers: Headers): headers is Headers & Lines => 'getAll' in headers && typeof headers.getAll === 'function'

/** Decodes a header value: one character per byte, UTF-8. */
export function headerText(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value
  return new TextDecoder().decode(Uint8Array.from(value, (char) => char.charCodeAt(0)))
}

/** All values of a header. Where the runtime has joined lines with `, ` (Fetch 2.2.2), a value that contains this is split. */
export function headerValues(headers: Headers, name: string): string[] {
  const joined = headers.get(name)
  if (joined === null) return []
  const lines = keepsLines(headers) ? headers.getAll(name) : joined.split(', ')
  return lines.map(headerText)
}

/** Percent-decodes the key part of an extra header's name; returned unchanged if malformed. */
export function extraKey(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
