/**
 * The parts of a server, as a table: what each needs, how it starts, the health checks that fail until it has, how it stops. They start in the
 * order of the table, unless one needs a later one; they stop in the opposite order.
 */

import { type Authorizer, authorizerChain } from '../access/authz/authorizer.ts'
import { createAuthorization } from '../access/authz/configured.ts'
import { authorizationFileRows, authorizationRows } from '../access/authz/metrics.ts'
import { RbacIndex } from '../access/authz/rbac-index.ts'
import type { AdmissionPlugin } from '../admission/attributes.ts'
import { createLookup, type Lookup } from '../admission/lookup.ts'
import type { Aggregation } from '../aggregation/index.ts'
import { then } from '../common/maybe-promise.ts'
import { once } from '../common/once.ts'
import type { Pauses } from '../common/slices.ts'
import { reloadReports } from '../config/reload-metrics.ts'
import { compareAccountKeys, keysAnnotation } from '../controllers/bootstrap/account-keys.ts'
import { publishClusterAuthentication } from '../controllers/bootstrap/cluster-authentication.ts'
import { keepClusterService } from '../controllers/bootstrap/cluster-service.ts'
import { flowControlProducer, keepFlowControl } from '../controllers/bootstrap/flow-control.ts'
import { flowControlConsumer, reportDangling } from '../controllers/bootstrap/flow-schema-status.ts'
import { keepIdentityLease } from '../controllers/bootstrap/identity-lease.ts'
import { collectIdentityLeases } from '../controllers/bootstrap/identity-lease-collector.ts'
import { ensureLegacyTokenTracking } from '../controllers/bootstrap/legacy-token-tracking.ts'
import { ensureNamespaces } from '../controllers/bootstrap/objects.ts'
import { keepPeerAddress, type PeerAddresses } from '../controllers/bootstrap/peer-addresses.ts'
import { ensurePriorityClasses } from '../controllers/bootstrap/priority-classes.ts'
import { ensureRbac } from '../controllers/bootstrap/rbac.ts'
import { keepStorageVersions, type StorageVersionBarrier, storageVersionBarrier } from '../controllers/bootstrap/storage-versions.ts'
import { controllerManager, createClient, serverManager } from '../controllers/client.ts'
import type { ControllerContext } from '../controllers/controller.ts'
import { conversionRows } from '../controllers/custom-resources/conversion-metrics.ts'
import { type CustomResources, createCustomResources, definitionsCheckName } from '../controllers/custom-resources/index.ts'
import { SharedRows } from '../controllers/custom-resources/shared-rows.ts'
import { type ControllerName, controllers } from '../controllers/index.ts'
import { startLeadership } from '../controllers/leadership/index.ts'
import type { Encryption } from '../encryption/configured.ts'
import { encryptionFileRows, encryptionRows, keyUses } from '../encryption/metrics.ts'
import { type RequestMetrics, requestMetrics } from '../filters/metrics.ts'
import type { RequestGate } from '../filters/request-gate.ts'
import type { HealthCheck } from '../meta/health.ts'
import { collectBuild } from '../meta/metrics/build.ts'
import { collectCensus } from '../meta/metrics/census.ts'
import { collectProcess, collectStart } from '../meta/metrics/process.ts'
import { serviceRows } from '../objects/registry/allocators/metrics.ts'
import { builtInRows } from '../objects/registry/built-in.ts'
import { catalogueOf } from '../objects/registry/fixed-set.ts'
import { startStorageMetrics } from '../objects/registry/object-counts.ts'
import { createServing } from '../objects/registry/serving.ts'
import { createResourceTable, type LiveTable } from '../objects/registry/table.ts'
import { startCompaction } from '../objects/storage/compaction.ts'
import { createStores, type Stores } from '../objects/storage/stores.ts'
import { LateFollows } from '../objects/watch/late-follows.ts'
import type { CompleteOptions } from '../options/index.ts'
import { createNodeAgents, type NodeAgents } from '../outgoing/forwarding/node-agents.ts'
import { createServiceAddress } from '../outgoing/service-address.ts'
import { createConnect } from '../outgoing/webhook/client-config.ts'
import type { Peers } from '../peers/index.ts'
import type { OpenStores } from '../ports.ts'
import type { ResourceDefinition } from '../resources/definition.ts'
import { builtInResources } from '../resources/group-versions.ts'
import { type ProxyClient, readProxyClient, registerOwn, reportAvailability, startAggregation } from './aggregation.ts'
import type { Audit } from './audit.ts'
import { type AssemblyContext, hookContextOf } from './context.ts'
import { type EncryptedData, encryptedData } from './encrypted-data.ts'
import { type Fairness, startFairness } from './fairness.ts'
import { featureFor } from './features/features.ts'
import { createHandler } from './handler.ts'
import { createIdentities, type Identities } from './identities.ts'
import { type PartTable, partOf } from './life-cycle.ts'
import { asksPeers, createAddresses, hasIdentityLease, hasPeerAddress, peerAddressOf, peerAnnotation, startPeers } from './peers.ts'
import { assemblePlugins } from './plugins.ts'
import { startRbac } from './rbac.ts'
import { startReservations } from './reservations.ts'

