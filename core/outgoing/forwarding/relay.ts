/** Requests that are passed on as they are: proxies to nodes, pods and services (apimachinery/pkg/util/proxy, net/http/httputil). */

import type { LightHeaders } from '../../answers/light-headers.ts'
import { Reply } from '../../answers/reply.ts'
import { ApiError, badRequest } from '../../answers/status.ts'
import type { Slices } from '../../common/slices.ts'
import type { Exchange, RequestInfo } from '../../request/exchange.ts'
import { dialError } from '../dial-error.ts'
import { type Destination, keepingHost, queryOf, targetOf } from './destination.ts'
import { endAtShutdown, shutdownGrace } from './ending.ts'
import { type Forwarding, type ForwardingServices, forward } from './forward.ts'
import { endToEnd, forwardedHeaders } from './headers.ts'
import { createLinks, type RewriteLink } from './links.ts'
import { rewrites, rewrittenHtml } from './rewrite-html.ts'

type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>

/** CORS is decided by this server, not by a backend. */
const corsFields = ['credentials', 'headers', 'methods', 'origin'].map((name) => `access-control-allow-${name}`)

const bodyless = new Set(['GET', 'HEAD'])

function bodyOf({ method, body }: Request): { body?: BodyInit; duplex?: 'half' } {
  if (body === null) return {}
  if (bodyless.has(method)) throw badRequest(`${method} requests with a body are not forwarded`)
  return { body, duplex: 'half' }
}

/** The request to a backend. Its body is streamed; redirects are not followed. */
export const passedOn = (request: Request, url: URL, headers: LightHeaders, signal: AbortSignal): Request =>
  new Request(url, { method: request.method, headers, ...bodyOf(request), signal, redirect: 'manual' } as RequestInit)

/** Headers of a backend's response for the client. */
function answeredHeaders({ headers }: Response): LightHeaders {
  const answer = endToEnd(headers)
  for (const name of corsFields) answer.delete(name)
  return answer
}

/**
 * Forwards the request and streams the response back. Its Location header, or else the links in its HTML, are rewritten to lead through this
 * server. Throws 503 when there is no response.
 */
export async function relayRequest(exchange: Exchange, destination: Destination, services: ForwardingServices): Promise<Response> {
  const { outbound, platform, clock, pauses } = services
  const { request, signal } = exchange
  const { origin, options } = destination
  const host = request.headers.get('host')
  const links = createLinks(prefixOf(exchange.info), origin.host, host ?? '')
  const headers = forwardedHeaders(exchange, platform)
  headers.set('x-forwarded-uri', links.below(options.target?.split('?', 1)[0] ?? ''))
  const asked = keepingHost(destination, host)
  const forwarding: Forwarding = {
    destination: asked,
    ending: endAtShutdown(exchange, shutdownGrace, clock),
    request: (ends) => passedOn(request, asked.origin, headers, ends),
    failure: (error) => new ApiError('ServiceUnavailable', `error trying to reach service: ${dialError(error, origin)}`),
    answer(response) {
      const slices = pauses.slices(() => signal)
      return answerWith(response, links.rewrite, slices)
    },
  }
  return forward(exchange, forwarding, outbound)
}

/** A backend's response for the client, with its Location header, or else the links in its HTML, rewritten. */
export function answerWith(response: Response, rewrite: RewriteLink, slices: Slices): Response {
  const { status } = response
  const headers = answeredHeaders(response)
  const location = headers.get('location')
  const encoding = headers.get('content-encoding') ?? ''
  if (location !== null && location !== '') headers.set('location', rewrite(location))
  else if (isHtml(headers) && rewrites(encoding) && Reply.bodyOf(response) !== null) {
    for (const name of ['content-length', 'content-encoding']) headers.delete(name)
    return new Reply(rewrittenHtml(response.body as Bytes, encoding, rewrite, slices), { status, headers })
  }
  return new Reply(Reply.bodyOf(response), { status, headers })
}

const isHtml = (headers: Headers) => (headers.get('content-type') ?? '').split(';', 1)[0]?.trim() === 'text/html'

/** The path that stands for the backend's root: the request's path up to and including the subresource. */
function prefixOf({ path, parts }: RequestInfo): string {
  let end = path.length
  while (path[end - 1] === '/') end--
  return path.slice(0, end - parts.slice(3).join('/').length)
}

/** 301 to the same path with a slash, without which relative links of a page would lead elsewhere. */
export function withSlash(request: Request): Response {
  const [path = ''] = targetOf(request).split('?', 1)
  const query = queryOf(request)
  return new Reply(null, { status: 301, headers: { location: `${path}/${query}` } })
}
