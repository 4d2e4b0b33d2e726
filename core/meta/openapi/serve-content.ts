/** Responses with documents that clients may ask for in part, or only if they are newer: as Go's http.ServeContent. */
import { bodyResponse } from '../../answers/body.ts'
import { plainHeaders } from '../../answers/plain-error.ts'
import { Reply } from '../../answers/reply.ts'
import { type Document, hasTag } from '../document.ts'

interface Served {
  readonly headers: { readonly [name: string]: string }
  /** When the content was made, in milliseconds since the epoch. */
  readonly modified: number
  /** Set if the ETag is the document's hash; an index has none. */
  readonly tagged?: true
  /** Compressed with gzip for clients that accept it. */
  readonly compresses?: true
}

const second = 1000

/** Whether the client has this content (RFC 9110 13.2.2): an If-Modified-Since counts only without an If-None-Match. */
function isKnown({ headers }: Request, etag: string | undefined, modified: number): boolean {
  const tags = headers.get('If-None-Match')
  if (tags !== null) return etag !== undefined && hasTag(tags, etag)
  const since = headers.get('If-Modified-Since')
  return since !== null && Math.floor(modified / second) * second <= Date.parse(since)
}

const oneRange = /^bytes=(\d{0,15})-(\d{0,15})$/

/**
 * The part that a Range header asks for, from `start` up to before `end`; `none` lies outside of the content. Undefined for other headers, such
 * as several ranges, which a server may ignore.
 */
function rangeOf(header: string | null, size: number): { readonly start: number; readonly end: number } | 'none' | undefined {
  const [, first = '', last = ''] = oneRange.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '') return last === '0' ? 'none' : { start: Math.max(0, size - Number(last)), end: size }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return 'none'
  return start >= size ? 'none' : { start, end: last === '' ? size : Math.min(size, Number(last) + 1) }
}

/** The document, the part of it that the client asks for, or 304 when the client has it. */
export function serveContent(request: Request, { bytes, hash }: Document, served: Served): Response {
  const { modified, tagged, compresses = false } = served
  const etag = tagged && `"${hash}"`
  const headers = {
    ...served.headers,
    'Accept-Ranges': 'bytes',
    'Last-Modified': new Date(modified).toUTCString(),
    ...(etag !== undefined && { ETag: etag }),
  }
  if (isKnown(request, etag, modified)) return new Reply(null, { status: 304, headers })
  // A part of an older version would not fit what the client has.
  const range = request.headers.has('If-Range') ? undefined : rangeOf(request.headers.get('Range'), bytes.length)
  if (range === undefined) return bodyResponse(request, bytes, { status: 200, headers }, () => compresses)
  const total = `bytes */${bytes.length}`
  if (range === 'none')
    return new Reply('invalid range: failed to overlap\n', {
      status: 416,
      headers: { ...headers, ...plainHeaders, 'Content-Range': total },
    })
  const { start, end } = range
  const part = total.replace('*', `${start}-${end - 1}`)
  return new Reply(bytes.subarray(start, end), { status: 206, headers: { ...headers, 'Content-Range': part } })
}
