/** The entry point `fetch-apiserver/core`: a server is a fetch handler over a store. */
import type { ApiServer } from './assembly/api-server.ts'
import { assembleServer, prepareServer } from './assembly/server.ts'
import { type ServerOptions, validateServerOptions, withDefaults } from './options/index.ts'
import { portRows } from './options/ports.ts'
import { validateOptions } from './options/validate.ts'
import type { HostPorts, OpenStores, Ports } from './ports.ts'

export type { ApiServer } from './assembly/api-server.ts'
export type { ServerOptions } from './options/index.ts'
export { OptionError } from './options/validate.ts'
export type * from './ports.ts'

/** Creates a server over the given ports; resolves when it is ready to serve. Rejects with an OptionError when an option is invalid. */
export async function createApiServer(ports: Ports, options: ServerOptions = {}): Promise<ApiServer> {
  validateOptions('createApiServer', portRows, ports, { required: ['store', 'clock', 'files', 'outbound', 'telemetry'] })
  validateServerOptions('createApiServer', options)
  const { table: _table, ...server } = await assembleServer(ports, withDefaults(options))
  return server
}

/** A server that is not started yet. It answers health checks, and everything else with 503. */
export interface StartingServer extends ApiServer {
  /** Opens the stores, and resolves when the server is ready to serve. Rejects when it can't start; then nothing is left behind. */
  start(): Promise<void>
}

/**
 * Prepares a server for listeners that open before the store does, so that clients can ask what is missing. `open` opens the stores when the
 * server starts; the caller closes them. Throws an OptionError when an option is invalid.
 */
export function prepareApiServer(ports: HostPorts, open: () => Promise<OpenStores>, options: ServerOptions): StartingServer {
  validateServerOptions('prepareApiServer', options)
  const { start, ...server } = prepareServer(ports, open, withDefaults(options))
  return { ...server, start: async () => void (await start()) }
}
