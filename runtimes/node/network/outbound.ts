import { lookup } from 'node:dns/promises'
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { type AgentOptions, Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Readable } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { LightHeaders } from '../../../core/answers/light-headers.ts'
import { Reply } from '../../../core/answers/reply.ts'
import type { Outbound, OutboundOptions, Upgraded } from '../../../core/ports.ts'
import { type Dial, trustAnchors } from '../../wire/client/socket.ts'
import { authorityOf, connectProxy, dialTimeout, ready } from '../egress/dial.ts'
import { tunnelThrough } from '../egress/http-connect.ts'
import type { Dials } from '../egress/selector.ts'
import { isBodyless } from '../http/service.ts'
import { byteStream } from './byte-stream.ts'
import { readInTurns } from './read-turns.ts'
import { Received } from './received.ts'

const maxRedirects = 10
/** Milliseconds that a connection is kept for another request, as of Go's default transport. */
const idleTimeout = 90_000
const maxAgents = 100
/** Maximum bytes of the headers of a response: more than the 16 KiB of node:http, of which an aggregated server's warnings alone may have as many. */
const maxHeaderSize = 1024 * 1024

/** Connects directly. */
const direct: Dial = (host, port) => connectProxy({ host, port }, undefined)

/** A dial through an HTTP proxy with a URL, which is itself reached by a dial (`proxy-url` of connection files). */
function throughProxy(url: string, dial: Dial = direct): Dial {
  const { protocol, host: name, hostname, port, username, password } = new URL(url)
  const secure = protocol === 'https:'
  const user = username === '' ? undefined : `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const headers = user === undefined ? {} : { 'Proxy-Authorization': `Basic ${Buffer.from(user).toString('base64')}` }
  return async (host, target) => {
    const plain = await dial(hostname.replace(/^\[|\]$/g, ''), Number(port || (secure ? 443 : 80)))
    const socket = secure
      ? await ready(
          connectTls({ socket: plain, host: hostname, servername: isIP(hostname) === 0 ? hostname : '' }),
          'secureConnect',
          dialTimeout,
        )
      : plain
    return tunnelThrough(socket, name, authorityOf(host, target), headers)
  }
}

function createAgent(secure: boolean, keepAlive: boolean, options: OutboundOptions, dials: Dials): HttpAgent | HttpsAgent {
  const { certificateAuthority, clientCertificate, serverName, unixSocket, proxy, egress, insecure } = options
  const shared: AgentOptions = { keepAlive, timeout: idleTimeout, ...(unixSocket !== undefined && { socketPath: unixSocket }) }
  const tls: AgentOptions = {
    ...(certificateAuthority !== undefined && { ca: certificateAuthority }),
    ...(clientCertificate && { cert: clientCertificate.certificate, key: clientCertificate.key }),
    ...(serverName !== undefined && { servername: serverName }),
    rejectUnauthorized: insecure !== true,
    ...trustAnchors,
  }
  const agent = secure ? new HttpsAgent({ ...shared, ...tls }) : new HttpAgent(shared)
  const outer = egress && dials[egress]
  const dial = proxy === undefined ? outer : throughProxy(proxy, outer)
  if (dial === undefined || unixSocket !== undefined) return agent
  agent.createConnection = (target, callback) => {
    const { host, port, servername } = target as { host: string; port: number; servername?: string }
    dial(host, Number(port)).then(
      (socket) => callback?.(null, secure ? connectTls({ ...tls, host, socket, servername: serverName ?? servername ?? '' }) : socket),
      (error: Error) => callback?.(error, undefined as unknown as Duplex),
    )
    return undefined
  }
  return agent
}

/**
 * Outgoing calls with node:https, because the built-in fetch takes no certificates. Calls with the same options share connections.
 * GET and HEAD follow redirects unless the request says otherwise. Aborts on the request's signal and on timeout. `dials`: the way of each traffic
 * class; default: all calls connect directly.
 */
export function createOutbound(dials: Dials = {}): Required<Outbound> {
  const agents = new Map<string, HttpAgent | HttpsAgent>()
  // Loaded on first use: it is slow to load, and few servers need it.
  let loaded: Promise<Outbound['call']> | undefined
  const calls = () => (loaded ??= import('./grpc.ts').then(({ createCalls }) => createCalls()))
  const agentFor = (
    secure: boolean,
    keepAlive: boolean,
    { timeout: _, connectTimeout: _connect, address: _address, target: _target, fields: _fields, ...options }: OutboundOptions,
  ) => {
    const key = JSON.stringify([secure, keepAlive, options])
    const found = agents.get(key)
    if (found !== undefined) return found
    const [oldest] = agents.keys()
    if (oldest !== undefined && agents.size >= maxAgents) agents.delete(oldest)
    const agent = createAgent(secure, keepAlive, options, dials)
    agents.set(key, agent)
    return agent
  }

  return {
    async upgrade(request, options = {}) {
      const url = new URL(request.url)
      const secure = url.protocol === 'https:'
      const headers = headersOf(request, options, (name) => name !== 'host')
      const { method, signal } = request
      // A connection of its own: one that was idle may be closed by the other end meanwhile, and not every upgrade can be sent again.
      const agent = agentFor(secure, false, options)
      return switched(url, { request, method, headers, signal, agent, ...targetOf(url, options) }, options.timeout)
    },
    async resolve(hostname) {
      const found = await lookup(hostname, { all: true })
      return found.map(({ address }) => address)
    },
    call: async (call) => (await calls())(call),
    async fetch(request, options = {}) {
      const { timeout } = options
      const limit = timeout === undefined ? undefined : AbortSignal.timeout(timeout)
      const signal = limit === undefined ? request.signal : AbortSignal.any([request.signal, limit])
      const { method } = request
      const follow = request.redirect === 'follow' && (method === 'GET' || method === 'HEAD')
      const headers = headersOf(request, options, (name) => name !== 'host' && name !== 'connection')
      let url = new URL(request.url)
      for (let redirects = 0; ; redirects++) {
        const secure = url.protocol === 'https:'
        const agent = agentFor(secure, true, options)
        const body = redirects === 0 ? await bodyOf(request) : null
        const incoming = await sendAgain(url, { request, method, headers, signal, limit, agent, ...targetOf(url, options) }, body)
        const { location } = incoming.headers
        const status = incoming.statusCode ?? 0
        if (!follow || location === undefined || ![301, 302, 303, 307, 308].includes(status)) return responseOf(incoming, method, signal)
        incoming.resume()
        if (redirects === maxRedirects) throw new Error(`${method} ${request.url}: more than ${maxRedirects} redirects`)
        const next = new URL(location, url)
        if (next.origin !== url.origin) for (const name of ['authorization', 'cookie']) delete headers[name]
        url = next
      }
    },
  }
}

/** A value, or the values of several lines. */
type SentHeaders = Record<string, string | string[]>

/** The request's headers that are kept, and the fields of the options. */
function headersOf(request: Request, { fields = [] }: OutboundOptions, keeps: (name: string) => boolean): SentHeaders {
  const headers: SentHeaders = Object.fromEntries([...request.headers.entries()].filter(([name]) => keeps(name)))
  for (const [name, value] of fields) {
    const before = headers[name] ?? []
    headers[name] = [...(Array.isArray(before) ? before : [before]), value]
  }
  return headers
}

interface Target {
  readonly path?: string
  readonly hostname?: string
  readonly port?: string
  readonly servername?: string
  /** Milliseconds. */
  readonly connectTimeout?: number
}

interface SendOptions extends Target {
  readonly request: Request
  readonly method: string
  readonly headers: SentHeaders
  readonly signal: AbortSignal
  /** The part of `signal` that is a timeout. */
  readonly limit?: AbortSignal | undefined
  readonly agent: HttpAgent
}

/**
 * Requests in flight, until their bodies have ended. A Request follows the signal that it was made with only as long as it exists, and
 * AbortSignal.any holds its parts weakly: both would be collected while they wait.
 */
const inFlight = new Set<SendOptions>()

/** Address to connect to, when it differs from the URL's host. */
function targetOf(url: URL, { address, serverName, target, connectTimeout }: OutboundOptions): Target {
  const path = target === undefined ? {} : { path: target }
  const limit = connectTimeout === undefined ? {} : { connectTimeout }
  if (address === undefined) return { ...path, ...limit }
  const { hostname, port } = new URL(`https://${address}`)
  return { ...path, ...limit, hostname: hostname.replace(/^\[(.*)\]$/, '$1'), port: port || '443', servername: serverName ?? url.hostname }
}

