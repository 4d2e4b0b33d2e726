/** What answers the requests of a server: the filters, and the handlers behind them. */

import { attemptRows, countedAttempts } from '../access/authn/metrics.ts'
import { decisionRows } from '../access/authz/metrics.ts'
import { createAdmission } from '../admission/chain.ts'
import { chainRows } from '../admission/metrics.ts'
import { createAnswerServices } from '../answers/rendering/services.ts'
import { Alarms } from '../common/alarms.ts'
import type { MaybePromise } from '../common/maybe-promise.ts'
import { once } from '../common/once.ts'
import { filters } from '../filters/chain.ts'
import { compose, type Handler } from '../filters/filter.ts'
import { createRouter } from '../filters/router.ts'
import { createTerminations } from '../filters/terminations.ts'
import type { BeginSpan } from '../filters/tracing.ts'
import type { Health } from '../meta/health.ts'
import { createMeta } from '../meta/mount.ts'
import { peerListRows } from '../meta/peer-list-metrics.ts'
import { releaseOf } from '../meta/version.ts'
import { watchMetrics } from '../objects/watch/metrics.ts'
import type { CompleteOptions } from '../options/index.ts'
import { forwardingRows } from '../outgoing/forwarding/metrics.ts'
import { createNegotiator } from '../request/negotiate.ts'
import { createRouteMedia } from '../request/route-media.ts'
import { expressionRows } from '../schema/rule-metrics.ts'
import { createDispatch } from '../verbs/dispatch.ts'
import { layoutOf } from '../verbs/layout.ts'
import { resourceRows } from '../verbs/metrics.ts'
import { EquivalentVersions } from '../verbs/object-versions.ts'
import type { Services } from '../verbs/services.ts'
import type { AssemblyContext } from './context.ts'
import { debugPaths } from './fairness.ts'
import type { Parts } from './parts.ts'
import { startingParts } from './starting-parts.ts'

/** The parts that requests go through. */
export type RequestParts = Pick<
  Parts,
  | 'table'
  | 'pauses'
  | 'identities'
  | 'authorization'
  | 'nodeAgents'
  | 'peers'
  | 'audit'
  | 'requestMetrics'
  | 'fairness'
  | 'barrier'
  | 'lateFollows'
>

/** What it remembers is of headers alone. */
const negotiatorOf = ({ general, apis }: CompleteOptions) => createNegotiator(general.platform, apis.gates.enabled('CBORServingAndStorage'))

const routeMediaOf = ({ general, apis }: CompleteOptions) => createRouteMedia(general.platform, apis.gates.enabled('CBORServingAndStorage'))
const releaseOfServer = ({ general }: CompleteOptions) => releaseOf(general.version)

export function createHandler(
  parts: RequestParts,
  /** `beginSpan` absent: requests are not traced. */
  { health, beginSpan }: { readonly health: () => Health; readonly beginSpan: BeginSpan | undefined },
  { features, options, shared, ports, settings, loopback, late, healthMetrics, stored, debug }: AssemblyContext,
): Handler {
  const { table, pauses, identities, peers, requestMetrics, fairness, lateFollows } = parts
  const { authorizer } = parts.authorization
  const { general, apis, network, serving, traffic, authentication } = options
  const { platform, metrics, version } = general
  const { clock, outbound, telemetry } = ports
  const { logger } = telemetry
  const cbor = settings.enabled('CBORServingAndStorage')
  const negotiator = shared.of(negotiatorOf)
  const resourceMetrics = metrics.record(resourceRows)
  const chainMetrics = metrics.record(chainRows)
  const admission = once(() => createAdmission(late.value('plugins'), { clock, metrics: chainMetrics }))
  /** Plugins know what was written before the request. */
  function whenFollowed(admit: () => MaybePromise<void>): MaybePromise<void> {
    const beginning = lateFollows?.beginning()
    return beginning === undefined ? admit() : beginning.then(admit)
  }
  const cluster = { platform, settings, clock }
  const services: Services = {
    dispatch: {
      platform,
      table,
      cbor,
      metrics: resourceMetrics,
      release: shared.of(releaseOfServer),
      checkAccept: shared.of(routeMediaOf),
      layoutOf: (definition) => shared.from(definition, layoutOf),
    },
    bodies: { ...cluster, cbor, metrics: resourceMetrics },
    answers: createAnswerServices({ ...cluster, negotiator, pauses }),
    lists: { platform, settings, pauses, watchList: apis.watchList },
    watches: {
      clock,
      alarms: new Alarms(clock),
      metricsOf: watchMetrics(metrics, stored.watches),
      minRequestTimeout: traffic.minRequestTimeout,
      repeatBookmarks: traffic.repeatBookmarks,
    },
    writes: {
      ...cluster,
      table,
      equivalents: new EquivalentVersions(),
      pauses,
      admission: {
        mutate: (attributes) => whenFollowed(() => admission().mutate(attributes)),
        validate: (attributes) => whenFollowed(() => admission().validate(attributes)),
        finderOf: (resource) => admission().finderOf(resource),
      },
      authorizer,
      rules: { ...metrics.record(expressionRows), monotonic: () => clock.monotonic() },
      logger,
      deleteCollectionWorkers: traffic.deleteCollectionWorkers,
    },
    access: { authorizer, identities },
    agents: {
      ...cluster,
      table,
      pauses,
      outbound,
      nodeAgents: parts.nodeAgents,
      nodeAddressTypes: network.nodeAddressTypes,
      maxConnectionBytesPerSecond: traffic.maxConnectionBytesPerSecond,
      forwarding: metrics.record(forwardingRows),
    },
    connections: features.connections,
  }
  const chain = filters({
    traffic,
    serving,
    platform,
    settings,
    clock,
    logger,
    negotiator,
    authenticator: identities.authenticator,
    attempted: countedAttempts(metrics.record(attemptRows), platform),
    frontProxyHeaders: authentication.clusterAuthentication?.frontProxies?.headers,
    authorizer,
    decisions: metrics.record(decisionRows),
    metrics: requestMetrics,
    terminations: createTerminations(requestMetrics, table),
    own: loopback.connection,
    audit: parts.audit?.context,
    beginSpan,
    barrier: parts.barrier,
    pathHandlers: apis.pathHandlers,
    control: fairness?.control,
    limits: ports.limits,
  })
  const peerListMetrics = apis.gates.enabled('UnknownVersionInteroperabilityProxy') ? metrics.record(peerListRows) : undefined
  const meta = once(() => {
    const aggregated = late.value('aggregation')
    return createMeta({
      platform,
      metrics,
      version,
      serverAddress: serving.serverAddress,
      healthMetrics: healthMetrics().registry,
      settings,
      others: identities.documents,
      flags: general.flags,
      unlisted: [...(general.profiling ? debug() : []), ...(fairness ? debugPaths(fairness, ports.threads) : [])],
      ...(aggregated && { aggregated }),
      peers: peers?.lists,
      peerListMetrics,
      table,
      clock,
      health: health(),
      telemetry,
      pauses,
    })
  })
  const delegates = once(() => {
    const aggregation = late.value('aggregation')
    return [apis.delegates, ...(aggregation ? [aggregation.delegates] : [])]
  })
  const others = peers ? [peers.answer] : []
  const router = createRouter({
    delegates,
    resources: createDispatch(services),
    fixed: (exchange) => meta().answer(exchange),
    owns: (path) => meta().owns(path),
    others,
  })
  return compose(chain, startingParts(router, table, late))
}
