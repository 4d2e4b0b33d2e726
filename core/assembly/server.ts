/** Assembles a server from ports and complete options. */
import { createAdmission } from '../admission/chain.ts'
import { createLookup } from '../admission/lookup.ts'
import { claimAccess } from '../admission/plugins/claim-access.ts'
import { choosePlugins, makePlugins } from '../admission/plugins/index.ts'
import { policyParameters } from '../admission/plugins/policy-parameters.ts'
import { rbacEscalation } from '../admission/plugins/rbac-escalation.ts'
import { authorizerChain } from '../authz/authorizer.ts'
import { RbacIndex } from '../authz/rbac-index.ts'
import { noRules } from '../authz/rules.ts'
import type { loadPluginConfigurations } from '../config/admission.ts'
import { createAuthorization } from '../config/authorization.ts'
import type { createEncryption } from '../config/encryption.ts'
import { createClient, serverManager } from '../controllers/client.ts'
import { createCustomResources } from '../custom-resources/index.ts'
import { filters } from '../filters/chain.ts'
import { type Drained, type DrainOptions, Entrance } from '../filters/entrance.ts'
import { compose } from '../filters/filter.ts'
import { createRouter } from '../filters/router.ts'
import { createHealth } from '../meta/health.ts'
import { createAdmissionMetrics } from '../meta/metrics/admission.ts'
import { createAttemptMetrics } from '../meta/metrics/attempt.ts'
import { createAuthorizationMetrics } from '../meta/metrics/authorization.ts'
import { createEncryptionMetrics } from '../meta/metrics/encryption.ts'
import { createRuleMetrics } from '../meta/metrics/rule.ts'
import { createServerMetrics } from '../meta/metrics/server.ts'
import { createMeta } from '../meta/mount.ts'
import { storeChecks } from '../meta/store-health.ts'
import type { CompleteOptions } from '../options.ts'
import type { Connection, KeyValueStore, Ports } from '../ports.ts'
import { builtInRows } from '../registry/built-in.ts'
import { createServing } from '../registry/serving.ts'
import { createResourceTable, type LiveTable } from '../registry/table.ts'
import { createNegotiator } from '../request/negotiate.ts'
import { builtInResources } from '../resources/group-versions.ts'
import { Reply } from '../respond/reply.ts'
import { Pauses } from '../slices.ts'
import { createStores } from '../storage/stores.ts'
import { createDispatch } from '../verbs/dispatch.ts'
import type { Services } from '../verbs/services.ts'
import { createConnect } from '../webhook/client-config.ts'
import { createServiceAddress } from '../webhook/service-address.ts'
import { startBackground } from './background.ts'
import { prepareCluster } from './cluster.ts'
import { createIdentities } from './identities.ts'
import { createOwnWrites } from './own-writes.ts'
import { startSteps } from './start-steps.ts'

export interface ApiServer {
  /** Answers one request. Without a connection it is in-process. Never rejects: every failure is a Status. */
  fetch(request: Request, connection?: Connection): Promise<Response>
  /** As `fetch`, for listeners: the response is a `Reply`, which is much cheaper than the built-in class (respond/reply.ts). */
  answer(request: Request, connection: Connection): Response | Promise<Response>
  /** Begins a shutdown: `/readyz` fails from here on, and requests are answered as before. */
  leave(): void
  /** Ends watches, and waits for the requests in flight. */
  drain(options?: DrainOptions): Promise<Drained>
  /** Drains, which takes at most 10 s, and then ends background work. Later requests get 503. The store stays open: the caller owns it. */
  close(): Promise<void>
}

/** A server with its table of resources. */
export interface AssembledServer extends ApiServer {
  /** `replace` changes the served resources; discovery, controllers and clients see the change at once. */
  readonly table: LiveTable
}

const inProcess: Connection = { remoteAddress: '', remotePort: 0, protocol: 'in-process' }

