import type { Context, OutboundOptions } from '../../ports.ts'
import { LightRequest } from '../../request/light-request.ts'
import { parseAddress } from '../../schema/formats/ip.ts'
import { addressOf, hostOf } from '../url-parts.ts'

/** Where a request goes on, and how the connection is secured. */
export interface Destination {
  /** Scheme, host and port, as messages name them. */
  readonly origin: URL
  /** Path and query as they are sent (`target`), the address if it is another one than the origin's, certificates and timeouts. */
  readonly options: OutboundOptions
}

/** Milliseconds to connect to a server, as of Go's default transport. */
export const connectTimeout = 30_000

/** Finds a server. Rejects with an Error when it has no address. */
export type Connect<Server> = (server: Server, context: Context | undefined) => Promise<Destination>

/** The destination with a path and query. */
export const at = ({ origin, options }: Destination, target: string): Destination => ({ origin, options: { ...options, target } })

/** `HOST:PORT` to connect to. */
export const connectedAddress = ({ origin, options }: Destination) => options.address ?? addressOf(origin)

/** The URL in messages. */
export const urlOf = ({ origin, options }: Destination) => `${origin.protocol}//${origin.host}${options.target}`

/** Path and query of a received request, byte for byte. */
export function targetOf(request: Request): string {
  const target = LightRequest.target(request)
  if (target !== undefined) return target
  const { pathname, search } = new URL(request.url)
  return pathname + search
}

/** The query of a received request with its question mark, byte for byte; empty: none. */
export function queryOf(request: Request): string {
  const target = targetOf(request)
  const at = target.indexOf('?')
  return at < 0 ? '' : target.slice(at)
}

/**
 * A destination that gets the client's Host header, as in the reference; null: its own. Connections go to the original destination, whose
 * certificate must be valid for its host, unless its options name a server.
 */
export function keepingHost(destination: Destination, host: string | null): Destination {
  const { origin, options } = destination
  const asked = `${origin.protocol}//${host}`
  const serverName = options.serverName ?? (parseAddress(hostOf(origin)) ? '' : hostOf(origin))
  return {
    origin: host && URL.canParse(asked) ? new URL(asked) : origin,
    options: { ...options, serverName, address: connectedAddress(destination) },
  }
}