/** Bodies up to this many bytes are sent whole, and again when the connection was stale. */
const wholeBody = 1024 * 1024

/** Bodies with a small content-length are sent whole; others are streamed. */
async function bodyOf(request: Request): Promise<ReadableStream<Uint8Array> | Buffer | null> {
  if (request.body === null) return null
  const length = Number(request.headers.get('content-length') ?? Number.POSITIVE_INFINITY)
  return length <= wholeBody ? Buffer.from(await request.arrayBuffer()) : request.body
}

/** Milliseconds without traffic until TCP asks whether the peer is still there. */
const keepAliveDelay = 15_000

/** Interim responses (1xx) of a request: none is passed on, and the final one has no time limit on some routes. */
const maxInterimResponses = 5_000

/** Calls `end` for a request that has no connection in time, and for one that gets no end of interim responses. Notices peers that are gone. */
function watchConnection(outgoing: ClientRequest, secure: boolean, connectTimeout: number | undefined, end: (error: Error) => void): void {
  const late = () => end(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' }))
  // It begins before there is a socket, which is so only after a proxy has answered.
  const timer = connectTimeout === undefined ? undefined : setTimeout(late, connectTimeout)
  const connected = () => clearTimeout(timer)
  outgoing.once('socket', (socket) => {
    socket.setKeepAlive(true, keepAliveDelay)
    if (outgoing.reusedSocket || (!secure && !socket.connecting)) connected()
    else for (const event of [secure ? 'secureConnect' : 'connect', 'close']) socket.once(event, connected)
  })
  for (const event of ['response', 'upgrade', 'close']) outgoing.once(event, connected)
  let interim = 0
  outgoing.on('information', () => {
    if (++interim > maxInterimResponses) end(new Error('net/http: too many 1xx informational responses'))
  })
}

/** A reused connection was reset before the response: most likely the server closed it while it was idle. */
class Stale extends Error {}

/** Sends on an idle connection if there is one. Repeats when that was closed: at most once per idle connection, as closed ones leave the pool. */
async function sendAgain(url: URL, options: SendOptions, body: Parameters<typeof send>[2]): Promise<IncomingMessage> {
  for (;;) {
    try {
      return await send(url, options, body)
    } catch (error) {
      if (!(error instanceof Stale)) throw error
      if (body !== null && !Buffer.isBuffer(body)) throw error.cause
    }
  }
}

function send(url: URL, options: SendOptions, body: ReadableStream<Uint8Array> | Buffer | null): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { signal } = options
    // `address` changes where to connect, not the name in Host and SNI.
    if (options.hostname !== undefined) options.headers['host'] = url.host
    const fail = (error: Error & { code?: string }) => {
      if (signal.aborted) reject(signal.reason)
      else reject(outgoing.reusedSocket && error.code === 'ECONNRESET' ? new Stale(error.message, { cause: error }) : error)
    }
    const secure = url.protocol === 'https:'
    const outgoing = (secure ? requestHttps : requestHttp)(url, { ...options, maxHeaderSize })
    inFlight.add(options)
    outgoing.once('close', () => inFlight.delete(options))
    // A request that is destroyed before it has a connection says so only when it gets one.
    const end = (error: Error) => {
      outgoing.destroy(error)
      fail(error)
    }
    watchConnection(outgoing, secure, options.connectTimeout, end)
    const leave = () => end(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    for (const event of ['socket', 'close']) outgoing.once(event, () => signal.removeEventListener('abort', leave))
    outgoing.once('response', resolve)
    // Without a listener, the socket would be destroyed in silence.
    outgoing.once('upgrade', (incoming, socket) => {
      socket.destroy()
      fail(new Error(`the server switched to the protocol ${JSON.stringify(incoming.headers.upgrade ?? '')}, which was not requested`))
    })
    outgoing.once('error', fail)
    if (body === null || Buffer.isBuffer(body)) outgoing.end(body ?? undefined)
    else {
      const source = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0])
      source.once('error', (error) => outgoing.destroy(error))
      source.pipe(outgoing)
    }
  })
}

