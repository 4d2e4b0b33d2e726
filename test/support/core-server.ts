/** Starts a server with the options of the core; tests may also replace what options mean. */
import { type AssembledServer, assembleServer } from '../../core/assembly/server.ts'
import type { Apis } from '../../core/config/apis.ts'
import { withDefaults } from '../../core/options/index.ts'
import type { Ports } from '../../core/ports.ts'
import type { ServerOptions } from '../../core/server.ts'
import { memoryStore } from '../../runtimes/web/index.ts'
import { consoleLogger, noFiles, webClock, webOutbound } from '../../runtimes/web/ports.ts'

export type CoreOptions = ServerOptions & Partial<Omit<Apis, 'watchList'>>

export function startCore({ gates, serves, ...options }: CoreOptions, ports: Partial<Ports> = {}): Promise<AssembledServer> {
  const telemetry = { logger: consoleLogger }
  const base = { store: memoryStore(), clock: webClock, files: noFiles, outbound: webOutbound, telemetry }
  const complete = withDefaults(options)
  const apis = { ...complete.apis, ...(gates && { gates }), ...(serves && { serves }) }
  return assembleServer({ ...base, ...ports }, { ...complete, apis })
}
