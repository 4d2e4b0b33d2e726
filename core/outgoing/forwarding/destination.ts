import type { OutboundOptions } from '../../ports.ts'
import { LightRequest } from '../../request/light-request.ts'
import { parseAddress } from '../../schema/ip.ts'
import { addressOf, hostOf } from '../webhook/url-parts.ts'

/** Where a request is forwarded to. */
export interface Destination {
  /** Scheme, host and port. */
  readonly origin: URL
  /** Path and query, as they are sent. */
  readonly target: string
  /** `HOST:PORT` to connect to; absent: those of the origin. */
  readonly address?: string
  /** Certificates and timeouts. */
  readonly options: OutboundOptions
}

/** The URL in messages. */
export const urlOf = ({ origin, target }: Destination) => `${origin.protocol}//${origin.host}${target}`

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
 * URL and options of a call that sends the client's Host header, as the reference does; null: the destination's. It connects to the
 * destination, and the destination's certificate must be valid for the destination's host, unless its options name a server.
 */
export function keepingHost(destination: Destination, host: string | null): { url: string; options: OutboundOptions } {
  const { origin, target, address = addressOf(origin), options } = destination
  const own = `${origin.protocol}//${host}`
  const serverName = options.serverName ?? (parseAddress(hostOf(origin)) ? '' : hostOf(origin))
  const known = host && URL.canParse(own) ? own : origin.href
  return { url: known, options: { ...options, target, serverName, address } }
}
