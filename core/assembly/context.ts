import type { AdmissionPlugin } from '../admission/attributes.ts'
import type { Aggregation } from '../aggregation/index.ts'
import type { MaybePromise } from '../common/maybe-promise.ts'
import type { Shared } from '../common/shared.ts'
import type { Loopback } from '../controllers/bootstrap/loopback.ts'
import type { CustomResources } from '../controllers/custom-resources/index.ts'
import type { QueueMetrics } from '../controllers/queue-metrics.ts'
import type { Encryption } from '../encryption/configured.ts'
import type { RequestGate } from '../filters/request-gate.ts'
import type { FixedPath } from '../meta/fixed-request.ts'
import type { Health, HealthCheck } from '../meta/health.ts'
import type { HealthMetrics } from '../meta/metrics/health.ts'
import type { StoredMetrics } from '../objects/storage/metrics.ts'
import type { CompleteOptions } from '../options/index.ts'
import type { HostPorts, KeyValueStore, OpenStores } from '../ports.ts'
import type { ClusterSettings, HookContext } from '../schema/model.ts'
import type { Features } from './features/features.ts'

/** Parts with health checks of their own. */
export interface HealthParts {
  readonly stores: readonly KeyValueStore[]
  readonly encryption: Encryption | undefined
  /** Checks of `/readyz` only. */
  readonly readyChecks: readonly HealthCheck[]
}

/** Parts that requests need, and that a server which continues a state starts when a request needs them. */
export interface LateParts {
  readonly plugins: readonly AdmissionPlugin[]
  readonly customResources: CustomResources
  /** Absent: registrations are not served. */
  readonly aggregation: Aggregation | undefined
}

export interface Late {
  /** Starts these parts; undefined when they have started. */
  demand(names: readonly (keyof LateParts)[]): Promise<unknown> | undefined
  /** All of them have started. */
  isComplete(): boolean
  /** The value of a part that has started. */
  value<Name extends keyof LateParts>(name: Name): LateParts[Name]
}

/** What exists before the first part of a server starts. */
export interface AssemblyContext {
  readonly features: Partial<Features>
  readonly options: CompleteOptions
  /** What other servers with the same options use too. */
  readonly shared: Shared<CompleteOptions>
  /** The server continues a prepared state (`Relations.continues`). */
  readonly continues: boolean
  readonly ports: HostPorts
  /** Opens the stores, or returns those that are open. */
  open(): MaybePromise<OpenStores>
  readonly settings: ClusterSettings
  readonly late: Late
  readonly gate: RequestGate
  readonly loopback: Loopback
  /** Sends requests with the server's own identity. */
  fetchOwn(request: Request): Promise<Response>
  /** Metrics of work queues. */
  readonly queues: QueueMetrics
  /** Metrics of calls to the stores, of watch caches and of watches. */
  readonly stored: StoredMetrics
  healthMetrics(): HealthMetrics
  /** Paths below `/debug/`; a debugging socket serves them to everybody. */
  debug(): readonly FixedPath[]
  /** The health endpoints. `found` is absent until the parts with checks of their own have started. */
  healthOf(found?: HealthParts): Health
}

/** For objects that the server writes while it starts. */
export const hookContextOf = ({ options: { general }, settings, ports }: AssemblyContext): HookContext => ({
  platform: general.platform,
  settings,
  now: ports.clock.now(),
})