/** Ends a background part. */
type Stop = () => void

interface Authorization {
  readonly authorizer: Authorizer
  /** Absent: RBAC is not an authorization mode. */
  readonly rbac: RbacIndex | undefined
  close(): void
}

/** Parts that other parts use. */
interface Values {
  readonly encryption: Encryption | undefined
  readonly opened: OpenStores
  readonly stores: Stores
  readonly pauses: Pauses
  readonly table: LiveTable
  readonly encryptedData: EncryptedData
  readonly identities: Identities
  readonly authorization: Authorization
  /** Absent: resources are followed at once. */
  readonly lateFollows: LateFollows | undefined
  readonly lookup: Lookup
  readonly plugins: readonly AdmissionPlugin[]
  readonly customResources: CustomResources
  readonly nodeAgents: NodeAgents
  readonly peerAddresses: PeerAddresses
  readonly peers: Peers | undefined
  readonly proxyClient: ProxyClient | undefined
  readonly aggregation: Aggregation | undefined
  readonly audit: Audit | undefined
  readonly requestMetrics: RequestMetrics
  readonly fairness: Fairness | undefined
  readonly barrier: StorageVersionBarrier | undefined
  readonly requests: RequestGate
}

/** Parts that run beside the requests, until their value is called. */
type Background =
  | 'storageMetrics'
  | 'definitionWriter'
  | 'clusterAuthentication'
  | 'availability'
  | 'autoRegistration'
  | 'reservations'
  | 'rbac'
  | 'flowControl'
  | 'flowSchemaStatus'
  | 'identityLeaseCollector'
  | 'compaction'
  | 'storageVersions'
/** Parts that register this server with others, until it shuts down. */
type Announcement = 'peerAddress' | 'identityLease' | 'leadership' | 'clusterService'
/** Parts that are done when they have started. */
type Done = 'storageReadiness' | 'encryptedDataSearch' | 'defaultRoles' | 'namespaces' | 'legacyTokenTracking' | 'priorityClasses'

/** The value of each part. */
export type Parts = Values & { readonly [Name in Background]: Stop } & { readonly [Name in Announcement]: { leave(): Promise<void> } } & {
  readonly [Name in Done]: unknown
} & { readonly [Name in ControllerName]: Stop }

const part = partOf<Parts, AssemblyContext>()
const hook = (...names: readonly string[]) => names.map((name) => `poststarthook/${name}`)
const stop = (end: Stop) => end()
const leave = (announced: { leave(): Promise<void> }) => announced.leave()
/** Of parts that a server which continues a state starts when something happens. */
const sleeps = true
/** Of parts whose work such a server finds done. */
const prepares = true
/** A test with a fork of its own writes a few objects, of many that are stored. */
const fewLookups = 16
const definitions = ['apiextensions.<domain>/customresourcedefinitions']
const flowControlKinds = ['flowschemas', 'prioritylevelconfigurations']
const registrations = 'apiregistration.<domain>/apiservices'
const close = (closable: { close(): void } | undefined) => closable?.close()

