/** Values of headers that name users: UTF-8 bytes, one header line per value. */

import { LightHeaders } from '../answers/light-headers.ts'

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

/**
 * All values of the headers with a prefix, by the rest of their names, percent-decoded. One pass: there may be thousands of them. Undefined when there
 * is no such header.
 */
export function extraValues(headers: Headers, prefix: string): { [key: string]: string[] } | undefined {
  let extra: { [key: string]: string[] } | undefined
  const add = (name: string, values: readonly string[]) => {
    extra ??= Object.create(null) as { [key: string]: string[] }
    const key = extraKey(name.slice(prefix.length))
    const known = extra[key]
    if (known === undefined) extra[key] = [...values]
    else for (const value of values) known.push(value)
  }
  if (headers instanceof LightHeaders) {
    for (const [name, values] of headers.lines((each) => each.startsWith(prefix))) add(name, values.map(headerText))
  } else for (const name of headers.keys()) if (name.startsWith(prefix)) add(name, headerValues(headers, name))
  return extra
}

/** Percent-decodes the key part of an extra header's name; returned unchanged if malformed. */
function extraKey(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
