/** Connections to servers, through a proxy or not. */
import { connect, isIP, type NetConnectOpts, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { type TlsOptions, trustAnchors } from '../../wire/client/socket.ts'

/** Milliseconds to connect to a proxy, and again for its answer; as of Go's default transport and of konnectivity's client. */
export const dialTimeout = 30_000

/** `HOST:PORT` */
export const authorityOf = (host: string, port: number | string) => `${host.includes(':') ? `[${host}]` : host}:${port}`

/** Where a proxy listens. */
export type ProxyAddress = { readonly host: string; readonly port: number } | { readonly path: string }

/** The address in errors. */
export const nameOf = (at: ProxyAddress) => ('path' in at ? at.path : authorityOf(at.host, at.port))

const reasons: { readonly [code: string]: string } = {
  EACCES: 'connect: permission denied',
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ENOENT: 'connect: no such file or directory',
  ETIMEDOUT: 'i/o timeout',
}

/**
 * The error of a connection, in the words of Go's net package when there is none. Then it has no code, as that would be taken for one of the
 * server behind the proxy.
 */
function dialError(error: unknown, at: ProxyAddress): unknown {
  const reason = reasons[(error as NodeJS.ErrnoException).code ?? '']
  return reason === undefined ? error : new Error(`dial ${'path' in at ? 'unix' : 'tcp'} ${nameOf(at)}: ${reason}`, { cause: error })
}

/** Resolves when the event occurs. Destroys the stream and rejects when it breaks before, or when `limit` milliseconds have passed. */
export function ready<T extends Duplex>(stream: T, event: string, limit: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error) => {
      clearTimeout(timer)
      stream.off(event, settled).off('error', settle).off('close', closed)
      if (error === undefined) return resolve(stream)
      // It may break once more while it closes.
      stream.on('error', () => undefined).destroy()
      reject(error)
    }
    const timer = setTimeout(() => settle(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' })), limit)
    const settled = () => settle()
    const closed = () => settle(new Error('the connection was closed'))
    stream.on(event, settled).on('error', settle).on('close', closed)
  })
}

export interface ProxyTls extends TlsOptions {
  /** Name to send and to verify; absent: the host. */
  readonly serverName?: string | undefined
}

/** Connects to a proxy; with TLS if it is given. Rejects with an Error that names the address. */
export async function connectProxy(at: ProxyAddress, tls: ProxyTls | undefined, limit = dialTimeout): Promise<Socket> {
  try {
    if (tls === undefined) return await ready(connect({ ...at, noDelay: true } as NetConnectOpts), 'connect', limit)
    const { serverName, ...files } = tls
    const host = serverName ?? ('host' in at ? at.host : 'localhost')
    // SNI takes names only, not addresses (RFC 6066, section 3).
    const servername = isIP(host) === 0 ? host : ''
    return await ready(connectTls({ ...trustAnchors, ...files, ...at, servername }), 'secureConnect', limit)
  } catch (error) {
    throw dialError(error, at)
  }
}