const writesStorageVersions = (context: AssemblyContext) =>
  hasIdentityLease(context) && context.options.apis.gates.enabled('StorageVersionAPI')

const mayUseRbac = ({ options: { authorization } }: AssemblyContext) =>
  authorization.authorizationModes.includes('RBAC') || authorization.authorizationFiles.configuration !== undefined

const definitionRows = () => new SharedRows()

const definitionsCheck = ({ late }: AssemblyContext): HealthCheck => ({
  name: definitionsCheckName,
  check: async () => {
    await late.demand(['customResources'])
    await late.value('customResources').health()
  },
})

/** Context of what writes through the API, as this field manager; default: the server. */
function contextOfWriter(
  { table, stores }: Pick<Parts, 'table' | 'stores'>,
  { options: { general, apis, controllers, serving, storage }, ports, fetchOwn, queues }: AssemblyContext,
  manager = serverManager(general.platform),
): ControllerContext {
  const client = createClient(fetchOwn, manager)
  return {
    platform: general.platform,
    gates: apis.gates,
    garbageCollection: controllers.garbageCollection,
    rootCa: serving.rootCa,
    prefix: storage.prefix,
    clock: ports.clock,
    logger: ports.telemetry.logger,
    queues,
    stores: stores.all,
    table,
    client,
  }
}

/** All built-in resources, with the platform's names. */
const builtInCatalogue = (options: CompleteOptions) => {
  const { apis, general } = options
  const isServed = (definition: ResourceDefinition) =>
    (definition.gate === undefined || apis.gates.enabled(definition.gate)) && apis.serves(definition)
  return catalogueOf(builtInRows(builtInResources, general.platform), isServed)
}

const controllerPart = (name: ControllerName) =>
  part(
    ['table', 'stores', 'aggregation', 'identities', 'requests'],
    ({ aggregation, identities, ...needed }, context) =>
      controllers[name].start({
        ...contextOfWriter(needed, context, controllerManager(context.options.general.platform)),
        remote: aggregation?.groups,
        legacyToken: identities.serviceAccounts()?.legacyToken,
      }),
    {
      when: ({ options }) => options.controllers.controllers.includes(name),
      wakesAt: controllers[name].wakesAt,
      ...{ sleeps, stop },
    },
  )

const controllerParts = Object.fromEntries((Object.keys(controllers) as ControllerName[]).map((name) => [name, controllerPart(name)])) as {
  readonly [Name in ControllerName]: ReturnType<typeof controllerPart>
}

