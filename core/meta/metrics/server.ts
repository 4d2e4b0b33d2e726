import type { AuditObserver, RecorderContext } from '../../audit/recorder.ts'
import { type ImpersonationMetrics, impersonationRows } from '../../authn/impersonation-metrics.ts'
import type { Gauge } from '../../metrics.ts'
import type { Clock } from '../../ports.ts'
import { createAuditMetrics } from './audit.ts'
import type { MetricsRegistry } from './registry.ts'
import { createRequestMetrics, type RequestMetrics } from './requests.ts'
import { requestRows } from './rows/requests.ts'

type Rows = typeof requestRows

/** General server metrics. */
export interface ServerMetrics extends RequestMetrics {
  readonly audit: AuditObserver & Pick<RecorderContext, 'passed'>
  readonly impersonation: ImpersonationMetrics
  /** Running watches and streams. */
  readonly longRunning: Gauge<Rows['longRunning']['labels']>
  /** 1 for requests to deprecated versions. */
  readonly deprecated: Gauge<Rows['deprecated']['labels']>
  /** Requests in flight that are not long-running, as `--max-requests-inflight` counts them; updated by the in-flight filter. */
  readonly inflight: { readOnly: number; mutating: number }
}

export function createServerMetrics(registry: MetricsRegistry, clock: Clock): ServerMetrics {
  const started = clock.now() / 1000
  const inflight = { readOnly: 0, mutating: 0 }
  registry.collect(requestRows.started, () => [[[], started]])
  registry.collect(requestRows.inFlight, () => Object.entries(inflight).map(([kind, count]) => [[kind], count]))
  const requests = createRequestMetrics(registry)
  return {
    ...requests,
    audit: { ...createAuditMetrics(registry), passed: requests.passed('audit') },
    impersonation: registry.record(impersonationRows),
    inflight,
    longRunning: registry.gauge(requestRows.longRunning),
    deprecated: registry.gauge(requestRows.deprecated),
  }
}