/** Asks to switch protocols. The timeout covers the answer only. */
function switched(url: URL, options: SendOptions, timeout: number | undefined): Promise<Upgraded> {
  const { signal } = options
  if (options.hostname !== undefined) options.headers['host'] = url.host
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const secure = url.protocol === 'https:'
    const outgoing = (secure ? requestHttps : requestHttp)(url, { ...options, signal: undefined })
    inFlight.add(options)
    const forget = () => inFlight.delete(options)
    outgoing.once('close', forget)
    const end = (error: Error) => {
      outgoing.destroy(error)
      reject(error)
    }
    watchConnection(outgoing, secure, options.connectTimeout, end)
    const stop = () => end(signal.reason)
    /** A response that can't be passed on is a failure: an error in a listener would end the process. */
    const settle = (made: () => Upgraded) => {
      clearTimeout(timer)
      try {
        resolve(made())
      } catch (error) {
        end(error as Error)
      }
    }
    const late = () => end(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
    const timer = timeout === undefined ? undefined : setTimeout(late, timeout)
    signal.addEventListener('abort', stop, { once: true })
    outgoing.once('upgrade', (incoming, socket: Socket, head) => {
      signal.removeEventListener('abort', stop)
      outgoing.off('close', forget)
      const cut = () => socket.destroy(signal.reason)
      signal.addEventListener('abort', cut, { once: true })
      socket.once('close', () => {
        forget()
        signal.removeEventListener('abort', cut)
      })
      if (signal.aborted) cut()
      settle(() => ({
        status: incoming.statusCode ?? 101,
        headers: receivedHeaders(incoming),
        stream: byteStream(socket, head),
        body: null,
      }))
    })
    outgoing.once('response', (incoming) =>
      settle(() => {
        const { status, headers, body } = responseOf(incoming, options.method, signal)
        return { status, headers, body }
      }),
    )
    outgoing.once('error', (error) => {
      clearTimeout(timer)
      reject(signal.aborted ? signal.reason : error)
    })
    outgoing.end()
  })
}