export const parts: PartTable<Parts, AssemblyContext> = {
  // ── Storage and resources ─────────────────────────────────────────────────────────────────────
  encryption: part(
    [],
    (_needed, { features, options: { general, apis, storage }, ports, shared }) => {
      // Its metrics are there without encryption too, as in the reference.
      const metrics = general.metrics.record(encryptionRows)
      const reloads = reloadReports(general.metrics.record(encryptionFileRows), ports.clock, general.identity)
      if (!storage.encryption) return undefined
      return featureFor(
        features,
        'encryption',
        'encryption',
      )(storage.encryption, {
        platform: general.platform,
        gates: apis.gates,
        prefix: storage.prefix,
        definitions: shared.of(builtInCatalogue).rows,
        ports,
        reloads,
        measures: { metrics, clock: ports.clock, uses: keyUses(metrics, ports.clock, general.identity) },
      })
    },
    { stop: close },
  ),
  opened: part([], (_needed, { open }) => open()),
  storageReadiness: part(['opened'], () => undefined, {
    when: ({ settings }) => settings.enabled('WatchCacheInitializationPostStartHook'),
    hooks: hook('storage-readiness'),
  }),
  stores: part(['opened', 'encryption'], ({ opened, encryption }) => {
    const overrides = opened.overrides?.map((each) => ({ ...each, store: encryption?.decorate(each.store) ?? each.store }))
    return createStores(encryption?.decorate(opened.store) ?? opened.store, overrides)
  }),
  pauses: part([], (_needed, { gate }) => gate.pauses),
  table: part(
    ['stores', 'pauses'],
    ({ stores, pauses }, { options: { general, network, storage }, ports, settings, stored, shared, continues }) => {
      const logger = ports.telemetry.logger
      const { prefix, storageMediaType, watchCache, uncached, eventTtl, leaseReuse } = storage
      const { serviceClusterIpRanges, serviceNodePortRange } = network
      // Named: a spread of all options takes as long as the rest of this part.
      const serving = createServing({
        prefix,
        storageMediaType,
        watchCache,
        uncached,
        eventTtl,
        leaseReuse,
        serviceClusterIpRanges,
        serviceNodePortRange,
        platform: general.platform,
        settings,
        stores,
        clock: ports.clock,
        logger,
        pauses,
        observe: stored.observe,
        metrics: general.metrics.record(serviceRows),
        ...(continues && { startingLookups: fewLookups }),
      })
      return createResourceTable(serving.serve, serving.fixed(shared.of(builtInCatalogue)))
    },
    { stop: close },
  ),

  encryptedData: part(['table', 'stores'], ({ table, stores }, { options, ports }) =>
    encryptedData({ table, stores, prefix: options.storage.prefix, logger: ports.telemetry.logger }),
  ),
  // Read at the start, so that the log says at once what is missing.
  encryptedDataSearch: part(['encryptedData'], ({ encryptedData }) => encryptedData.search(), { prepares }),

  // ── Authentication, authorization, admission ──────────────────────────────────────────────────
  identities: part(['table'], ({ table }, context) => createIdentities(table, context), { stop: close }),
  authorization: part(
    ['table'],
    ({ table }, { features, options: { general, authorization, apis }, ports }) => {
      const { platform, metrics: registry, identity } = general
      const { authorizationModes: modes, authorizationFiles: files, authorizers } = authorization
      const rbac = new RbacIndex(platform.name('rbac.authorization.<domain>'))
      const created = createAuthorization({
        modes,
        files,
        rows: () => featureFor(features, 'authorization', 'authorizationFiles')(),
        platform,
        ports,
        rbac,
        metrics: registry.record(authorizationRows),
        reloads: reloadReports(registry.record(authorizationFileRows), ports.clock, identity),
        enabled: apis.gates.enabled,
        storeOf: table.storeOf,
      })
      return then(created, ({ authorizer, types, close }) => ({
        authorizer: authorizerChain([...authorizers, authorizer]),
        rbac: types.includes('RBAC') ? rbac : undefined,
        close,
      }))
    },
    { stop: close },
  ),
  // Of one store, whose changes it follows.
  lateFollows: part(
    ['opened'],
    ({ opened: { store, overrides } }, { options }) => (overrides ? undefined : new LateFollows(store, options.storage.prefix)),
    { when: ({ continues }) => continues, stop: close },
  ),
  lookup: part(['table', 'lateFollows'], ({ table, lateFollows }, { options, ports }) =>
    createLookup(table, options.general.platform, ports.clock, lateFollows?.follow),
  ),
  plugins: part(['lookup', 'authorization'], (needed, context) => assemblePlugins(needed, context), {
    hooks: hook('start-apiserver-admission-initializer', 'generic-apiserver-start-informers'),
    sleeps,
    stop: (plugins) => plugins.forEach((plugin) => void plugin.close?.()),
  }),

  // ── Objects of every cluster, and what follows stored objects ─────────────────────────────────
  customResources: part(
    ['table', 'lookup'],
    async ({ table, lookup }, { options, shared, settings, queues, ports: { clock, telemetry, outbound } }) => {
      const { platform } = options.general
      const connect = createConnect(createServiceAddress(lookup, platform.name('<labels>/service-name')))
      const created = createCustomResources({
        ...{ table, platform, settings, clock, logger: telemetry.logger, outbound, connect, queues },
        metrics: options.general.metrics.record(conversionRows),
        rows: shared.of(definitionRows),
      })
      await created.ready
      return created
    },
    { hooks: hook('start-apiextensions-informers', 'crd-informer-synced'), sleeps, stop: close },
  ),
  definitionWriter: part(
    ['customResources', 'requests'],
    ({ customResources }, { options, fetchOwn }) => {
      customResources.start(createClient(fetchOwn, serverManager(options.general.platform)))
      return () => customResources.close()
    },
    { hooks: hook('start-apiextensions-controllers'), wakesAt: definitions, sleeps, stop },
  ),
  namespaces: part(['table'], ({ table }, context) => ensureNamespaces(table, hookContextOf(context)), {
    hooks: hook('start-system-namespaces-controller'),
    prepares,
  }),
  clusterAuthentication: part(
    ['table', 'stores', 'requests'],
    (needed, context) =>
      publishClusterAuthentication(context.options.authentication.clusterAuthentication ?? {}, contextOfWriter(needed, context)),
    {
      when: ({ options }) => options.authentication.clusterAuthentication !== undefined,
      hooks: hook('start-cluster-authentication-info-controller'),
      sleeps,
      stop,
    },
  ),
  legacyTokenTracking: part(['table', 'namespaces'], ({ table }, context) => ensureLegacyTokenTracking(table, hookContextOf(context)), {
    when: ({ options }) => options.authentication.serviceAccounts !== undefined,
    hooks: hook('start-legacy-token-tracking-controller'),
    prepares,
  }),
  reservations: part(['table'], ({ table }) => startReservations(table), {
    hooks: hook('start-service-ip-repair-controllers', 'start-<product>-service-cidr-controller'),
    sleeps,
    stop,
  }),
  defaultRoles: part(
    ['table', 'authorization', 'namespaces'],
    ({ table, authorization }, context) => authorization.rbac && ensureRbac(table, hookContextOf(context)),
    { when: mayUseRbac, hooks: hook('rbac/bootstrap-roles'), prepares },
  ),
  rbac: part(['table', 'authorization'], ({ table, authorization }, context) => startRbac(table, authorization.rbac, context), {
    after: ['defaultRoles'],
    when: mayUseRbac,
    stop,
  }),
  priorityClasses: part(['table'], ({ table }, context) => ensurePriorityClasses(table, hookContextOf(context)), {
    hooks: hook('scheduling/bootstrap-system-priority-classes'),
    prepares,
  }),
  flowControl: part(
    ['table', 'stores', 'requests'],
    (needed, context) => keepFlowControl(contextOfWriter(needed, context, flowControlProducer)),
    {
      when: ({ options }) => options.traffic.priorityAndFairness !== 'off',
      hooks: hook('priority-and-fairness-config-producer'),
      wakesAt: flowControlKinds,
      sleeps,
      stop,
    },
  ),
  flowSchemaStatus: part(
    ['table', 'stores', 'requests'],
    (needed, context) => reportDangling(contextOfWriter(needed, context, flowControlConsumer)),
    {
      when: ({ options }) => options.traffic.priorityAndFairness === 'on',
      hooks: hook('priority-and-fairness-config-consumer'),
      wakesAt: flowControlKinds,
      sleeps,
      stop,
    },
  ),
  requestMetrics: part([], (_needed, { options: { general, apis }, ports: { clock, telemetry } }) => {
    collectCensus(general.metrics)
    collectBuild(general.metrics, { platform: general.platform, version: general.version, gates: apis.gates })
    collectStart(general.metrics, clock)
    if (telemetry.usage) collectProcess(general.metrics, telemetry.usage)
    return requestMetrics(general.metrics)
  }),
  fairness: part(
    ['table', 'requestMetrics'],
    ({ table, requestMetrics }, context) => startFairness(table, requestMetrics.inflight, context),
    {
      when: ({ options }) => options.traffic.priorityAndFairness === 'on',
      hooks: hook('priority-and-fairness-filter'),
      stop: close,
    },
  ),

  // ── Requests, and what sends them ─────────────────────────────────────────────────────────────
  nodeAgents: part(
    [],
    (_needed, { options, ports: { files, telemetry } }) =>
      createNodeAgents(options.network.nodeAgentFiles, options.network.nodeAgentTimeout, { files, logger: telemetry.logger }),
    { stop: close },
  ),
  proxyClient: part([], (_needed, context) => readProxyClient(context), {
    when: ({ options }) => options.network.proxyClientFiles.certificate !== undefined,
    hooks: hook('aggregator-reload-proxy-client-cert'),
    stop: close,
  }),
  aggregation: part(['table', 'lookup', 'proxyClient', 'pauses'], (needed, context) => startAggregation(needed, context), {
    hooks: hook('start-<component>-aggregator-informers', 'apiservice-registration-controller', 'apiservice-wait-for-first-sync'),
    sleeps,
    stop: close,
  }),
  peerAddresses: part(['stores'], ({ stores }, context) => createAddresses(stores.main, context), { sleeps }),
  peers: part(
    ['table', 'proxyClient', 'aggregation', 'customResources', 'peerAddresses', 'pauses'],
    (needed, context) => startPeers(needed, context),
    {
      when: asksPeers,
      hooks: hook('mixed-version-proxy-handler', 'local-discovery-cache-sync', 'peer-discovery-workers'),
      stop: close,
    },
  ),
  audit: part(
    ['requestMetrics'],
    ({ requestMetrics }, { features, options, ports }) =>
      featureFor(features, 'audit', 'auditPolicy')(options, ports, requestMetrics.audit, requestMetrics.passed('audit')),
    {
      when: ({ options: { audit } }) => audit.auditPolicyFile !== undefined || audit.auditPolicy !== undefined,
      stop: (audit) => audit?.close(),
    },
  ),
  barrier: part(['table'], ({ table }, { options }) => storageVersionBarrier(table, options.general.platform), {
    when: writesStorageVersions,
  }),
  requests: part(
    [
      ...(['stores', 'encryption', 'table', 'identities', 'authorization', 'pauses', 'nodeAgents', 'peers'] as const),
      ...(['audit', 'encryptedData', 'requestMetrics', 'fairness', 'barrier', 'lateFollows'] as const),
    ],
    ({ stores, encryption, encryptedData, ...needed }, context) => {
      const { tracer } = context.ports.telemetry
      const health = once(() =>
        context.healthOf({ stores: stores.all, encryption, readyChecks: [definitionsCheck(context), encryptedData.check] }),
      )
      const begun = tracer && featureFor(context.features, 'tracing', 'telemetry.tracer')(tracer)
      return then(begun, (beginSpan) => {
        context.gate.open(createHandler(needed, { health, beginSpan }, context))
        return context.gate
      })
    },
    {
      // What a request would miss: rules, namespaces, allocations, plugins, custom resources and resources of other servers.
      after: ['rbac', 'namespaces', 'reservations', 'plugins', 'customResources', 'aggregation', 'encryptedDataSearch'],
      async stop(gate) {
        await gate.drainOwn()
        gate.close()
      },
    },
  ),
  autoRegistration: part(
    ['table', 'aggregation', 'customResources', 'requests'],
    ({ table, aggregation }, context) => registerOwn(table, aggregation, context),
    {
      hooks: [...hook('<component>-apiserver-autoregistration'), 'autoregister-completion'],
      wakesAt: [...definitions, registrations],
      ...{ sleeps, stop },
    },
  ),
  availability: part(['aggregation', 'requests'], ({ aggregation }, context) => reportAvailability(aggregation, context), {
    hooks: hook(
      ...['apiservice-status-local-available-controller', 'apiservice-status-remote-available-controller'],
      ...['apiservice-discovery-controller', 'apiservice-openapi-controller', 'apiservice-openapiv3-controller'],
    ),
    wakesAt: [registrations, 'services/specs', 'endpointslices'],
    sleeps,
    stop,
  }),
  ...controllerParts,
  compaction: part(
    ['stores'],
    ({ stores }, { options, ports }) => {
      const stops = stores.all.map((store) =>
        startCompaction(store, ports.clock, ports.telemetry.logger, options.storage.compactionInterval),
      )
      return () => stops.forEach((each) => void each())
    },
    { sleeps, stop },
  ),

  // ── Other servers and clients learn of this one ───────────────────────────────────────────────
  // Before the lease by which other servers notice this one.
  peerAddress: part(
    ['peerAddresses', 'requests'],
    ({ peerAddresses }, { options: { general, serving }, ports: { clock, telemetry } }) =>
      keepPeerAddress({
        identity: general.identity,
        address: peerAddressOf(serving),
        addresses: peerAddresses,
        clock,
        logger: telemetry.logger,
      }),
    { when: hasPeerAddress, hooks: hook('peer-endpoint-reconciler-controller'), sleeps, leave },
  ),
  identityLease: part(
    ['table', 'stores', 'namespaces', 'identities', 'requests'],
    async ({ identities, ...needed }, context) => {
      const { general, serving } = context.options
      const { platform, identity } = general
      const writer = contextOfWriter(needed, context)
      const keys = identities.serviceAccounts()?.keyIds
      const lease = await keepIdentityLease(writer, {
        ...general,
        annotations: {
          ...(hasPeerAddress(context) && peerAnnotation(serving, platform)),
          ...(keys && keysAnnotation(keys, platform)),
        },
      })
      if (keys) await compareAccountKeys(writer, identity, keys)
      return lease
    },
    {
      when: hasIdentityLease,
      hooks: hook('start-<component>-apiserver-identity-lease-controller'),
      sleeps,
      leave,
    },
  ),
  // After the lease: the versions of servers without one are deleted.
  storageVersions: part(
    ['table', 'stores', 'identityLease', 'barrier', 'requests'],
    ({ barrier, ...needed }, context) => {
      return keepStorageVersions(contextOfWriter(needed, context), context.options.general.identity, barrier)
    },
    { when: writesStorageVersions, hooks: hook('built-in-resources-storage-version-updater'), sleeps, stop },
  ),
  identityLeaseCollector: part(
    ['table', 'stores', 'requests'],
    (needed, context) => collectIdentityLeases(contextOfWriter(needed, context)),
    { when: hasIdentityLease, hooks: hook('start-<component>-apiserver-identity-lease-garbage-collector'), sleeps, stop },
  ),
  leadership: part(
    ['table', 'stores', 'namespaces', 'requests'],
    async (needed, context) => {
      const { general, leadership } = context.options
      return startLeadership(contextOfWriter(needed, context), { ...general, ...leadership })
    },
    {
      when: ({ options: { apis } }) => apis.gates.enabled('CoordinatedLeaderElection'),
      hooks: hook('start-<component>-apiserver-coordinated-leader-election-controller'),
      sleeps,
      leave,
    },
  ),
  // The last part that clients notice: from here on those of the service get to this server.
  clusterService: part(
    ['table', 'stores', 'namespaces', 'reservations', 'requests'],
    (needed, context) => {
      const { network, serving, storage } = context.options
      const own = { store: needed.stores.main, hookContext: () => hookContextOf(context) }
      return keepClusterService(contextOfWriter(needed, context), { ...network, ...serving, ...storage, ...own })
    },
    { hooks: hook('bootstrap-controller'), sleeps, leave },
  ),
  // It reads each resource once: after what clients wait for, and what the start itself writes.
  storageMetrics: part(
    ['table', 'stores'],
    ({ table, stores }, { options: { general, storage }, ports: { clock, telemetry } }) =>
      startStorageMetrics({
        ...storage,
        metrics: general.metrics,
        clock,
        logger: telemetry.logger,
        table,
        stores: stores.all,
        storeName: general.platform.storeName,
      }),
    { hooks: hook('storage-object-count-tracker-hook'), sleeps, stop },
  ),
}
