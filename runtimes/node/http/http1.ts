import type { IncomingMessage, ServerResponse } from 'node:http'
import { LightHeaders } from '../../../core/answers/light-headers.ts'
import { isUpgradeBody } from '../../../core/answers/upgrade-body.ts'
import { LightRequest } from '../../../core/request/light-request.ts'
import { RequestIntake } from '../../wire/server/intake.ts'
import { limits } from '../../wire/server/limits.ts'
import { readInTurns } from '../network/read-turns.ts'
import type { Http1Peer } from './http1-peer.ts'
import { piece, sendLong, sendStream } from './http1-sink.ts'
import { reasonPhrase } from './reason-phrase.ts'
import { RequestBody } from './request-body.ts'
import { sent } from './sent.ts'
import type { Service, StreamBody } from './service.ts'
import { answer, completed, failed, giveUp, isBodyless, isStream, partsOf, sizeOf, tooManyFields, unsupportedCoding } from './service.ts'
import { readTarget } from './target.ts'

const encoder = new TextEncoder()
const notUpgradable = new Error('a response switches protocols, which the request did not ask for')

/** RFC 9112 6.3: a request has a body if and only if it has one of these headers. */
const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] !== undefined && headers['content-length'] !== '0')

function bodyOf(incoming: IncomingMessage, peer: Http1Peer, intake: RequestIntake): RequestBody {
  const length = incoming.headers['content-length']
  const body = new RequestBody(() => incoming.resume(), length === undefined ? undefined : Number(length), intake)
  const arrived = readInTurns(incoming.socket)
  incoming.on('data', (bytes: Buffer) => {
    peer.received += bytes.length
    arrived(bytes.length)
    if (!body.push(bytes)) incoming.pause()
  })
  incoming.on('end', () => body.end())
  // Runs for every request, so the error, which is expensive, is only created when the body is incomplete.
  const cut = () => {
    if (!body.ended) body.fail(new Error('the client closed the connection before the end of the request'))
  }
  incoming.on('error', cut)
  incoming.on('close', cut)
  return body
}

/** Bytes of the header list, about. */
function sizeOfHead(raw: readonly string[]): number {
  let size = 0
  for (let i = 0; i < raw.length; i++) size += (raw[i] as string).length
  return size
}

/** Answers one HTTP/1.1 request. `continues`: the client waits for a 100 before it sends the body (RFC 9110 10.1.1). */
export function serveHttp1(
  service: Service,
  peer: Http1Peer,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  continues = false,
): void {
  if (incoming.rawHeaders.length > 2 * limits.headerFields) return void respond(service, peer, incoming, outgoing, null, tooManyFields())
  const coding = incoming.headers['transfer-encoding']
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || incoming.httpVersionMinor === 0)) {
    peer.endsWithAnswer()
    return void respond(service, peer, incoming, outgoing, null, unsupportedCoding())
  }
  const headers = LightHeaders.fromRaw(incoming.rawHeaders)
  const method = incoming.method as string
  // As net/http: without a 100 the client may send the body or not, so that the end of the request is not known.
  let isOpen = continues
  const goOn = () => {
    isOpen = false
    outgoing.writeContinue()
  }
  const intake = new RequestIntake(peer.intake, sizeOfHead(incoming.rawHeaders), continues ? goOn : undefined)
  const body = method === 'GET' || method === 'HEAD' || !hasBody(incoming) ? null : bodyOf(incoming, peer, intake)
  const target = readTarget(method, incoming.url as string, headers, incoming.httpVersionMinor > 0)
  const request = new LightRequest(method, typeof target === 'string' ? target : '', headers, body)
  LightRequest.onIdentified(request, intake.identified)
  peer.begin(request, { body, outgoing, intake })
  let hasStarted = false
  const start = () => {
    if (hasStarted) return
    hasStarted = true
    peer.inTurn(request, () => {
      const result = typeof target === 'string' ? answer(service, request, peer.connection) : target
      const reply = (response: Response) => {
        if (isOpen) outgoing.shouldKeepAlive = false
        respond(service, peer, incoming, outgoing, body, response, request)
      }
      if (result instanceof Promise) result.then(reply)
      else reply(result)
    })
  }
  // A small body is awaited, so that an incomplete request does not count as in flight, unless the client waits, or too much is awaited.
  const length = Number(incoming.headers['content-length'] ?? Number.POSITIVE_INFINITY)
  const isAwaited = body !== null && !continues && length <= limits.uploadWindow
  if (!isAwaited || peer.intake.all.isCrowded) start()
  else {
    incoming.once('end', start)
    incoming.on('data', () => {
      if (peer.intake.all.isCrowded) start()
    })
  }
}

/** Sends the head. `flushHeaders` alone writes UTF-8, with two bytes for each byte above ASCII. */
function sendHead(outgoing: ServerResponse): void {
  outgoing.write('', 'latin1')
  outgoing.flushHeaders()
}

function respond(
  service: Service,
  peer: Http1Peer,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  requestBody: RequestBody | null,
  response: Response,
  request?: LightRequest,
): void {
  const { status, headers, body } = partsOf(service, response)
  if (isUpgradeBody(body)) return void respond(service, peer, incoming, outgoing, requestBody, failed(service, notUpgradable), request)
  const stream = isStream(body) ? body : undefined
  const bytes = isStream(body) ? null : body
  const empty = incoming.method === 'HEAD' || isBodyless(status)
  if (outgoing.destroyed || (empty && stream)) giveUp(body, 'nobody reads the response')
  if (outgoing.destroyed) return void sent(response)
  if (service.closing) outgoing.shouldKeepAlive = false
  try {
    const size = stream || isBodyless(status) || (bytes === null && empty) ? undefined : sizeOf(bytes)
    outgoing.writeHead(status, reasonPhrase(status), completed(headers, size, service.date()))
  } catch (error) {
    giveUp(body, error)
    sent(response)
    if (outgoing.headersSent) outgoing.destroy()
    else respond(service, peer, incoming, outgoing, requestBody, failed(service, error), request)
    return
  }
  const done = () => {
    sent(response)
    peer.end(request)
    if (requestBody !== null && !incoming.complete) peer.discard(incoming, requestBody)
    else if (service.closing) peer.leave()
  }
  if (empty || body === null) {
    outgoing.end()
    return void done()
  }
  const content = typeof bytes === 'string' ? encoder.encode(bytes) : bytes
  if (content !== null && content.length <= piece) {
    outgoing.end(content)
    return void done()
  }
  if (stream) sendHead(outgoing)
  const sending = content !== null ? sendLong(content, outgoing, peer) : sendStream(stream as StreamBody, outgoing, peer)
  sending.then(done, (error: unknown) => {
    service.logger?.debug({ err: error }, 'response stream failed')
    outgoing.destroy()
    done()
  })
}
