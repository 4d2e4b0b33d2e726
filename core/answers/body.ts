import type { Enabled } from '../schema/gated.ts'
import { type ByteSource, streamOf } from './byte-source.ts'
import { gzipped } from './gzip.ts'
import { LightHeaders } from './light-headers.ts'
import { type ObjectSource, Reply } from './reply.ts'

/** Minimum bytes of a compressed body (the reference server's threshold). */
const threshold = 128 * 1024
/** Maximum codings of an Accept-Encoding header; further ones are ignored. */
const maxCodings = 100

/** Whether the header (RFC 9110 12.5.3) accepts gzip, or any coding, with a quality above zero. */
export function acceptsGzip(header: string): boolean {
  return header.split(',', maxCodings).some((text) => {
    const [coding = '', quality] = text
      .toLowerCase()
      .split(';', 2)
      .map((part) => part.trim())
    if (coding !== 'gzip' && coding !== '*') return false
    return quality === undefined || (quality.startsWith('q=') && Number(quality.slice(2)) > 0)
  })
}

interface Sent {
  readonly status: number
  readonly headers: HeadersInit
}

/** Whether to compress for this client. */
function wantsGzip(request: Request, enabled: Enabled): boolean {
  if (!enabled('APIResponseCompression')) return false
  const accepted = request.headers.get('accept-encoding')
  return accepted !== null && acceptsGzip(accepted)
}

function zipped(body: ReadableStream<Uint8Array<ArrayBuffer>>, { status, headers }: Sent): Response {
  const compressed = new LightHeaders(headers)
  compressed.set('content-encoding', 'gzip')
  if (!compressed.get('vary')?.includes('Accept-Encoding')) compressed.append('vary', 'Accept-Encoding')
  return new Reply(gzipped(body), { status, headers: compressed })
}

/** Response with the JSON of an object of so many bytes; undefined: it may be compressed. */
export const objectResponse = (source: ObjectSource, size: number, sent: Sent): Response | undefined =>
  size < threshold / 2 ? Reply.of(source, sent) : undefined

/** Response with a large body produced in pieces; compressed when the server compresses and the client accepts gzip. */
export function sourceResponse(request: Request, source: ByteSource, sent: Sent, enabled: Enabled): Response {
  return wantsGzip(request, enabled) ? zipped(streamOf(source), sent) : new Reply(source, sent)
}

/** Response with these bytes; compressed when they are many, the server compresses and the client accepts gzip. */
export function bodyResponse(request: Request, bytes: Uint8Array, sent: Sent, enabled: Enabled): Response {
  const body = bytes as Uint8Array<ArrayBuffer>
  if (bytes.length < threshold || !wantsGzip(request, enabled)) return new Reply(body, sent)
  return zipped(new Blob([body]).stream(), sent)
}
