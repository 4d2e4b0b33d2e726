/** Servers for tests that replace what options mean, or the table of resources. All others start with `in-process.ts`, as users start one. */

import type { ApiServer } from '../../core/assembly/api-server.ts'
import { allFeatures } from '../../core/assembly/features/all-features.ts'
import { prepareServer } from '../../core/assembly/server.ts'
import type { Apis } from '../../core/config/apis.ts'
import type { LiveTable } from '../../core/objects/registry/table.ts'
import { withDefaults } from '../../core/options/index.ts'
import type { Ports } from '../../core/ports.ts'
import type { ServerOptions } from '../../core/server.ts'
import { memoryStore } from '../../runtimes/web/index.ts'
import { consoleLogger, noFiles, webClock, webOutbound } from '../../runtimes/web/ports.ts'

/** A server with its table of resources, `replace` of which changes what is served. */
export interface AssembledServer extends ApiServer {
  readonly table: LiveTable
}

export type CoreOptions = ServerOptions & Partial<Omit<Apis, 'watchList'>>

export async function startCore({ gates, serves, ...options }: CoreOptions, ports: Partial<Ports> = {}): Promise<AssembledServer> {
  const telemetry = { logger: consoleLogger }
  const base = { store: memoryStore(), clock: webClock, files: noFiles, outbound: webOutbound, telemetry }
  const complete = withDefaults(options)
  const apis = { ...complete.apis, ...(gates && { gates }), ...(serves && { serves }) }
  const { store, overrides, ...host } = { ...base, ...ports }
  const { start, ...server } = prepareServer(allFeatures, host, () => ({ store, ...(overrides && { overrides }) }), {
    ...complete,
    apis,
  })
  const { table } = await start()
  return { ...server, table }
}
