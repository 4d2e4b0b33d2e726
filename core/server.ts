/** The entry point `fetch-apiserver/core`: a server is a fetch handler over a store. */
import type { ApiServer } from './assembly/api-server.ts'
import { assembleServer, prepareServer } from './assembly/server.ts'
import { Shared } from './common/shared.ts'
import { allOptions, type ServerOptions, validateServerOptions, withDefaults } from './options/index.ts'
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
  const { table: _table, wake: _wake, isIdle: _isIdle, ...server } = await assembleServer(ports, withDefaults(options))
  return server
}

/** A server of a family. */
export interface FamilyServer extends ApiServer {
  /** Starts controllers, timers and other work beside requests, of a server that continues a state. Later calls do nothing. */
  wake(): Promise<void>
  /** Whether the work queues of controllers are empty. */
  isIdle(): boolean
}

/** Servers with the same options, whose state differs. */
export interface ServerFamily {
  /**
   * Resolves when the server is ready to serve. `continues`: its store has the state of a server of this family, such as a snapshot of it; then
   * nothing is prepared, and what works beside requests starts at `wake`.
   */
  start(ports: Ports, continues: boolean): Promise<FamilyServer>
}

/** Servers over stores of their own, which share what depends on the options alone. The options must be valid (`createApiServer` tells). */
export function createServerFamily(given: ServerOptions): ServerFamily {
  const options = withDefaults(given)
  const shared = new Shared(options)
  return {
    async start(ports, continues) {
      // Each server counts for itself.
      const general = { ...options.general, metrics: given.metrics ?? allOptions.metrics.initial(options.general.platform) }
      const { table: _table, ...server } = await assembleServer(ports, { ...options, general }, { shared, continues })
      return server
    },
  }
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
  const { start, wake: _wake, isIdle: _isIdle, ...server } = prepareServer(ports, open, withDefaults(options))
  return { ...server, start: async () => void (await start()) }
}
