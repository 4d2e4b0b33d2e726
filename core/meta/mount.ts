/** Fixed paths: discovery, OpenAPI, health, version, metrics. */
import { TrieRouter } from 'hono/router/trie-router'
import { notAllowed } from '../answers/status.ts'
import type { MaybePromise } from '../common/maybe-promise.ts'
import type { Pauses } from '../common/slices.ts'
import type { VersionInfo } from '../config/version.ts'
import type { ResourceTable } from '../objects/registry/served.ts'
import type { Platform } from '../platform.ts'
import type { Clock, Telemetry } from '../ports.ts'
import type { Exchange } from '../request/exchange.ts'
import { checkAccepts } from '../request/route-media.ts'
import type { ClusterSettings } from '../schema/model.ts'
import { createDiscovery, type DiscoveryOptions } from './discovery.ts'
import type { FixedPath } from './fixed-request.ts'
import { createFlagz } from './flagz.ts'
import { type GroupSource, perRevision } from './group-source.ts'
import type { Health } from './health.ts'
import { createLogs } from './logs.ts'
import type { MetricsRegistry } from './metrics/registry.ts'
import { createOpenApiV2, type SwaggerSource } from './openapi/v2.ts'
import { createServedSwagger } from './openapi/v2-served.ts'
import { createOpenApiV3, type OpenApiSource } from './openapi/v3.ts'
import { createServedOpenApi } from './openapi/v3-served.ts'
import type { PublishedPaths } from './published-path.ts'
import { createRoot } from './root.ts'
import { createServedGroups } from './served.ts'
import { createStatusz } from './statusz.ts'
import { emulatedRelease, versionResponse } from './version.ts'

export interface MetaOptions {
  readonly table: ResourceTable
  readonly platform: Platform
  readonly clock: Clock
  readonly version: VersionInfo
  readonly health: Health
  readonly metrics: MetricsRegistry
  readonly healthMetrics: MetricsRegistry
  readonly serverAddress: string
  readonly settings: ClusterSettings
  /** Additional documents by path, such as the issuer's discovery document. */
  readonly others?: PublishedPaths
  /** What other servers serve for this one. */
  readonly aggregated?: {
    readonly groups: GroupSource
    readonly listing: DiscoveryOptions['listed']
    readonly swagger: SwaggerSource
    readonly openApi: OpenApiSource
  }
  /** What other servers of the cluster serve. */
  readonly peers: DiscoveryOptions['peers']
  readonly peerListMetrics: DiscoveryOptions['metrics']
  /** Values of the flags that the server was started with; absent: there is no `/flagz`. */
  readonly flags: Readonly<Record<string, string>> | undefined
  /** Further paths, which no document lists. */
  readonly unlisted?: readonly FixedPath[]
  readonly telemetry: Pick<Telemetry, 'logFiles' | 'logger'>
  readonly pauses: Pauses
}

export interface Meta {
  /** Answers non-resource requests; undefined for unknown paths. Throws 405 where the reference has a web service, and the method isn't GET. */
  answer(exchange: Exchange): MaybePromise<Response> | undefined
  /** Whether the path is below a web service of the reference, which answers unknown paths with a Status. */
  owns(path: string): boolean
}

/** Finds the handler of a path, as authorization saw it. */
function lookup(paths: readonly FixedPath[]): (path: string) => FixedPath | undefined {
  const router = new TrieRouter<FixedPath>()
  for (const fixed of paths) router.add('GET', fixed.below ? `${fixed.path}/*` : fixed.path, fixed)
  return (path) => {
    const slash = path.length > 1 && path.endsWith('/')
    const [[first] = []] = router.match('GET', slash ? path.slice(0, -1) : path)[0]
    return slash && !first?.service && !first?.below ? undefined : first
  }
}

/** Throws 405 unless the method is GET, and 406 unless the client accepts the media type. */
function checkService({ method, headers }: Request, type: string): void {
  if (method !== 'GET') throw notAllowed()
  checkAccepts(headers.get('accept'), [type])
}

