/** `apiserver hosts` in this process, and its clients. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hostsFlags } from '../../../../runtimes/node/hosts/flags.ts'
import { startHosts } from '../../../../runtimes/node/hosts/start.ts'
import { readFlags } from '../../../../runtimes/node/start/command-flags.ts'
import { nodeLogger } from '../../../../runtimes/node/start/ports.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { type Fetch, tlsFetch } from '../../../support/tls-fetch.ts'
import { eventually } from '../../../support/wait.ts'

export interface Answer {
  readonly code: number
  readonly headers: Headers
  readonly text: string
  /** The text as JSON; without members if it is none. */
  readonly body: Body
}

interface Named {
  readonly name: string
  readonly uid: string
  readonly creationTimestamp: string
}

/** What tests read of bodies: a Status, a server or something else of the interface, an object, a list. */
export interface Body {
  readonly kind: string
  readonly reason: string
  readonly message: string
  readonly name: string
  readonly url: string
  readonly awake: boolean
  readonly requestsInFlight: number
  readonly limits: { readonly storedBytes: number }
  readonly servers: readonly { readonly name: string }[]
  readonly snapshots: readonly string[]
  readonly faults: readonly object[]
  readonly requests: readonly Readonly<Record<string, unknown>>[]
  readonly time: string
  readonly openapi: string
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } }
  readonly metadata: Named
  readonly status: { readonly token: string }
  readonly items: readonly { readonly metadata: Named }[]
}

interface Operation {
  readonly operationId: string
  readonly requestBody: { readonly content: { readonly [type: string]: { readonly schema: { readonly required: readonly string[] } } } }
}

export interface TestHosts {
  readonly url: string
  readonly directory: string
  readonly token: string
  readonly ca: string
  /** Sends a request with a bearer token, by default that of the interface; an empty one: none. The body is JSON unless it is a text. */
  ask(
    method: string,
    path: string,
    body?: unknown,
    options?: { readonly token?: string; readonly headers?: Record<string, string> },
  ): Promise<Answer>
  /** The path of a file with the kubeconfig of a server, and the token in it. */
  kubeconfig(name: string, query?: string): Promise<{ readonly path: string; readonly token: string; readonly config: KubeConfig }>
  readonly fetch: Fetch
  /** Resolves when a server has no request in flight. */
  settled(name: string): Promise<void>
  close(): Promise<void>
}

export interface KubeConfig {
  readonly clusters: readonly { readonly cluster: { readonly server: string; readonly 'tls-server-name'?: string } }[]
  readonly users: readonly { readonly user: { readonly token: string } }[]
}

/** The client's side of a process that serves at a URL, whose files are in a directory. */
export function clientOf(url: string, directory: string): Omit<TestHosts, 'close'> & { close(): void } {
  const token = readFileSync(join(directory, 'token'), 'utf8').trim()
  const ca = readFileSync(join(directory, 'ca.crt'), 'utf8')
  const client = tlsFetch(url, { ca })
  async function ask(method: string, path: string, body?: unknown, options: { token?: string; headers?: Record<string, string> } = {}) {
    const credential = options.token ?? token
    const headers = {
      ...(credential !== '' && { authorization: `Bearer ${credential}` }),
      ...(body !== undefined && { 'content-type': typeof body === 'string' ? 'application/yaml' : 'application/json' }),
      ...options.headers,
    }
    const response = await client.fetch(path, {
      method,
      headers,
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '')
    return { code: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} }
  }
  return {
    url,
    directory,
    token,
    ca,
    ask,
    fetch: client.fetch,
    async kubeconfig(name, query = '') {
      const { code, text } = await ask('GET', `/hosts/v1/servers/${name}/kubeconfig${query}`)
      if (code !== 200) throw new Error(text)
      const path = join(directory, `${name}.kubeconfig`)
      writeFileSync(path, text)
      const config = JSON.parse(text) as KubeConfig
      return { path, token: config.users[0]?.user.token ?? '', config }
    },
    async settled(name) {
      await eventually(
        `${name} has no request in flight`,
        async () => (await ask('GET', `/hosts/v1/servers/${name}`)).body.requestsInFlight === 0,
      )
    },
    close: client.close,
  }
}

export const filesIn = (directory: string) => [`--token-file=${join(directory, 'token')}`, `--ca-file=${join(directory, 'ca.crt')}`]

/** Starts on any free port; errors go to the console. */
export async function hosts(...flags: readonly string[]): Promise<TestHosts> {
  const temporary = temporaryDirectory('hosts')
  const values = readFlags(hostsFlags, ['--secure-port=0', ...filesIn(temporary.path), ...flags])
  const server = await startHosts(values, nodeLogger(0))
  const client = clientOf(server.url, temporary.path)
  return {
    ...client,
    async close() {
      client.close()
      await server.close()
      temporary.remove()
    },
  }
}
