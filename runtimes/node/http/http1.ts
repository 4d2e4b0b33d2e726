import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Connection } from '../../../core/ports.ts'
import { answer, badRequest, failed, isBodyless, maxFields, partsOf, type Service, sized, sizeOf, tooManyFields } from './exchange.ts'
import { LightHeaders } from './headers.ts'
import { pump } from './pump.ts'
import { LightRequest } from './request.ts'
import { RequestBody } from './request-body.ts'
import { requestUrl } from './url.ts'

/** One socket that speaks HTTP/1.1, and the requests on it that are not answered yet. */
export interface Http1Peer {
  readonly connection: Connection
  readonly inFlight: Set<LightRequest>
}

/** Aborts what is still in flight: the socket is gone. */
export function disconnected(peer: Http1Peer): void {
  const reason = new Error('the client closed the connection')
  for (const request of peer.inFlight) LightRequest.abort(request, reason)
  peer.inFlight.clear()
}

/** RFC 9112 6.3: a request has a body when it says so. */
const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] !== undefined && headers['content-length'] !== '0')

/** Answers one HTTP/1.1 request. */
export function serveHttp1(service: Service, peer: Http1Peer, incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (incoming.rawHeaders.length > 2 * maxFields) return void respond(service, incoming, outgoing, null, tooManyFields())
  const headers = LightHeaders.fromRaw(incoming.rawHeaders)
  const method = incoming.method as string
  const body = method === 'GET' || method === 'HEAD' || !hasBody(incoming) ? null : new RequestBody(incoming)
  const url = requestUrl(headers.get('host') ?? 'localhost', incoming.url as string)
  const request = new LightRequest(method, url ?? '', headers, body)
  const result = url === undefined ? badRequest() : answer(service, request, peer.connection)
  if (result instanceof Promise) {
    peer.inFlight.add(request)
    result.then((response) => respond(service, incoming, outgoing, body, response)).then(() => peer.inFlight.delete(request))
  } else void respond(service, incoming, outgoing, body, result)
}

async function respond(
  service: Service,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  requestBody: RequestBody | null,
  response: Response,
): Promise<void> {
  const { status, headers, body } = partsOf(service, response)
  const streaming = body instanceof ReadableStream
  const empty = incoming.method === 'HEAD' || isBodyless(status)
  if (outgoing.destroyed || empty) {
    if (streaming) body.cancel(new Error('nobody reads the response')).catch(() => {})
    if (outgoing.destroyed) return
  }
  if (service.closing) outgoing.shouldKeepAlive = false
  try {
    const size = streaming || isBodyless(status) || (body === null && empty) ? undefined : sizeOf(body)
    outgoing.writeHead(status, size === undefined ? headers : sized(headers, size))
  } catch (error) {
    if (streaming && !empty) body.cancel(error).catch(() => {})
    if (outgoing.headersSent) outgoing.destroy()
    else await respond(service, incoming, outgoing, requestBody, failed(service, error))
    return
  }
  if (empty || body === null) outgoing.end()
  else if (!streaming) outgoing.end(body)
  else {
    outgoing.flushHeaders()
    try {
      await pump(body, outgoing)
    } catch (error) {
      service.logger?.debug({ err: error }, 'response stream failed')
      outgoing.destroy()
    }
  }
  if (requestBody !== null && !incoming.complete) requestBody.discard(() => incoming.socket.destroy())
}
