/** Which server a request is for: by its path, `/servers/NAME/…`, or by the host name `NAME.servers.localhost`, of the TLS handshake or the Host header. */

import type { Connection } from '../../../core/ports.ts'
import { targetOf } from '../../../core/request/target.ts'

/** Names of servers: DNS labels (RFC 1123). */
export const serverName = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/

export const hostSuffix = '.servers.localhost'
export const pathPrefix = '/servers/'

export interface Place {
  readonly name: string
  /** Path and query below the server, byte for byte; nothing is decoded, and dot segments stay as they are. */
  readonly target: string
}

/** The label in front of the suffix; undefined: it is another host. */
function labelOf(host: string | null | undefined): string | undefined {
  const name = host?.toLowerCase().replace(/:\d+$/, '')
  return name?.endsWith(hostSuffix) ? name.slice(0, -hostSuffix.length) : undefined
}

/** The server of a request; undefined: it is for the interface. */
export function placeOf(request: Request, connection: Connection): Place | undefined {
  const target = targetOf(request)
  const name = labelOf(connection.tls?.serverName) ?? labelOf(request.headers.get('host'))
  if (name !== undefined) return { name, target }
  if (!target.startsWith(pathPrefix)) return undefined
  const rest = target.slice(pathPrefix.length)
  const end = rest.search(/[/?]/)
  if (end < 0) return { name: rest, target: '/' }
  return { name: rest.slice(0, end), target: rest[end] === '?' ? `/${rest.slice(end)}` : rest.slice(end) }
}
