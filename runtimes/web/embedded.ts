/** Servers inside a program: the ports that its options name, and defaults for the others. */
import { createServer } from '../../core/assembly/features/create.ts'
import type { Features } from '../../core/assembly/features/features.ts'
import { validateServerOptions } from '../../core/options/index.ts'
import { portRows } from '../../core/options/ports.ts'
import type { Ports } from '../../core/ports.ts'
import type { ApiServer } from '../../core/server.ts'
import type { EmbeddedOptions } from './embedded-options.ts'
import { consoleLogger, noFiles, webClock, webOutbound } from './ports.ts'

/** Creates a server with these features. Rejects with an OptionError, before anything starts, when an option is invalid or unknown. */
export async function createEmbedded(features: Partial<Features>, given: EmbeddedOptions): Promise<ApiServer> {
  validateServerOptions('createApiServer', given, portRows, ['store'])
  const { store, overrides, clock, files, outbound, telemetry, ...options } = given
  const ports: Ports = {
    store,
    ...(overrides && { overrides }),
    clock: clock ?? webClock,
    files: files ?? noFiles,
    outbound: outbound ?? webOutbound,
    telemetry: telemetry ?? { logger: consoleLogger },
  }
  return createServer(features, ports, options)
}