/** Imported on demand: it brings the YAML parser. */
const encryptionOf: typeof createEncryption = async (...parameters) =>
  (await import('../config/encryption.ts')).createEncryption(...parameters)

/** Imported on demand, too. */
const pluginConfigurations: typeof loadPluginConfigurations = async (...parameters) =>
  (await import('../config/admission.ts')).loadPluginConfigurations(...parameters)

/** Resolves when the server is ready. When it can't start, what was started is closed again. */
export async function assembleServer(ports: Ports, options: CompleteOptions): Promise<AssembledServer> {
  const closers: (() => void)[] = []
  const stop = () => {
    for (const each of closers.splice(0).reverse()) each()
  }
  try {
    const { entrance, background, ...server } = await assemble(ports, options, closers)
    return {
      ...server,
      leave: () => entrance.leave(),
      drain: (drainOptions) => entrance.drain(drainOptions),
      async close() {
        await entrance.drain()
        background()
        await entrance.drainOwn()
        entrance.close()
        stop()
      },
    }
  } catch (error) {
    stop()
    throw error
  }
}

interface Assembled extends Pick<AssembledServer, 'answer' | 'fetch' | 'table'> {
  readonly entrance: Entrance
  /** Stops controllers and periodic work. */
  background(): void
}

/** `closers` gets a function for each part that runs in the background; the last one is to be called first. */
async function assemble(ports: Ports, options: CompleteOptions, closers: (() => void)[]): Promise<Assembled> {
  const { platform, metrics, allowPrivileged, garbageCollection } = options
  const { clock } = ports
  const { logger } = ports.telemetry
  const settings = { allowPrivileged, garbageCollection, enabled: options.gates.enabled }

  // Storage and resources.
  const definitions = builtInResources
  const observer = createEncryptionMetrics(metrics, clock, options.identity)
  const encryption = options.encryption && (await encryptionOf(options.encryption, { ...options, definitions, ports, observer }))
  closers.push(() => encryption?.close())
  const decorate = (store: KeyValueStore) => encryption?.decorate(store) ?? store
  const overrides = ports.overrides?.map((each) => ({ ...each, store: decorate(each.store) }))
  const stores = createStores(decorate(ports.store), overrides)
  const pauses = new Pauses(clock)
  const table = createResourceTable(createServing({ ...options, settings, stores, clock, logger, pauses }))
  closers.push(() => table.close())
  table.replace('built-in', builtInRows(definitions, platform), options.serves)

  // Authentication and authorization.
  const identities = await createIdentities(options, ports, table, settings)
  closers.push(() => identities.close())
  const entrance = new Entrance({ clock, own: identities.loopback })
  const rbac = new RbacIndex(platform.name('rbac.authorization.<domain>'))
  const authorization = await createAuthorization({
    modes: options.authorizationModes,
    files: options.authorizationFiles,
    platform,
    ports,
    rbac,
    metrics: createAuthorizationMetrics(metrics, clock, options.identity),
    storeOf: table.storeOf,
  })
  closers.push(() => authorization.close())
  const authorizer = authorizerChain([...options.authorizers, authorization.authorizer])
  const usesRbac = authorization.types.includes('RBAC')
  const { enabledPlugins, disabledPlugins, tolerationSeconds, admissionFile, gates } = options
  const fromFile = admissionFile === '' ? {} : await pluginConfigurations(admissionFile, { platform, gates, ports })
  const configuration = { ...options.pluginConfigurations, ...fromFile }
  const lookup = createLookup(table, platform, clock)
  const { outbound, files } = ports
  const connect = createConnect(createServiceAddress(lookup, platform.name('<labels>/service-name')))
  const { enabled } = settings
  const { loopback } = identities
  const asServer = async (request: Request) => entrance.answer(request, loopback)
  const write = createOwnWrites(asServer, platform)
  const admissionMetrics = createAdmissionMetrics(metrics)
  const pluginContext = {
    ...lookup,
    write,
    platform,
    clock,
    outbound,
    files,
    logger,
    configuration,
    observer: admissionMetrics,
    authorizer,
    enabled,
    release: { minor: Number(options.version.emulationMinor) },
    tolerationSeconds,
  }
  const pluginRows = choosePlugins(enabledPlugins, disabledPlugins)
  const plugins = [...(await makePlugins(pluginRows, pluginContext)), ...options.extraPlugins]
  if (usesRbac) plugins.push(rbacEscalation(platform, authorizer, rbac))
  plugins.push(claimAccess(platform, lookup, authorizer, enabled), policyParameters(platform, lookup, authorizer))

  closers.push(() => {
    for (const plugin of plugins) plugin.close?.()
  })

  // The filter chain and handlers.
  const serverMetrics = createServerMetrics(metrics, clock)
  const negotiator = createNegotiator(platform)
  const { serviceAccounts: _keys, ...behaviour } = options
  const { serviceAccounts } = identities
  const services: Services = {
    ...behaviour,
    settings,
    clock,
    logger,
    table,
    rules: createRuleMetrics(metrics, clock),
    admission: createAdmission(plugins, { clock, observer: admissionMetrics }),
    pauses,
    deprecated: serverMetrics.deprecated,
    negotiator,
    authorizer,
    rulesFor: (user, namespace) => authorizer.rulesFor?.(user, namespace) ?? noRules,
    tokens: identities.tokens,
    audiences: identities.audiences,
    ...(serviceAccounts && { serviceAccounts }),
  }
  const dispatch = createDispatch(services)
  const steps = startSteps({
    rbac: usesRbac,
    clusterAuthentication: options.clusterAuthentication !== undefined,
    serviceAccounts: options.serviceAccounts !== undefined,
  })
  const customResources = createCustomResources({ table, platform, settings, clock, logger, outbound, connect })
  closers.push(() => customResources.close())
  const health = createHealth({
    clock,
    bootChecks: steps.hooks,
    checks: storeChecks(stores.all, platform.storeName, '', clock, options.storeHealthTimeout),
    serviceChecks: encryption?.checks ?? [],
    readyChecks: [
      ...storeChecks(stores.all, platform.storeName, '-readiness', clock, options.storeReadyTimeout),
      steps.informers,
      customResources.health,
    ],
    livezGracePeriod: options.livezGracePeriod,
    shuttingDown: () => entrance.leaving,
    failed: (endpoint, reasons) => logger.warn({ endpoint, reasons }, 'health check failed'),
  })
  const meta = createMeta({ ...options, settings, others: identities.documents, table, clock, health })
  const chain = filters({
    ...options,
    settings,
    clock,
    logger,
    negotiator,
    authenticator: identities.authenticator,
    authenticationObserver: createAttemptMetrics(metrics, platform),
    frontProxyHeaders: options.clusterAuthentication?.frontProxies?.headers,
    authorizer,
    metrics: serverMetrics,
  })
  entrance.open(compose(chain, createRouter({ delegates: options.delegates, resources: dispatch, fixed: meta })))

  await customResources.ready
  const onClose = (stop: () => void) => closers.push(stop)
  await prepareCluster(options, { table, clock, logger, settings, rbac: usesRbac ? rbac : undefined, onClose })
  customResources.start(createClient(asServer, serverManager(platform)))
  const background = startBackground(options, { table, clock, logger, stores: stores.all, fetch: asServer })
  steps.finish()

  const answer = (request: Request, connection: Connection) => entrance.answer(request, connection)
  return {
    entrance,
    background,
    answer,
    async fetch(request, connection = inProcess) {
      const reply = await answer(request, connection)
      const response = Reply.native(reply)
      // The listener reports on the response that it got.
      if (response !== reply) connection.whenSent?.(response, () => Reply.ended(reply))
      return response
    },
    table,
  }
}
