import { once } from 'node:events'
import { type ClientHttp2Session, connect as connectHttp2, type IncomingHttpHeaders, type SecureClientSessionOptions } from 'node:http2'
import { Agent, type RequestOptions, request } from 'node:https'
import { connect, type TLSSocket } from 'node:tls'
import { type Handler, type Listener, type ListenOptions, listen } from '../../../runtimes/node/network/listener.ts'
import { issue, issueAuthority, newKey, type Pair } from '../../../runtimes/node/pki/issue.ts'

const now = Date.now()
export const authority = issueAuthority('test-ca', newKey(), now)
export const issued = (...names: string[]): { cert: string; key: string } =>
  pem(issue(authority, { commonName: names[0] ?? '', names }, now))
export const client = (commonName: string, ca: Pair = authority) => pem(issue(ca, { commonName, organizations: ['testers'] }, now))
const pem = ({ certPem, keyPem }: Pair) => ({ cert: certPem, key: keyPem })
export const serving = issued('localhost', '127.0.0.1')

export interface Opened extends Listener, AsyncDisposable {
  readonly url: string
}

/** A listener on a free port of 127.0.0.1, closed without draining at the end of a test. */
export async function open(handler: Handler, options: Partial<ListenOptions> = {}): Promise<Opened> {
  const listener = await listen({ address: '127.0.0.1', ...serving, ...options }, handler)
  return { ...listener, url: `https://127.0.0.1:${listener.port}`, [Symbol.asyncDispose]: () => listener.close(0) }
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** Local port of the client's socket, which identifies the connection. */
  readonly localPort: number
}

export const oneConnection = () => new Agent({ keepAlive: true, maxSockets: 1 })

/** Sends one HTTP/1.1 request. */
export async function http1(url: string, options: RequestOptions & { body?: string | Uint8Array } = {}): Promise<Answer> {
  const { body, ...rest } = options
  const outgoing = request(url, { ca: authority.certPem, agent: false, ...rest })
  // The client may still be sending when the response has arrived and the server closes.
  outgoing.on('error', () => {})
  let localPort = 0
  outgoing.once('socket', (socket) => {
    if (socket.localPort !== undefined) localPort = socket.localPort
    socket.once('secureConnect', () => {
      localPort = socket.localPort ?? 0
    })
  })
  outgoing.end(body)
  const [incoming] = await once(outgoing, 'response')
  let text = ''
  for await (const chunk of incoming.setEncoding('utf8')) text += chunk
  return { status: incoming.statusCode, headers: incoming.headers, text, localPort }
}

export const session = (url: string, options: SecureClientSessionOptions = {}): ClientHttp2Session =>
  connectHttp2(url, { ca: authority.certPem, ...options })

/** Sends one HTTP/2 request. */
export async function http2(
  connection: ClientHttp2Session,
  headers: Record<string, string>,
  body?: string | Uint8Array,
): Promise<Omit<Answer, 'localPort'>> {
  const stream = connection.request(headers, { endStream: body === undefined })
  if (body !== undefined) stream.end(body)
  const [head] = (await once(stream, 'response')) as [IncomingHttpHeaders & { ':status': number }]
  let text = ''
  for await (const chunk of stream.setEncoding('utf8')) text += chunk
  return { status: head[':status'], headers: head, text }
}

/** A TLS connection without HTTP. */
export async function socket(port: number, options: object = {}): Promise<TLSSocket> {
  const opened = connect({ host: '127.0.0.1', port, ca: authority.certPem, ALPNProtocols: ['http/1.1'], ...options })
  await once(opened, 'secureConnect')
  return opened
}

/** A promise with its resolve and reject. */
export function deferred<T = void>() {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
