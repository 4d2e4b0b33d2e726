/** The fixed paths: discovery, OpenAPI, health, version, metrics. */
import { Hono } from 'hono'
import type { Platform } from '../platform.ts'
import type { Clock } from '../ports.ts'
import type { ResourceTable } from '../registry/served.ts'
import { noSuchResource } from '../respond/status.ts'
import { createDiscovery } from './discovery.ts'
import type { Health } from './health.ts'
import type { MetricsRegistry } from './metrics.ts'
import { createOpenApiV2 } from './openapi/v2.ts'
import { createOpenApiV3 } from './openapi/v3.ts'
import { createRoot } from './root.ts'
import type { ServedResources } from './served.ts'
import { type VersionInfo, versionResponse } from './version.ts'

export interface MetaOptions {
  readonly table: ResourceTable
  readonly platform: Platform
  readonly clock: Clock
  readonly version: VersionInfo
  readonly health: Health
  readonly metrics: MetricsRegistry
  readonly serverAddress: string
  /** Further documents by path, such as the issuer's discovery. */
  readonly others?: { readonly [path: string]: () => Response | Promise<Response> }
}

/** Answers requests outside of the resources; rejects with 404 where there is nothing. */
export type Meta = (request: Request) => Response | Promise<Response>

export function createMeta(options: MetaOptions): Meta {
  const { table, platform, clock, version, health, metrics, others = {} } = options
  const served: ServedResources = {
    get revision() {
      return table.revision
    },
    definitions: () => table.all().map(({ definition }) => definition),
  }
  const discovery = createDiscovery({ served, platform, serverAddress: options.serverAddress })
  const openApi = { served, platform, clock, info: { title: platform.title, version: version.gitVersion } }
  const v2 = createOpenApiV2(openApi)
  const v3 = createOpenApiV3(openApi)
  const fixed = ['/metrics', '/openapi/v2', '/openapi/v3', '/openapi/v3/', '/version', ...Object.keys(others), ...health.paths]
  const root = createRoot(served, platform, fixed)

  type Respond = (request: Request, url: URL) => Response | Promise<Response> | undefined
  const app = new Hono({ strict: false })
  const mount = (paths: readonly string[], respond: Respond) => {
    for (const path of paths) app.get(path, (context) => respond(context.req.raw, new URL(context.req.url)) ?? context.notFound())
  }
  mount(['/'], () => root())
  mount(['/version'], () => versionResponse(version))
  mount(['/metrics'], () => metrics.respond())
  mount(['/healthz', '/healthz/*', '/livez', '/livez/*', '/readyz', '/readyz/*'], (_request, url) => health.respond(url))
  mount(['/api', '/api/*', '/apis', '/apis/*'], discovery.respond)
  mount(['/openapi/v2', '/swagger-2.0.0.pb-v1'], v2.respond)
  mount(['/openapi/v3', '/openapi/v3/*'], v3.respond)
  for (const [path, respond] of Object.entries(others)) mount([path], respond)
  app.notFound(() => {
    throw noSuchResource()
  })
  app.onError((error) => {
    throw error
  })
  return (request) => app.fetch(request)
}
