/** Starts a server with the options of the core, which are objects where those of the package are data. */
import type { Ports } from '../../core/ports.ts'
import { type ApiServer, createApiServer, type ServerOptions } from '../../core/server.ts'
import { memoryStore } from '../../runtimes/web/index.ts'
import { consoleLogger, noFiles, webClock, webOutbound } from '../../runtimes/web/ports.ts'

export function startCore(options: ServerOptions, ports: Partial<Ports> = {}): Promise<ApiServer> {
  const telemetry = { logger: consoleLogger }
  return createApiServer({ store: memoryStore(), clock: webClock, files: noFiles, outbound: webOutbound, telemetry, ...ports }, options)
}
