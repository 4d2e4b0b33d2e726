/** The package's main entry: a server inside your program, with no port opened. */
import type { Ports } from '../../core/ports.ts'
import { type ApiServer, createApiServer as create, type ServerOptions } from '../../core/server.ts'
import { consoleLogger, noFiles, webClock, webOutbound } from './ports.ts'

export type { ApiServer, ServerOptions } from '../../core/server.ts'
export { memoryStore } from '../stores/memory.ts'

/** The store, and whatever port the program brings itself; the others come from Web APIs. */
export type EmbeddedOptions = ServerOptions & Pick<Ports, 'store'> & Partial<Omit<Ports, 'store'>>

/**
 * Makes a server and resolves when it is ready:
 * `const server = await createApiServer({ store: memoryStore() })`, then `await server.fetch(new Request('http://x/api/v1/namespaces'))`.
 * Without options everybody may do everything.
 */
export function createApiServer({ store, overrides, clock, files, outbound, telemetry, ...options }: EmbeddedOptions): Promise<ApiServer> {
  const ports: Ports = {
    store,
    ...(overrides && { overrides }),
    clock: clock ?? webClock,
    files: files ?? noFiles,
    outbound: outbound ?? webOutbound,
    telemetry: telemetry ?? { logger: consoleLogger },
  }
  return create(ports, options)
}
