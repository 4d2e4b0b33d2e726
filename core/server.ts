/** The entry point `apiserver/core`: a server is a fetch handler over a store. */
import { type ApiServer, assembleServer } from './assembly/server.ts'
import { validateOptions } from './config/options.ts'
import { portRows, serverOptionConflicts, serverOptionRows } from './option-rows.ts'
import { type ServerOptions, withDefaults } from './options.ts'
import type { Ports } from './ports.ts'

export type { ApiServer } from './assembly/server.ts'
export { OptionError } from './config/options.ts'
export type { ServerOptions } from './options.ts'
export type * from './ports.ts'

/** Creates a server over the given ports; resolves when it is ready to serve. Rejects with an OptionError when an option is invalid. */
export async function createApiServer(ports: Ports, options: ServerOptions = {}): Promise<ApiServer> {
  validateOptions('createApiServer', portRows, ports, { required: ['store', 'clock', 'files', 'outbound', 'telemetry'] })
  validateOptions('createApiServer', serverOptionRows, options, { conflicts: serverOptionConflicts })
  const { table: _table, ...server } = await assembleServer(ports, withDefaults(options))
  return server
}
