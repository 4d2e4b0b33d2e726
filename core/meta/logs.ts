/** `/logs`: the files of the host's log directory, as Go's file server shows them. */

import { PlainError, pageNotFound } from '../answers/plain-error.ts'
import { Reply } from '../answers/reply.ts'
import { notAllowed } from '../answers/status.ts'
import type { LogFile, LogFiles } from '../ports.ts'
import type { FixedRequest } from './fixed-request.ts'

const root = '/logs'

const types: { readonly [extension: string]: string } = {
  gz: 'application/gzip',
  html: 'text/html; charset=utf-8',
  json: 'application/json',
  log: 'text/x-log; charset=utf-8',
  xz: 'application/x-xz',
  zip: 'application/zip',
}
/** Files without a known extension: text unless their beginning has a zero byte. */
const typeOf = (name: string, isText: boolean) =>
  types[name.slice(name.lastIndexOf('.') + 1)] ?? (isText ? 'text/plain; charset=utf-8' : 'application/octet-stream')

const escapes: { readonly [character: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' }
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character]!)

const link = (name: string) =>
  // A first segment with a colon would be a scheme.
  `<a href="${escaped(`${name.includes(':') ? './' : ''}${encodeURI(name).replace(/[?#]/g, encodeURIComponent)}`)}">${escaped(name)}</a>\n`

const dateHeader = (time: number) => ({ 'Last-Modified': new Date(time).toUTCString() })

function listing(names: readonly string[], modified: number): Response {
  const page = `<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n${names.map(link).join('')}</pre>\n`
  return new Reply(page, { status: 200, headers: { 'Content-Type': 'text/html; charset=utf-8', ...dateHeader(modified) } })
}

/** First and last byte of a Range with one part (RFC 9110 14.2); undefined: the whole file. Throws 416. */
function rangeOf(header: string | null, size: number): readonly [first: number, last: number] | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? []
  if (from === '' && to === '') return undefined
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const last = from === '' || to === '' ? size - 1 : Math.min(size - 1, Number(to))
  if (first > last || first >= size) throw new PlainError(416, 'invalid range: failed to overlap')
  return [first, last]
}

async function fileResponse(request: Request, name: string, file: LogFile): Promise<Response> {
  const { size, modified } = file
  const range = rangeOf(request.headers.get('range'), size)
  const [first, last] = range ?? [0, size - 1]
  const headers = {
    'Accept-Ranges': 'bytes',
    'Content-Type': typeOf(name, await file.isText()),
    'Content-Length': String(last - first + 1),
    // The client must not take what a program logged for a page.
    'X-Content-Type-Options': 'nosniff',
    ...dateHeader(modified),
    ...(range && { 'Content-Range': `bytes ${first}-${last}/${size}` }),
  }
  const body = request.method === 'HEAD' || size === 0 ? null : file.read(first, last)
  return new Reply(body, { status: range ? 206 : 200, headers })
}

/** Serves only GET. Throws 400 for paths with dot segments, 404 for what is not there, 405. */
export function createLogs(files: LogFiles): (request: FixedRequest) => Promise<Response> {
  return async ({ path, request }) => {
    if (request.method !== 'GET') throw notAllowed()
    const segments = path.slice(root.length).split('/')
    if (segments.includes('..')) throw new PlainError(400, 'invalid URL path')
    const names = segments.filter((segment) => segment !== '' && segment !== '.')
    const found = await files.find(names)
    if (found === undefined) throw pageNotFound()
    const name = names.at(-1) ?? 'logs'
    const isDirectory = 'names' in found
    if (isDirectory !== path.endsWith('/')) {
      const location = encodeURI(isDirectory ? `${name}/` : `../${name}`)
      return new Reply(null, { status: 301, headers: { Location: location } })
    }
    return isDirectory ? listing(found.names, found.modified) : fileResponse(request, name, found)
  }
}
