import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** PEM texts. */
export interface TlsOptions {
  /** Absent: the host's roots. */
  readonly ca?: string | undefined
  readonly cert?: string | undefined
  readonly key?: string | undefined
}

/** `server` is a URL of http or https. Calls back when bytes may be sent; over TLS that is after the server has shown who it is. */
export function openSocket(server: string, tls: TlsOptions, connected: () => void): Socket {
  const { protocol, hostname, port } = new URL(server)
  const host = hostname.replace(/^\[|\]$/g, '')
  if (protocol === 'http:') return connect({ host, port: Number(port || 80) }, connected).setNoDelay()
  const { ca, cert, key } = tls
  // A server is asked for by name, never by address (RFC 6066, section 3).
  const servername = isIP(host) === 0 ? host : ''
  const socket = connectTls({ ca, cert, key, host, port: Number(port || 443), servername, ALPNProtocols: ['h2'] }, () => {
    if (socket.alpnProtocol === 'h2') connected()
    else socket.destroy(new Error('the server does not speak HTTP/2'))
  })
  return socket.setNoDelay()
}
