import type { MaybePromise } from '../common/maybe-promise.ts'
import type { Loopback } from '../controllers/bootstrap/loopback.ts'
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

/** Parts with health checks of their own. */
export interface HealthParts {
  readonly stores: readonly KeyValueStore[]
  readonly encryption: Encryption | undefined
  /** Checks of `/readyz` only. */
  readonly readyChecks: readonly HealthCheck[]
}

/** What exists before the first part of a server starts. */
export interface AssemblyContext {
  readonly options: CompleteOptions
  readonly ports: HostPorts
  /** Opens the stores, or returns those that are open. */
  open(): MaybePromise<OpenStores>
  readonly settings: ClusterSettings
  readonly gate: RequestGate
  readonly loopback: Loopback
  /** Sends requests with the server's own identity. */
  fetchOwn(request: Request): Promise<Response>
  /** Metrics of work queues. */
  readonly queues: QueueMetrics
  /** Metrics of calls to the stores, of watch caches and of watches. */
  readonly stored: StoredMetrics
  readonly healthMetrics: HealthMetrics
  /** Paths below `/debug/`; a debugging socket serves them to everybody. */
  readonly debug: readonly FixedPath[]
  /** The health endpoints. `found` is absent until the parts with checks of their own have started. */
  healthOf(found?: HealthParts): Health
}

/** For objects that the server writes while it starts. */
export const hookContextOf = ({ options: { general }, settings, ports }: AssemblyContext): HookContext => ({
  platform: general.platform,
  settings,
  now: ports.clock.now(),
})
