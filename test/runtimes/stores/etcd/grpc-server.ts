/** A gRPC server on Node's HTTP/2, as the peer of the tested client. */
import { once } from 'node:events'
import {
  createSecureServer,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type SecureServerOptions,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type ServerOptions,
} from 'node:http2'
import type { Socket } from 'node:net'
import { type Channel, createChannel } from '../../../../runtimes/wire/client/channel.ts'
import type { TlsOptions } from '../../../../runtimes/wire/client/socket.ts'
import { hostClock } from '../helpers.ts'

/** `cut` destroys the connections. Rejects when the stream closes early. */
export type Handler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, cut: () => void) => unknown

export interface GrpcServer extends AsyncDisposable {
  readonly url: string
  /** A channel to this server; closed with it. */
  readonly channel: Channel
  readonly sessions: readonly ServerHttp2Session[]
}

export interface GrpcServerOptions extends ServerOptions {
  readonly secure?: SecureServerOptions
  readonly tls?: TlsOptions
}

/** A gRPC message with its length prefix. */
export function message(content: Uint8Array | string): Buffer {
  const bytes = Buffer.from(content)
  const prefix = Buffer.alloc(5)
  prefix.writeUInt32BE(bytes.length, 1)
  return Buffer.concat([prefix, bytes])
}

/** The message of a complete request. */
export async function requestOf(stream: ServerHttp2Stream): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).subarray(5)
}

/** Responds with messages and a status. */
export function answer(stream: ServerHttp2Stream, messages: readonly (Uint8Array | string)[], status: Record<string, string> = {}): void {
  if (stream.destroyed) return
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'grpc-message': '', ...status }))
  for (const each of messages) stream.write(message(each))
  stream.end()
}

export const echo = async (stream: ServerHttp2Stream) => answer(stream, [await requestOf(stream)])

export async function grpcServer(handler: Handler, { secure, tls = {}, ...options }: GrpcServerOptions = {}): Promise<GrpcServer> {
  const server: Http2Server = secure ? createSecureServer({ ...options, ...secure }) : createServer(options)
  const sessions: ServerHttp2Session[] = []
  const sockets = new Set<Socket>()
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})))
  server.on('session', (session) => sessions.push(session.on('error', () => {})))
  server.on('sessionError', () => {})
  server.on('tlsClientError', () => {})
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {})
    Promise.resolve(handler(stream, headers, cut)).catch((error: unknown) => {
      if (!stream.destroyed) stream.destroy(error instanceof Error ? error : undefined)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const url = `${secure ? 'https' : 'http'}://127.0.0.1:${address.port}`
  const channel = createChannel(url, tls, hostClock)
  return {
    url,
    channel,
    sessions,
    async [Symbol.asyncDispose]() {
      channel.close()
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
