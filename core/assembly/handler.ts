/** What answers the requests of a server: the filters, and the handlers behind them. */

import { attemptRows, countedAttempts } from '../access/authn/metrics.ts'
import type { Authorizer } from '../access/authz/authorizer.ts'
import { decisionRows } from '../access/authz/metrics.ts'
import type { AdmissionPlugin } from '../admission/attributes.ts'
import { createAdmission } from '../admission/chain.ts'
import { chainRows } from '../admission/metrics.ts'
import type { Aggregation } from '../aggregation/index.ts'
import { Alarms } from '../common/alarms.ts'
import type { Pauses } from '../common/slices.ts'
import { filters } from '../filters/chain.ts'
import { compose, type Handler } from '../filters/filter.ts'
import type { RequestMetrics } from '../filters/metrics.ts'
import { createRouter } from '../filters/router.ts'
import { createTerminations } from '../filters/terminations.ts'
import type { BeginSpan } from '../filters/tracing.ts'
import type { WriteBarrier } from '../filters/write-barrier.ts'
import type { Health } from '../meta/health.ts'
import { createMeta } from '../meta/mount.ts'
import { peerListRows } from '../meta/peer-list-metrics.ts'
import { releaseOf } from '../meta/version.ts'
import type { ResourceTable } from '../objects/registry/served.ts'
import { watchMetrics } from '../objects/watch/metrics.ts'
import { forwardingRows } from '../outgoing/forwarding/metrics.ts'
import type { NodeAgents } from '../outgoing/forwarding/node-agents.ts'
import type { Peers } from '../peers/index.ts'
import { createNegotiator } from '../request/negotiate.ts'
import { BufferPool } from '../schema/bytes.ts'
import { ProtobufEncoder } from '../schema/protobuf/protobuf.ts'
import { expressionRows } from '../schema/rule-metrics.ts'
import { createDispatch } from '../verbs/dispatch.ts'
import { ListBudget } from '../verbs/list-body.ts'
import { resourceRows } from '../verbs/metrics.ts'
import { WatchEncoders } from '../verbs/respond-watch.ts'
import type { Services } from '../verbs/services.ts'
import type { Audit } from './audit.ts'
import type { AssemblyContext } from './context.ts'
import { debugPaths, type Fairness } from './fairness.ts'
import type { Identities } from './identities.ts'

export interface HandlerParts {
  readonly table: ResourceTable
  readonly identities: Identities
  readonly authorizer: Authorizer
  readonly plugins: readonly AdmissionPlugin[]
  readonly pauses: Pauses
  readonly requestMetrics: RequestMetrics
  readonly fairness: Fairness | undefined
  readonly health: Health
  readonly nodeAgents: NodeAgents
  /** Absent: registrations are not served. */
  readonly aggregation: Aggregation | undefined
  /** Absent: other servers of the cluster are not asked. */
  readonly peers: Peers | undefined
  /** Absent: requests are not recorded. */
  readonly audit: Audit | undefined
  /** Absent: requests are not traced. */
  readonly beginSpan: BeginSpan | undefined
  /** Absent: no writes are held after the start. */
  readonly barrier: WriteBarrier | undefined
}

export function createHandler(
  parts: HandlerParts,
  { options, ports, settings, loopback, healthMetrics, stored, debug }: AssemblyContext,
): Handler {
  const {
    aggregation,
    table,
    identities,
    authorizer,
    plugins,
    pauses,
    health,
    nodeAgents,
    peers,
    audit,
    requestMetrics,
    fairness,
    beginSpan,
    barrier,
  } = parts
  const { general, apis, network, serving, traffic, authentication } = options
  const { platform, metrics, version } = general
  const { clock, outbound, telemetry } = ports
  const { logger } = telemetry
  const cbor = settings.enabled('CBORServingAndStorage')
  const negotiator = createNegotiator(platform, cbor)
  const services: Services = {
    platform,
    minRequestTimeout: traffic.minRequestTimeout,
    deleteCollectionWorkers: traffic.deleteCollectionWorkers,
    maxConnectionBytesPerSecond: traffic.maxConnectionBytesPerSecond,
    nodeAddressTypes: network.nodeAddressTypes,
    watchList: apis.watchList,
    release: releaseOf(version),
    settings,
    clock,
    alarms: new Alarms(clock),
    watchEncoders: new WatchEncoders(),
    protobuf: new ProtobufEncoder(),
    joining: new BufferPool(),
    listBudget: new ListBudget(),
    logger,
    outbound,
    nodeAgents,
    table,
    rules: { ...metrics.record(expressionRows), monotonic: () => clock.monotonic() },
    admission: createAdmission(plugins, { clock, metrics: metrics.record(chainRows) }),
    pauses,
    metrics: metrics.record(resourceRows),
    forwarding: metrics.record(forwardingRows),
    watches: watchMetrics(metrics, stored.watches),
    negotiator,
    cbor,
    authorizer,
    identities,
  }
  const chain = filters({
    ...traffic,
    ...serving,
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
    audit: audit?.context,
    beginSpan,
    barrier,
    control: fairness?.control,
  })
  const meta = createMeta({
    platform,
    metrics,
    version,
    serverAddress: serving.serverAddress,
    healthMetrics: healthMetrics.registry,
    settings,
    others: identities.documents,
    flags: general.flags,
    unlisted: [...(general.profiling ? debug : []), ...(fairness ? debugPaths(fairness) : [])],
    ...(aggregation && { aggregated: aggregation }),
    peers: peers?.lists,
    peerListMetrics: apis.gates.enabled('UnknownVersionInteroperabilityProxy') ? metrics.record(peerListRows) : undefined,
    table,
    clock,
    health,
    telemetry,
    pauses,
  })
  const delegates = [apis.delegates, ...(aggregation ? [aggregation.delegates] : [])]
  const others = peers ? [peers.answer] : []
  return compose(chain, createRouter({ delegates, resources: createDispatch(services), fixed: meta.answer, owns: meta.owns, others }))
}
