/** The way of each traffic class (apiserver/pkg/server/egressselector/egress_selector.go). */
import type { Duplex } from 'node:stream'
import type { EgressConnection } from '../../../core/config/files/egress.ts'
import type { Recorded } from '../../../core/metrics.ts'
import type { Clock, Egress } from '../../../core/ports.ts'
import type { Dial } from '../../wire/client/socket.ts'
import { authorityOf, connectProxy, nameOf, type ProxyAddress, type ProxyTls } from './dial.ts'
import { tunnelThrough } from './http-connect.ts'
import type { egressRows } from './metrics.ts'

/** Absent: connects directly. */
export type Dials = { readonly [E in Egress | 'etcd']?: Dial }

/** Connects to a proxy; the returned function asks it for a connection to `HOST:PORT`. */
interface Way {
  readonly protocol: 'http_connect' | 'grpc'
  readonly transport: 'tcp' | 'uds'
  connect(): Promise<(authority: string) => Promise<Duplex>>
}

/** Host of a CONNECT request, whatever its target (tunnelHTTPConnect). */
const proxyHost = '127.0.0.1'

const throughHttp = (at: ProxyAddress, tls?: ProxyTls): Way => ({
  protocol: 'http_connect',
  transport: 'path' in at ? 'uds' : 'tcp',
  async connect() {
    const socket = await connectProxy(at, tls)
    return (authority) => tunnelThrough(socket, nameOf(at), authority, { Host: proxyHost })
  },
})

const throughKonnectivity = (at: ProxyAddress): Way => ({
  protocol: 'grpc',
  transport: 'uds',
  async connect() {
    const { connectKonnectivity } = await import('./konnectivity.ts')
    return connectKonnectivity(at)
  },
})

/** The way of a validated connection; undefined: direct. `tls`: the files of its TLS settings. */
export function wayOf({ proxyProtocol, transport }: EgressConnection, tls: ProxyTls | undefined): Way | undefined {
  if (transport?.uds !== undefined) {
    const at = { path: transport.uds.udsName }
    return proxyProtocol === 'GRPC' ? throughKonnectivity(at) : throughHttp(at)
  }
  if (transport?.tcp === undefined) return undefined
  const { protocol, hostname, port } = new URL(transport.tcp.url)
  return throughHttp({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || (protocol === 'https:' ? 443 : 80)) }, tls)
}

/** A dial that is measured. */
export function dialBy({ protocol, transport, connect }: Way, metrics: Recorded<typeof egressRows>, clock: Pick<Clock, 'monotonic'>): Dial {
  return async (host, port) => {
    const began = clock.monotonic()
    const failing = (stage: 'connect' | 'proxy') => (error: unknown) => {
      metrics.failures.add([protocol, stage, transport])
      throw error
    }
    metrics.starts.add([protocol, transport])
    const proxy = await connect().catch(failing('connect'))
    const connection = await proxy(authorityOf(host, port)).catch(failing('proxy'))
    metrics.durations.observe([protocol, transport], (clock.monotonic() - began) / 1000)
    return connection
  }
}
