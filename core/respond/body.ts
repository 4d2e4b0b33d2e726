import { Reply } from './reply.ts'

/** Smaller bodies gain nothing (the reference server's threshold, in bytes). */
const threshold = 128 * 1024
/** Codings of an Accept-Encoding header that are looked at. */
const maxCodings = 100

/** Whether the header (RFC 9110 12.5.3) names gzip, or any coding, with a quality above zero. */
function acceptsGzip(header: string): boolean {
  return header.split(',', maxCodings).some((text) => {
    const [coding = '', quality] = text
      .toLowerCase()
      .split(';', 2)
      .map((part) => part.trim())
    if (coding !== 'gzip' && coding !== '*') return false
    return quality === undefined || (quality.startsWith('q=') && Number(quality.slice(2)) > 0)
  })
}

/** A response of these bytes, compressed when they are many, the server compresses, and the client accepts gzip. */
export function bodyResponse(
  request: Request,
  bytes: Uint8Array,
  { status, headers }: { readonly status: number; readonly headers: HeadersInit },
  enabled: (gate: string) => boolean,
): Response {
  const body = bytes as Uint8Array<ArrayBuffer>
  if (bytes.length < threshold || !enabled('APIResponseCompression')) return new Reply(body, { status, headers })
  const accepted = request.headers.get('accept-encoding')
  if (accepted === null || !acceptsGzip(accepted)) return new Reply(body, { status, headers })
  const compressed = new Headers(headers)
  compressed.set('content-encoding', 'gzip')
  compressed.append('vary', 'Accept-Encoding')
  return new Reply(new Blob([body]).stream().pipeThrough(new CompressionStream('gzip')), { status, headers: compressed })
}
