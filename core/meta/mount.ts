/** Fixed paths: discovery, OpenAPI, health, version, metrics. */
import { TrieRouter } from 'hono/router/trie-router'
import type { MaybePromise } from '../maybe-promise.ts'
import type { Platform } from '../platform.ts'
import type { Clock } from '../ports.ts'
import type { ResourceTable } from '../registry/served.ts'
import type { Exchange } from '../request/exchange.ts'
import { ApiError } from '../respond/status.ts'
import type { ClusterSettings } from '../schema/model.ts'
import { createDiscovery } from './discovery.ts'
import type { FixedRequest } from './fixed-request.ts'
import type { Health } from './health.ts'
import type { MetricsRegistry } from './metrics/registry.ts'
import { createOpenApiV2 } from './openapi/v2.ts'
import { createOpenApiV3 } from './openapi/v3.ts'
import type { PublishedPaths } from './published-path.ts'
import { createRoot } from './root.ts'
import type { DefinitionSource } from './served.ts'
import { createStatusz } from './statusz.ts'
import { emulatedRelease, type VersionInfo, versionResponse } from './version.ts'

export interface MetaOptions {
  readonly table: ResourceTable
  readonly platform: Platform
  readonly clock: Clock
  readonly version: VersionInfo
  readonly health: Health
  readonly metrics: MetricsRegistry
  readonly serverAddress: string
  readonly settings: ClusterSettings
  /** Additional documents by path, such as the issuer's discovery document. */
  readonly others?: PublishedPaths
}

/** Answers non-resource requests; undefined for unknown paths. Throws 405 for methods other than GET and HEAD. */
export type Meta = (exchange: Exchange) => MaybePromise<Response> | undefined

type Respond = (request: FixedRequest) => Response | Promise<Response> | undefined

/** A fixed path, with or without trailing slash. */
interface FixedPath {
  readonly path: string
  /** Whether it also handles all paths below. */
  readonly below?: true
  readonly respond: Respond
}

/** Finds the handler of a path, as authorization saw it. */
function lookup(paths: readonly FixedPath[]): (path: string) => Respond | undefined {
  const router = new TrieRouter<Respond>()
  for (const { path, below, respond } of paths) router.add('GET', below ? `${path}/*` : path, respond)
  return (path) => {
    const [matches] = router.match('GET', path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path)
    return matches[0]?.[0]
  }
}

export function createMeta(options: MetaOptions): Meta {
  const { table, platform, clock, version, health, metrics, settings, others = {} } = options
  const served: DefinitionSource = {
    get revision() {
      return table.revision
    },
    definitions: () => table.all().map(({ definition }) => definition),
  }
  const discovery = createDiscovery({
    served,
    platform,
    serverAddress: options.serverAddress,
    hashes: settings.enabled('StorageVersionHash'),
    aggregatedVersions: settings.enabled('AggregatedDiscoveryRemoveBetaType') ? ['v2'] : ['v2', 'v2beta1'],
  })
  const enums = settings.enabled('OpenAPIEnums')
  const openApi = { served, platform, clock, enums, others, info: { title: platform.title, version: emulatedRelease(version) } }
  const v2 = createOpenApiV2(openApi)
  const v3 = createOpenApiV3(openApi)
  const statuszPaths = settings.enabled('ComponentStatusz') ? ['/statusz'] : []
  const fixed = [
    ...statuszPaths,
    '/metrics',
    '/openapi/v2',
    '/openapi/v3',
    '/openapi/v3/',
    '/version',
    ...Object.keys(others),
    ...health.paths,
  ]
  const root = createRoot(served, platform, fixed)

  const statusz = createStatusz({ platform, clock, version, paths: fixed })
  const find = lookup([
    { path: '/', respond: () => root() },
    { path: '/version', respond: () => versionResponse(version) },
    { path: '/metrics', respond: () => metrics.respond() },
    ...['/healthz', '/livez', '/readyz'].map((path) => ({ path, below: true, respond: health.respond }) as const),
    ...['/api', '/apis'].map((path) => ({ path, below: true, respond: discovery.respond }) as const),
    { path: '/openapi/v2', respond: v2.respond },
    { path: '/openapi/v3', below: true, respond: v3.respond },
    ...Object.entries(others).map(([path, { respond }]) => ({ path, respond })),
    ...statuszPaths.map((path) => ({ path, respond: statusz })),
  ])
  return ({ request, info, query }) => {
    const respond = find(info.path)
    if (respond === undefined) return undefined
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new ApiError('MethodNotAllowed', 'the server does not allow this method on the requested resource')
    return respond({ request, path: info.path, query })
  }
}
