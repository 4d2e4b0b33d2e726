/** The entry point `apiserver/core`: a server is a fetch handler over a store. */
import { type ApiServer, assembleServer } from './assembly/server.ts'
import { type ServerOptions, withDefaults } from './options.ts'
import type { Ports } from './ports.ts'

export type { ApiServer } from './assembly/server.ts'
export type { ServerOptions } from './options.ts'
export type * from './ports.ts'

/** Creates a server over the given ports; resolves when it is ready to serve. */
export async function createApiServer(ports: Ports, options: ServerOptions = {}): Promise<ApiServer> {
  const { fetch, answer, close } = await assembleServer(ports, withDefaults(options))
  return { fetch, answer, close }
}
