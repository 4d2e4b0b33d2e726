import type { MaybePromise } from '../../common/maybe-promise.ts'
import { type ServerOptions, validateServerOptions, withDefaults } from '../../options/index.ts'
import { portRows } from '../../options/ports.ts'
import { validateOptions } from '../../options/validate.ts'
import type { HostPorts, OpenStores, Ports } from '../../ports.ts'
import type { ApiServer, StartingServer } from '../api-server.ts'
import { prepareServer } from '../server.ts'
import type { Features } from './features.ts'

/** The stores of a server whose caller has opened them. */
export const opened =
  ({ store, overrides }: Ports) =>
  (): OpenStores => ({ store, ...(overrides && { overrides }) })

/** Prepares a server for a public function, `caller`. Throws an OptionError when an option is invalid. */
export function prepare(
  features: Partial<Features>,
  caller: string,
  ports: HostPorts,
  open: () => MaybePromise<OpenStores>,
  options: ServerOptions,
): StartingServer {
  validateServerOptions(caller, options)
  const { start, wake: _wake, wakeAt: _wakeAt, isIdle: _isIdle, ...server } = prepareServer(features, ports, open, withDefaults(options))
  return { ...server, start: async () => void (await start()) }
}

/** Creates a server over the given ports; resolves when it is ready to serve. Rejects with an OptionError when an option is invalid. */
export async function createServer(features: Partial<Features>, ports: Ports, options: ServerOptions): Promise<ApiServer> {
  validateOptions('createApiServer', portRows, ports, { required: ['store', 'clock', 'files', 'outbound', 'telemetry'] })
  const { start, ...server } = prepare(features, 'createApiServer', ports, opened(ports), options)
  await start()
  return server
}
