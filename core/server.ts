/** The whole public surface: a server is a fetch handler over a store. */
import { createAdmission } from './admission/chain.ts'
import { builtPlugins, choosePlugins } from './admission/plugins/index.ts'
import { rbacEscalation } from './admission/plugins/rbac-escalation.ts'
import { anonymousAuthenticator } from './authn/anonymous.ts'
import { tokenUnion, union } from './authn/authenticator.ts'
import { bearerAuthenticator } from './authn/bearer.ts'
import { withAuthenticatedGroup } from './authn/groups.ts'
import { websocketAuthenticator } from './authn/websocket.ts'
import { followRbac } from './authz/rbac-follow.ts'
import { RbacIndex } from './authz/rbac-index.ts'
import { noRules } from './authz/rules.ts'
import { ensureClusterService } from './bootstrap/cluster-service.ts'
import { createLoopback } from './bootstrap/loopback.ts'
import { ensureNamespaces } from './bootstrap/objects.ts'
import { ensureRbac } from './bootstrap/rbac.ts'
import { createServiceAccounts } from './bootstrap/service-accounts.ts'
import { createAuthorization } from './config/authorization.ts'
import { createClient } from './controllers/client.ts'
import { startControllers } from './controllers/index.ts'
import { filters } from './filters/chain.ts'
import { createExchange } from './filters/exchange.ts'
import { compose } from './filters/filter.ts'
import { createHealth } from './meta/health.ts'
import { createMetrics } from './meta/metrics.ts'
import { createMeta } from './meta/mount.ts'
import { createServerMetrics } from './meta/server-metrics.ts'
import { storeCheck } from './meta/store-health.ts'
import { type ServerOptions, withDefaults } from './options.ts'
import type { Connection, Ports } from './ports.ts'
import { builtInResources } from './registry/built-in.ts'
import { createResourceTable } from './registry/served.ts'
import { createNegotiator } from './request/negotiate.ts'
import { builtinResources } from './resources/index.ts'
import { startCompaction } from './storage/compaction.ts'
import { createDispatch } from './verbs/dispatch.ts'
import type { Services } from './verbs/services.ts'
import type { Following } from './watch/follow.ts'

export type { ServerOptions } from './options.ts'
export type * from './ports.ts'

export interface ApiServer {
  /** Answers one request. Without a connection it is in-process. Never rejects: every failure is a Status. */
  fetch(request: Request, connection?: Connection): Promise<Response>
  /** Ends watches and background work. The store stays open: it belongs to the caller. */
  close(): Promise<void>
}

const inProcess: Connection = { remoteAddress: '', remotePort: 0, protocol: 'in-process' }

/** Makes a server over the given ports; resolves when it is ready to serve. */
export async function createApiServer(ports: Ports, given: ServerOptions = {}): Promise<ApiServer> {
  const options = withDefaults(given)
  const { platform } = options
  const { clock, store, telemetry } = ports
  const { logger } = telemetry
  const closing = new AbortController()
  const context = { platform, now: clock.now() }

  const table = createResourceTable(builtInResources({ ...options, definitions: builtinResources(), store, clock, logger }))
  const find = (group: string, plural: string) => table.lookup(platform.name(group), 'v1', plural)!
  const namespaces = find('', 'namespaces').store

  const namespace = async (name: string) => (await namespaces.get(namespaces.keys.of('', name)))?.decode()
  const plugins = choosePlugins({ platform, namespace }, options.enabledPlugins, options.disabledPlugins)
  for (const name of options.enabledPlugins)
    if (!builtPlugins.includes(name)) logger.warn({}, `admission plugin ${name} has no effect in this version`)
  const accounts = options.serviceAccounts && (await createServiceAccounts(options.serviceAccounts, table, platform, clock))
  const tokens = tokenUnion([...(accounts ? [accounts.tokens] : []), ...options.tokens])
  const loopback = createLoopback()
  const methods = [...options.authenticators, bearerAuthenticator(tokens), websocketAuthenticator(tokens, platform)]
  const anonymous = options.anonymous ? [anonymousAuthenticator()] : []
  const authenticator = union([loopback.authenticator, withAuthenticatedGroup(union(methods)), ...anonymous], 'stop')
  const rbac = new RbacIndex(platform.name('rbac.authorization.<domain>'))
  const authorization = await createAuthorization({
    modes: options.authorizationModes,
    files: options.authorizationFiles,
    platform,
    ports,
    rbac,
    storeOf: (group, plural) => table.all().find(({ on }) => on.group === group && on.resource === plural)?.store,
  })
  const { authorizer } = authorization
  const usesRbac = authorization.types.includes('RBAC')
  if (usesRbac) plugins.push(rbacEscalation(platform, authorizer, rbac))

  const { serviceAccounts: _keys, ...behaviour } = options
  const metrics = createMetrics()
  const negotiator = createNegotiator(platform)
  const services: Services = {
    ...behaviour,
    clock,
    logger,
    table,
    admission: createAdmission(plugins),
    longRunning: createServerMetrics(metrics, clock).longRunning,
    negotiator,
    authorizer,
    rulesFor: (user, namespace) => authorizer.rulesFor?.(user, namespace) ?? noRules,
    tokens,
    ...(accounts && { serviceAccounts: accounts }),
  }
  const dispatch = createDispatch(services)

  const health = createHealth({
    clock,
    checks: [storeCheck(platform.storeName, store, clock, options.storeHealthTimeout)],
    readyChecks: [storeCheck(`${platform.storeName}-readiness`, store, clock, options.storeReadyTimeout)],
    livezGracePeriod: options.livezGracePeriod,
    shuttingDown: () => options.shuttingDown?.() ?? closing.signal.aborted,
    failed: (endpoint, reasons) => logger.warn({ endpoint, reasons }, 'health check failed'),
  })
  const meta = createMeta({ table, platform, clock, version: options.version, health, metrics, serverAddress: options.serverAddress })

  const handle = compose(filters({ ...options, clock, logger, negotiator, authenticator, authorizer }), (exchange) =>
    exchange.info.isResource ? dispatch(exchange) : meta(exchange.request),
  )
  const fetch = async (request: Request, connection: Connection = inProcess) => handle(createExchange(request, connection, closing.signal))

  await ensureNamespaces(table, platform, context)
  const reservations = new Set(table.all().flatMap((each) => each.reservations ?? []))
  const stopReservations = await Promise.all([...reservations].map((each) => each.start()))
  await ensureClusterService(table, { ...options, logger }, context)
  const followings: Following[] = []
  if (usesRbac) {
    await ensureRbac(table, platform, context)
    const stores = {
      roles: find('rbac.authorization.<domain>', 'roles').store,
      clusterRoles: find('rbac.authorization.<domain>', 'clusterroles').store,
      roleBindings: find('rbac.authorization.<domain>', 'rolebindings').store,
      clusterRoleBindings: find('rbac.authorization.<domain>', 'clusterrolebindings').store,
    }
    const following = followRbac(rbac, stores, clock)
    await following.ready
    followings.push(following)
  }

  const client = createClient((request) => fetch(request, loopback.connection))
  const stopControllers = startControllers(options.controllers, { ...options, clock, logger, store, table, client })
  const stopCompaction = startCompaction(store, clock, logger, options.compactionInterval)

  return {
    fetch,
    async close() {
      closing.abort()
      stopControllers()
      stopCompaction()
      for (const stop of stopReservations) stop()
      for (const each of followings) each.close()
      authorization.close()
      for (const each of table.all()) each.store.close()
    },
  }
}
