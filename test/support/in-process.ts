/** Servers in this process, and clients of them. */
import { after, before, type TestContext } from 'node:test'
import type { Connection } from '../../core/ports.ts'
import type { ApiServer } from '../../core/server.ts'
import { createApiServer, type EmbeddedOptions, memoryStore } from '../../runtimes/web/index.ts'
import { type Api, apiOf } from './api.ts'
import type { Fetch } from './tls-fetch.ts'

const fetchOn =
  (server: Pick<ApiServer, 'fetch'>, connection?: Connection): Fetch =>
  async (path, init) =>
    server.fetch(new Request(`http://in-process${path}`, init), connection)

/** A client of the server; without a connection it is in-process. */
export const apiOn = (server: Pick<ApiServer, 'fetch'>, connection?: Connection): Api => apiOf(fetchOn(server, connection))

/** A client of the server that sends a bearer token. */
export const apiAs = (server: Pick<ApiServer, 'fetch'>, token: string): Api =>
  apiOf((path, init) => {
    const headers = new Headers(init?.headers)
    headers.set('authorization', `Bearer ${token}`)
    return fetchOn(server)(path, { ...init, headers })
  })

export interface InProcess {
  readonly server: ApiServer
  /** As an administrator; paths start with a slash. */
  readonly api: Api
  readonly fetch: Fetch
  /** May be called more than once. */
  close(): Promise<void>
}

/**
 * Starts a server in this process, by default over an empty store in memory; it closes at the end of the test `t`. It keeps the process alive
 * until it is closed, which its own timers and the lack of a socket don't.
 */
export async function startInProcess(options: Partial<EmbeddedOptions> = {}, t?: Pick<TestContext, 'after'>): Promise<InProcess> {
  const created = await createApiServer({ store: memoryStore(), ...options })
  const alive = setInterval(() => {}, 60_000)
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= created.close().finally(() => clearInterval(alive))
    return closed
  }
  t?.after(close)
  const server = { ...created, close }
  const fetch = fetchOn(server)
  return { server, api: apiOf(fetch), fetch, close }
}

/** A client of a server that starts before the tests of the file (or suite) and closes after them. Default: an empty memory store. */
export function serverForTests(options: Partial<EmbeddedOptions> = {}): Api {
  let started: InProcess | undefined
  before(async () => {
    started = await startInProcess(options)
  })
  after(() => started?.close())
  return apiOf(async (path, init) => {
    if (started === undefined) throw new Error('the server has not started yet')
    return started.fetch(path, init)
  })
}
