/** Smaller bodies gain nothing (the reference server's threshold, in bytes). */
const threshold = 128 * 1024
const acceptsGzip = /(^|,)\s*(gzip|\*)\s*(;\s*q=(1(\.0*)?|0\.\d*[1-9]\d*))?\s*(,|$)/i

/** A response of these bytes, compressed when they are many and the client accepts gzip. */
export function bodyResponse(request: Request, bytes: Uint8Array, status: number, headers: HeadersInit): Response {
  const body = bytes as Uint8Array<ArrayBuffer>
  if (bytes.length < threshold) return new Response(body, { status, headers })
  const accepted = request.headers.get('accept-encoding')
  if (accepted === null || !acceptsGzip.test(accepted)) return new Response(body, { status, headers })
  const compressed = new Headers(headers)
  compressed.set('content-encoding', 'gzip')
  compressed.append('vary', 'Accept-Encoding')
  return new Response(new Blob([body]).stream().pipeThrough(new CompressionStream('gzip')), { status, headers: compressed })
}
