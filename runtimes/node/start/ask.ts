/** Requests of a command to the server that a connection names. */
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { WebhookConnection } from '../../../core/outgoing/webhook/connection.ts'
import { nodeOutbound } from './ports.ts'

/** Milliseconds until connected. */
const connectTimeout = 10_000

/** The URL of a server, to which paths are added. */
export const baseOf = ({ url }: Pick<WebhookConnection, 'url'>): string => url.replace(/\/$/, '')

/** The answer to a request, by default a GET, with the credentials of the connection. Rejects when there is none. */
export async function ask(
  connection: WebhookConnection,
  path: string,
  accept: string,
  init: Pick<RequestInit, 'method' | 'body'> = {},
): Promise<Response> {
  const header = await connection.authorization?.()
  const headers = { accept, ...(header !== undefined && { authorization: header }) }
  return nodeOutbound.fetch(new Request(baseOf(connection) + path, { ...init, headers }), { ...connection.options, connectTimeout })
}

/** The connection file that clients use when they are given none. */
export const usualConnectionFile = (): string => process.env['KUBECONFIG'] || join(homedir(), '.kube/config')
