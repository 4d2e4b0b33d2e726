/** Connection files (v1 Config, kubeconfig format): server address and credentials, with the validation rules that clients know. */

import * as z from 'zod/mini'
import { ConfigurationFileError } from '../../config/files/error.ts'
import { bool, list, readFields, text } from '../../config/files/fields.ts'
import { parseText } from '../../config/files/load.ts'
import type { Clock, Egress, Files } from '../../ports.ts'
import { decodeBase64, encodeBase64 } from '../../schema/formats/base64.ts'
import { messageOf } from '../../schema/message-of.ts'
import { cleanUrl, type WebhookConnection } from './connection.ts'

const cluster = z.object({
  server: text,
  'certificate-authority': text,
  'certificate-authority-data': text,
  'insecure-skip-tls-verify': bool,
  'tls-server-name': text,
  'proxy-url': text,
})
const user = z.object({
  'client-certificate': text,
  'client-certificate-data': text,
  'client-key': text,
  'client-key-data': text,
  token: text,
  tokenFile: text,
  username: text,
  password: text,
  exec: z.optional(z.unknown()),
  'auth-provider': z.optional(z.unknown()),
})
const schema = z.object({
  'current-context': text,
  contexts: list(z.object({ name: text, context: z.object({ cluster: text, user: text }) })),
  clusters: list(z.object({ name: text, cluster })),
  users: list(z.object({ name: text, user: z._default(user, user.parse({})) })),
})

type Cluster = z.output<typeof cluster>
type User = z.output<typeof user>

export interface ConnectionPorts {
  readonly files: Files
  readonly clock: Clock
}

/** Milliseconds between reads of a token file: tokens are replaced long before they expire. */
const tokenLife = 60_000

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

/** Returns `Bearer …` with the file's token, reread periodically. */
export function tokenFileHeader(path: string, { files, clock }: ConnectionPorts): () => Promise<string> {
  let known = ''
  let until = 0
  return async () => {
    if (clock.monotonic() >= until) {
      known = `Bearer ${textOf(await files.read(path)).trim()}`
      until = clock.monotonic() + tokenLife
    }
    return known
  }
}

function basic(name: string, password: string): string {
  const bytes = new TextEncoder().encode(`${name}:${password}`)
  return `Basic ${encodeBase64(bytes)}`
}

export interface Users {
  readonly users: ReadonlyMap<string, Omit<WebhookConnection, 'url'>>
  /** User of the current context; empty: none. */
  readonly current: string
}

/** Credentials of each user in a connection file: client certificate, header. Rejects with an Error that names the file and the field. */
export async function loadUsers(path: string, ports: ConnectionPorts): Promise<Users> {
  const { file, pem, fail } = await openFile(path, ports)
  const users = new Map<string, Omit<WebhookConnection, 'url'>>()
  for (const { name, user: identity } of file.users) {
    const authorization = authorizationOf(identity, path, ports, fail)
    users.set(name, { options: await clientOptions(identity, pem, fail), ...(authorization && { authorization }) })
  }
  const current = file.contexts.find(({ name }) => name === file['current-context'])?.context.user ?? ''
  return { users, current }
}

/** Parses the file; also returns a reader for the files that it refers to. */
async function openFile(path: string, { files }: ConnectionPorts): Promise<{ file: z.output<typeof schema>; pem: Pem; fail: Fail }> {
  const fail: Fail = (field, message) => new ConfigurationFileError(path, [{ field, message }])
  const read = readFields(schema, parseText(textOf(await files.read(path)), path))
  if ('problems' in read) throw new ConfigurationFileError(path, read.problems)
  /** The content of an inline field, or of the file that the alternative field names. */
  async function pem(data: string, name: string): Promise<string> {
    try {
      return data !== '' ? textOf(decodeBase64(data)) : name === '' ? '' : textOf(await files.read(beside(path, name)))
    } catch (error) {
      throw fail('', messageOf(error))
    }
  }
  return { file: read.content, pem, fail }
}

/**
 * Loads a connection file and the files that it refers to relative to itself. `egress`: traffic class of its calls. Rejects with an Error that
 * names the file and the field.
 */
export async function loadConnectionFile(path: string, ports: ConnectionPorts, egress?: Egress): Promise<WebhookConnection> {
  const { file, pem, fail } = await openFile(path, ports)
  const current = file['current-context']
  if (current === '') throw fail('current-context', 'Required value')
  const context = file.contexts.find(({ name }) => name === current)?.context
  if (context === undefined) throw fail('current-context', `context ${JSON.stringify(current)} does not exist`)
  const server = file.clusters.find(({ name }) => name === context.cluster)?.cluster
  if (server === undefined) throw fail('contexts', `cluster ${JSON.stringify(context.cluster)} does not exist`)
  const identity = file.users.find(({ name }) => name === context.user)?.user
  if (identity === undefined && context.user !== '') throw fail('contexts', `user ${JSON.stringify(context.user)} does not exist`)

  const authorization = identity && authorizationOf(identity, path, ports, fail)
  return {
    url: urlOf(server, fail),
    options: {
      ...(egress && { egress }),
      ...(await serverOptions(server, pem)),
      ...(identity && (await clientOptions(identity, pem, fail))),
    },
    ...(authorization && { authorization }),
  }
}

type Fail = (field: string, message: string) => Error
type Pem = (data: string, name: string) => Promise<string>

const beside = (path: string, name: string) => (name.startsWith('/') ? name : path.slice(0, path.lastIndexOf('/') + 1) + name)

function urlOf({ server }: Cluster, fail: Fail): string {
  if (server === '') throw fail('clusters', 'server: Required value')
  const url = URL.canParse(server) ? new URL(server) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw fail('clusters', `server: ${JSON.stringify(server)} is not an http(s) URL`)
  return cleanUrl(server)
}

async function serverOptions(server: Cluster, pem: Pem): Promise<WebhookConnection['options']> {
  const authority = await pem(server['certificate-authority-data'], server['certificate-authority'])
  return {
    ...(authority !== '' && { certificateAuthority: authority }),
    ...(server['tls-server-name'] !== '' && { serverName: server['tls-server-name'] }),
    ...(server['proxy-url'] !== '' && { proxy: server['proxy-url'] }),
    ...(server['insecure-skip-tls-verify'] && { insecure: true }),
  }
}

async function clientOptions(identity: User, pem: Pem, fail: Fail): Promise<WebhookConnection['options']> {
  const certificate = await pem(identity['client-certificate-data'], identity['client-certificate'])
  const key = await pem(identity['client-key-data'], identity['client-key'])
  if ((certificate === '') !== (key === '')) throw fail('users', 'client-certificate and client-key go together')
  return certificate === '' ? {} : { clientCertificate: { certificate, key } }
}

function authorizationOf(identity: User, path: string, ports: ConnectionPorts, fail: Fail): (() => Promise<string>) | undefined {
  for (const name of ['exec', 'auth-provider'] as const) if (identity[name]) throw fail('users', `${name} is not supported`)
  const { token, tokenFile, username, password } = identity
  if (username !== '' && (token !== '' || tokenFile !== '')) throw fail('users', 'more than one way to authenticate')
  if (tokenFile !== '') return tokenFileHeader(beside(path, tokenFile), ports)
  const header = token !== '' ? `Bearer ${token}` : username !== '' ? basic(username, password) : ''
  return header === '' ? undefined : async () => header
}
