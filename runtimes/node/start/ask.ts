/** Requests of a command to the server that a connection names. */
import type { WebhookConnection } from '../../../core/outgoing/webhook/connection.ts'
import { nodeOutbound } from './ports.ts'

/** Milliseconds until connected. */
const connectTimeout = 10_000

/** The URL of a server, to which paths are added. */
export const baseOf = ({ url }: Pick<WebhookConnection, 'url'>): string => url.replace(/\/$/, '')

/** The answer to a GET with the credentials of the connection. Rejects when there is none. */
export async function ask(connection: WebhookConnection, path: string, accept: string): Promise<Response> {
  const header = await connection.authorization?.()
  const headers = { accept, ...(header !== undefined && { authorization: header }) }
  return nodeOutbound.fetch(new Request(baseOf(connection) + path, { headers }), { ...connection.options, connectTimeout })
}
