/** Requests over HTTP/1.1 that ask for another protocol (RFC 9110 7.8): node:http hands over their socket after the head. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { LightHeaders } from '../../../core/answers/light-headers.ts'
import { Reply } from '../../../core/answers/reply.ts'
import { isUpgradeBody } from '../../../core/answers/upgrade-body.ts'
import type { Connection } from '../../../core/ports.ts'
import { LightRequest } from '../../../core/request/light-request.ts'
import { limits } from '../../wire/server/limits.ts'
import { byteStream } from '../network/byte-stream.ts'
import type { Http1Peer } from './http1-peer.ts'
import { reasonPhrase } from './reason-phrase.ts'
import { endWith } from './refusal.ts'
import { sent } from './sent.ts'
import { answer, completed, giveUp, isStream, partsOf, type Service, sizeOf, tooManyFields } from './service.ts'
import { readTarget } from './target.ts'

/** False on Deno: over HTTP/1.1 the stream that its node:http hands over delivers nothing. */
export const hasUpgrades = !('Deno' in globalThis)

/** `Connection.upgrade` of connections whose listener sends such responses. */
export const upgrade: NonNullable<Connection['upgrade']> = (headers, use) => new Reply({ use }, { status: 101, headers })

/** Bytes after a request to upgrade that are held until it is its turn. */
const maxHeldBytes = 64 * 1024

function headOf(status: number, fields: readonly string[]): string {
  let text = `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\n`
  for (let i = 0; i < fields.length; i += 2) text += `${fields[i]}: ${fields[i + 1]}\r\n`
  return `${text}\r\n`
}

const without = (fields: readonly string[], name: string) => fields.filter((_, at) => fields[at - (at % 2)] !== name)

/**
 * Whether a request is answered as one without the header Upgrade, which a server may ignore (RFC 9110 7.8), and does over HTTP/1.0: a body or an
 * expectation comes before the other protocol. Clients that try HTTP/2 without TLS send such requests.
 */
export function ignoresUpgrade({ headers, httpVersion }: IncomingMessage): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  return hasBody || headers.expect !== undefined || httpVersion !== '1.1'
}

/** A header without what asks for another protocol; undefined: nothing is left of it. */
function ordinary(name: string, value: string): string | undefined {
  switch (name.toLowerCase()) {
    case 'upgrade':
      return undefined
    case 'connection': {
      const others = value.split(',').filter((option) => option.trim().toLowerCase() !== 'upgrade')
      return others.length > 0 ? `${name}: ${others.join(',')}` : undefined
    }
    default:
      return `${name}: ${value}`
  }
}

/** Puts a request that does not ask for another protocol any more back into its socket, which is paused then. `head`: what has come behind it. */
export function withoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage, socket: Socket, head: Buffer): void {
  let text = `${method} ${url} HTTP/${httpVersion}\r\n`
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = ordinary(rawHeaders[at] as string, rawHeaders[at + 1] as string)
    if (header !== undefined) text += `${header}\r\n`
  }
  // What is put back into a stream that flows is lost.
  socket.pause()
  socket.unshift(Buffer.concat([Buffer.from(`${text}\r\n`, 'latin1'), head]))
}

/**
 * Calls `serve` for a request to upgrade when those before it are answered: responses have the order of requests (RFC 9112 9.3.2). Its argument is
 * what follows the request, of which `head` has come with it.
 */
export function inTurn(peer: Http1Peer, socket: Socket, head: Buffer, serve: (received: Buffer) => void): void {
  if (peer.idle) return void serve(head)
  let received = head
  // Reading goes on, so that it is seen when the client leaves; `node:http` has left the socket.
  const leave = () => socket.destroy()
  const hold = (bytes: Buffer) => {
    received = Buffer.concat([received, bytes])
    if (received.length > maxHeldBytes) socket.pause()
  }
  socket.on('data', hold).once('end', leave)
  peer.whenAnswered(() => {
    socket.off('data', hold).off('end', leave)
    serve(received)
  })
}

/** Answers one request with the header Upgrade. A response that does not switch ends the connection. */
export function serveUpgrade(
  service: Service,
  { connection, intake }: Http1Peer,
  incoming: IncomingMessage,
  socket: Socket,
  head: Buffer,
): void {
  socket.removeAllListeners('data')
  socket.pause()
  const headers = LightHeaders.fromRaw(incoming.rawHeaders)
  const target = readTarget(incoming.method as string, incoming.url as string, headers, true)
  const request = new LightRequest(incoming.method as string, typeof target === 'string' ? target : '', headers, null)
  LightRequest.onIdentified(request, () => intake.identified())
  const gone = new Error('the client closed the connection')
  socket.once('close', () => LightRequest.abort(request, gone))
  const respond = (response: Response) => {
    socket.once('close', () => sent(response))
    if (socket.destroyed) return void sent(response)
    const { status, headers: given, body } = partsOf(service, response)
    if (isUpgradeBody(body)) {
      const fields = without(completed(given, undefined, service.date()), 'connection')
      socket.write(headOf(status, ['connection', 'Upgrade', ...fields]), 'latin1')
      return void body.use(byteStream(socket, head))
    }
    const fields = completed(given, isStream(body) ? undefined : sizeOf(body), service.date())
    socket.write(headOf(status, ['connection', 'close', ...without(fields, 'connection')]), 'latin1')
    if (incoming.method === 'HEAD') {
      giveUp(body, 'nobody reads the response')
      endWith(socket)
    } else if (isStream(body))
      void new Response(response.body).body?.pipeTo(byteStream(socket, head).writable).catch(() => socket.destroy())
    else {
      if (body !== null) socket.write(body)
      endWith(socket)
    }
  }
  const isTooLarge = incoming.rawHeaders.length > 2 * limits.headerFields
  const result = isTooLarge ? tooManyFields() : typeof target === 'string' ? answer(service, request, connection) : target
  if (result instanceof Promise) void result.then(respond)
  else respond(result)
}
