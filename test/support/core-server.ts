/** Starts a server with the options of the core, which are objects where those of the package are data. */
import { type AssembledServer, assembleServer } from '../../core/assembly/server.ts'
import { withDefaults } from '../../core/options/index.ts'
import type { Ports } from '../../core/ports.ts'
import type { ServerOptions } from '../../core/server.ts'
import { memoryStore } from '../../runtimes/web/index.ts'
import { consoleLogger, noFiles, webClock, webOutbound } from '../../runtimes/web/ports.ts'

export function startCore(options: ServerOptions, ports: Partial<Ports> = {}): Promise<AssembledServer> {
  const telemetry = { logger: consoleLogger }
  const base = { store: memoryStore(), clock: webClock, files: noFiles, outbound: webOutbound, telemetry }
  return assembleServer({ ...base, ...ports }, withDefaults(options))
}