export function createMeta(options: MetaOptions): Meta {
  const {
    table,
    platform,
    clock,
    version,
    health,
    metrics,
    healthMetrics,
    settings,
    others = {},
    unlisted = [],
    aggregated,
    telemetry,
    pauses,
  } = options
  const { logger } = telemetry
  const served = createServedGroups(
    {
      get revision() {
        return table.revision
      },
      definitions: () => table.all().map(({ definition }) => definition),
    },
    platform,
  )
  const cbor = settings.enabled('CBORServingAndStorage')
  // A group version that another server is registered for is that server's.
  const sources: readonly GroupSource[] = aggregated ? [aggregated.groups, served] : [served]
  const discovery = createDiscovery({
    sources,
    peers: options.peers,
    metrics: options.peerListMetrics,
    listed: aggregated?.listing,
    platform,
    pauses,
    serverAddress: options.serverAddress,
    hashes: settings.enabled('StorageVersionHash'),
    cbor,
    aggregatedVersions: settings.enabled('AggregatedDiscoveryRemoveBetaType') ? ['v2'] : ['v2', 'v2beta1'],
  })
  const enums = settings.enabled('OpenAPIEnums')
  const openApi = { served, platform, enums, cbor, others, pauses, info: { title: platform.title, version: emulatedRelease(version) } }
  const v2 = createOpenApiV2([createServedSwagger(openApi), ...(aggregated ? [aggregated.swagger] : [])], clock, pauses, logger)
  const v3 = createOpenApiV3([...(aggregated ? [aggregated.openApi] : []), createServedOpenApi(openApi, clock)], clock, pauses, logger)
  const statuszPaths = settings.enabled('ComponentStatusz') ? ['/statusz'] : []
  const flagzPaths = settings.enabled('ComponentFlagz') && options.flags !== undefined ? ['/flagz'] : []
  const fixed = [
    ...flagzPaths,
    ...statuszPaths,
    '/metrics',
    '/metrics/slis',
    '/openapi/v2',
    '/openapi/v3',
    '/openapi/v3/',
    '/version',
    ...(telemetry.logFiles ? ['/logs'] : []),
    ...Object.keys(others),
    ...health.paths,
  ]
  /** When the process started, for readers of metrics that do not parse them. */
  const started = { 'Process-Start-Time-Unix': String(Math.floor(clock.now() / 1000)) }
  const root = createRoot(sources, fixed)

  const statusz = createStatusz({ platform, cbor, clock, version, paths: fixed })
  const find = lookup([
    ...['/', '/index.html'].map((path) => ({ path, respond: () => root() })),
    { path: '/version', service: 'application/json', respond: () => versionResponse(version) },
    { path: '/metrics', respond: ({ request }) => metrics.respond(request.headers, started) },
    { path: '/metrics/slis', respond: ({ request }) => healthMetrics.respond(request.headers, started) },
    ...['/healthz', '/livez', '/readyz'].map((path) => ({ path, below: true, respond: health.respond }) as const),
    ...['/api', '/apis'].map((path) => ({ path, below: true, respond: discovery.respond }) as const),
    { path: '/openapi/v2', respond: v2.respond },
    { path: '/openapi/v3', below: true, respond: v3.respond },
    ...Object.entries(others).map(([path, { type, respond }]) => ({ path, service: type, respond })),
    ...statuszPaths.map((path) => ({ path, respond: statusz })),
    ...flagzPaths.map((path) => ({ path, respond: createFlagz(platform, cbor, options.flags ?? {}) })),
    ...(telemetry.logFiles ? [{ path: '/logs', below: true, respond: createLogs(telemetry.logFiles) } as const] : []),
    ...unlisted,
  ])
  const groups = perRevision(
    [served],
    () => new Set(served.groups().flatMap(({ name, versions }) => (versions.some(({ service }) => service) ? [name] : []))),
  )
  const services = ['/api', '/version', ...Object.keys(others)]
  return {
    answer(exchange) {
      const { request, info, query, observer } = exchange
      const found = find(info.path)
      if (found === undefined) return undefined
      if (found.service) checkService(request, found.service)
      return found.respond({ request, path: info.path, query, exchange, ...(observer && { observer }) })
    },
    owns(path) {
      const [, first, group = ''] = path.split('/', 3)
      return first === 'apis' ? groups().has(group) : services.some((root) => path === root || path.startsWith(`${root}/`))
    },
  }
}