function receivedHeaders({ rawHeaders }: IncomingMessage): LightHeaders {
  const headers = new LightHeaders()
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i] as string, rawHeaders[i + 1] as string)
  return headers
}

/**
 * Breaks a body off with the reason when the signal aborts. node:http closes the connection then, which is a proper end of a body without a length.
 */
function endWith(signal: AbortSignal, incoming: IncomingMessage): void {
  const cut = () => incoming.destroy(signal.reason)
  if (signal.aborted) return void cut()
  signal.addEventListener('abort', cut, { once: true })
  incoming.once('close', () => signal.removeEventListener('abort', cut))
}

function responseOf(incoming: IncomingMessage, method: string, signal: AbortSignal): Response {
  const status = incoming.statusCode ?? 500
  // 101 was not asked for; a Reply has any status of three digits, also those below 100, which are final for Go's client.
  if (status >= 100 && status < 200) {
    incoming.destroy()
    throw new RangeError(`the server answered with the status ${status}`)
  }
  const headers = receivedHeaders(incoming)
  if (method !== 'HEAD' && !isBodyless(status)) {
    const body = new Received(incoming, readInTurns(incoming.socket))
    endWith(signal, incoming)
    return new Reply(body, { status, headers })
  }
  incoming.resume()
  return new Reply(null, { status, headers })
}
