import type { Clock } from '../ports.ts'
import type { Counter, Gauge, Histogram, MetricsRegistry } from './metrics.ts'

/** General server metrics, with the reference server's names. */
export interface ServerMetrics {
  /** Labels: verb, dry_run, group, version, resource, subresource, scope, component, code. */
  readonly requests: Counter
  /** Seconds. Labels: verb, dry_run, group, version, resource, subresource, scope, component. */
  readonly durations: Histogram
  /** Running watches and streams. Labels: verb, group, version, resource, subresource, scope, component. */
  readonly longRunning: Gauge
  /** 1 for requests to deprecated versions. Labels: group, version, resource, subresource, removed_release. */
  readonly deprecated: Gauge
  /** Requests in flight that are not long-running, as `--max-requests-inflight` counts them; updated by the in-flight filter. */
  readonly inflight: { readOnly: number; mutating: number }
}

const resourceLabels = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component']
const deprecatedLabels = ['group', 'version', 'resource', 'subresource', 'removed_release']
const requestLabels = ['verb', 'dry_run', 'group', 'version', 'resource', 'subresource', 'scope', 'component']
const seconds = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60]

export function createServerMetrics(registry: MetricsRegistry, clock: Clock): ServerMetrics {
  const started = clock.now() / 1000
  const inflight = { readOnly: 0, mutating: 0 }
  registry.collect('process_start_time_seconds', 'Start of the process, in seconds since the epoch.', () => started)
  registry.collectBy('apiserver_current_inflight_requests', 'Requests in flight.', 'request_kind', () => inflight)
  return {
    inflight,
    requests: registry.counter('apiserver_request_total', 'Completed requests.', [...requestLabels, 'code']),
    durations: registry.histogram('apiserver_request_duration_seconds', 'Response latency, in seconds.', requestLabels, seconds),
    longRunning: registry.gauge('apiserver_longrunning_requests', 'Watches and streams in flight.', resourceLabels),
    deprecated: registry.gauge('apiserver_requested_deprecated_apis', 'Requested deprecated APIs.', deprecatedLabels),
  }
}
