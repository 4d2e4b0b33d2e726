import { LightHeaders } from './light-headers.ts'
import { boundedWarnings } from './warnings.ts'

/** Names and values of the headers that identify flow schema and priority level. */
export interface FlowHeaders {
  readonly headers: readonly [schemaHeader: string, schema: string, levelHeader: string, level: string]
}

/** Request data in response headers. */
export interface Trace {
  readonly auditId: string
  readonly warnings: readonly string[]
  /** What priority and fairness took the request for. */
  readonly flow?: FlowHeaders | undefined
  /** Set once a response has these headers. */
  traced?: boolean
}

/** Strings that need no escaping: ASCII without control characters, quotes and backslashes. */
const plain = /^[ !#-[\]-~]*$/

/** Encodes a quoted-string (RFC 9110 5.6.4) of the UTF-8 bytes, each as one Latin-1 character; control characters become spaces. */
function quoted(text: string): string {
  if (plain.test(text)) return `"${text}"`
  const characters = Array.from(new TextEncoder().encode(text), (byte) => (byte < 0x20 || byte === 0x7f ? ' ' : String.fromCharCode(byte)))
  return `"${characters.map((character) => (character === '"' || character === '\\' ? `\\${character}` : character)).join('')}"`
}

/** Warnings (RFC 7234 5.5) as header values, in the order of occurrence. */
const warningValues = (warnings: readonly string[]) => boundedWarnings(warnings).map((text) => `299 - ${quoted(text)}`)

const uncached = 'no-cache, private'
const none: readonly string[] = []

/** Headers of every response; a response's own Cache-Control takes precedence. */
export function traceHeaders({ auditId, warnings, flow }: Trace): [name: string, value: string][] {
  const all = warningValues(warnings).map((value): [string, string] => ['warning', value])
  const [schemaHeader, schema, levelHeader, level] = flow?.headers ?? []
  const flows: [string, string][] = flow
    ? [
        [schemaHeader!, schema!],
        [levelHeader!, level!],
      ]
    : []
  return [['audit-id', auditId], ['cache-control', uncached], ...flows, ...all]
}

/** Headers of a response with this content type: the common ones, Content-Type, and `others`. */
export function responseHeaders(trace: Trace, contentType: string, others?: Readonly<Record<string, string>>): LightHeaders {
  const { auditId, flow } = trace
  const headers = LightHeaders.of(
    flow === undefined
      ? ['audit-id', auditId, 'cache-control', uncached, 'content-type', contentType]
      : ['audit-id', auditId, 'cache-control', uncached, 'content-type', contentType, ...flow.headers],
  )
  for (const name in others) headers.set(name, others[name] as string)
  for (const value of trace.warnings.length === 0 ? none : warningValues(trace.warnings)) headers.append('warning', value)
  trace.traced = true
  return headers
}
