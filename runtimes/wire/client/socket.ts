import { connect, isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { Dialed } from './dialed.ts'

/** Opens a connection to a host, an IPv6 address without brackets. Rejects within a bounded time when there is none. */
export type Dial = (host: string, port: number) => Promise<Duplex>

/** PEM texts. */
export interface TlsOptions {
  /** CA bundle; absent: the host's roots. */
  readonly ca?: string | undefined
  readonly cert?: string | undefined
  readonly key?: string | undefined
}

/**
 * Every certificate of a bundle is a trust anchor, an intermediate or the server's own included, as in Go's crypto/x509: controller-runtime's
 * envtest gives the serving certificate as a webhook's caBundle. No effect on Deno and before Node 20.18: authorities only.
 */
export const trustAnchors = { allowPartialTrustChain: true } as const

/** Address of a server. */
export interface Address {
  readonly secure: boolean
  /** Value of `:authority`. */
  readonly authority: string
  readonly at: { readonly host: string; readonly port: number } | { readonly path: string }
}

/** Parses a server as etcd's client does: `http`, `https`, `unix` or `unixs` before `://`, or just host and port. */
export function addressOf(server: string): Address {
  const [, scheme = 'http', rest = ''] = /^(?:([a-z]+):\/\/)?(.*)$/.exec(server) ?? []
  const secure = scheme === 'https' || scheme === 'unixs'
  if (scheme.startsWith('unix')) return { secure, authority: 'localhost', at: { path: rest } }
  const { host, hostname, port } = new URL(`${scheme}://${rest}`)
  return { secure, authority: host, at: { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || (secure ? 443 : 80)) } }
}

export interface SocketOptions extends TlsOptions {
  /** Connects to servers that have a host; absent: directly. */
  readonly dial?: Dial | undefined
}

/** Opens a socket; calls `connected` when data can be sent, over TLS after the server's certificate is verified. */
export function openSocket({ secure, at }: Address, { dial, ca, cert, key }: SocketOptions, connected: () => void): Duplex {
  const dialed = dial && 'host' in at ? new Dialed(dial(at.host, at.port)) : undefined
  if (!secure) return dialed?.once('connect', connected) ?? connect({ ...at, noDelay: true }, connected)
  const host = 'host' in at ? at.host : 'localhost'
  // SNI takes names only, not addresses (RFC 6066, section 3).
  const servername = isIP(host) === 0 ? host : ''
  const to = dialed ? { socket: dialed } : at
  const socket = connectTls({ ...trustAnchors, ca, cert, key, ...to, host, servername, ALPNProtocols: ['h2'] }, () => {
    socket.setNoDelay()
    if (socket.alpnProtocol === 'h2') connected()
    else socket.destroy(new Error('the server does not speak HTTP/2'))
  })
  return socket
}
