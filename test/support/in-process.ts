/** Clients of servers in this process. */
import { after, before } from 'node:test'
import type { ApiServer } from '../../core/server.ts'
import { createApiServer, type EmbeddedOptions, memoryStore } from '../../runtimes/web/index.ts'
import { type Api, apiOf } from './api.ts'

/** A client of the server. */
export const apiOn = (server: Pick<ApiServer, 'fetch'>): Api =>
  apiOf(async (path, init) => server.fetch(new Request(`http://in-process${path}`, init)))

/** A client of a server that starts before the tests of the file (or suite) and closes after them. Default: an empty memory store. */
export function serverForTests(options: Omit<EmbeddedOptions, 'store'> = {}): Api {
  let server: ApiServer | undefined
  before(async () => {
    server = await createApiServer({ store: memoryStore(), ...options })
  })
  after(() => server?.close())
  return apiOf(async (path, init) => {
    if (server === undefined) throw new Error('the server has not started yet')
    return server.fetch(new Request(`http://in-process${path}`, init))
  })
}
