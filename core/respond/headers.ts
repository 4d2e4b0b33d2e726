import { boundedWarnings } from './warnings.ts'

/** What a response tells about its request. */
export interface Trace {
  readonly auditId: string
  readonly warnings: readonly string[]
}

/** A quoted-string (RFC 9110 5.6.4) of the text's UTF-8 bytes, each as one Latin-1 character; control characters become spaces. */
function quoted(text: string): string {
  const characters = Array.from(new TextEncoder().encode(text), (byte) => (byte < 0x20 || byte === 0x7f ? ' ' : String.fromCharCode(byte)))
  return `"${characters.map((character) => (character === '"' || character === '\\' ? `\\${character}` : character)).join('')}"`
}

/** Headers that every API response has; warnings (RFC 7234 5.5) in the order in which they arose. */
export function responseHeaders({ auditId, warnings }: Trace, contentType: string, others?: Readonly<Record<string, string>>): HeadersInit {
  const plain = { 'audit-id': auditId, 'cache-control': 'no-cache, private', 'content-type': contentType, ...others }
  if (warnings.length === 0) return plain
  const headers = new Headers(plain)
  for (const text of boundedWarnings(warnings)) headers.append('warning', `299 - ${quoted(text)}`)
  return headers
}
