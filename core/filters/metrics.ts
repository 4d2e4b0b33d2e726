/** Metrics of requests. */

import { impersonationRows } from '../access/authn/impersonation-metrics.ts'
import { auditRows } from '../audit/metrics.ts'
import { createSeries } from '../meta/metrics/series.ts'
import { counter, gauge, histogram, type LabelValues, type Metrics } from '../metrics.ts'

const resource = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const
const request = ['verb', 'dry_run', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const
const longer = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60]

/** Label combinations of requests. */
const requestLabels = { labels: request, maxSeries: 10_000 } as const

export const requestRows = {
  requests: counter('apiserver_request_total', 'Completed requests.', {
    stability: 'STABLE',
    labels: [...request, 'code'],
    maxSeries: 20_000,
  }),
  durations: histogram('apiserver_request_duration_seconds', 'Response latency, in seconds.', {
    stability: 'STABLE',
    buckets: [0.005, 0.025, ...longer],
    ...requestLabels,
  }),
  ownDurations: histogram(
    'apiserver_request_sli_duration_seconds',
    'Response latency without the time that requests waited for webhooks or in queues, in seconds.',
    { labels: resource, buckets: longer, maxSeries: 10_000 },
  ),
  formerDurations: histogram(
    'apiserver_request_slo_duration_seconds',
    'Response latency without the time that requests waited for webhooks or in queues, in seconds.',
    { deprecated: '1.27.0', labels: resource, buckets: longer, maxSeries: 10_000 },
  ),
  sizes: histogram('apiserver_response_sizes', 'Size of the responses to reading requests, in bytes.', {
    stability: 'STABLE',
    labels: resource,
    buckets: [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9],
    maxSeries: 10_000,
  }),
  fieldValidation: histogram(
    'field_validation_request_duration_seconds',
    'Values of fieldValidation in requests. As in the reference, which observes no durations, it has no counts.',
    { labels: ['field_validation'], buckets: longer },
  ),
  selfRequests: counter('apiserver_selfrequest_total', 'Requests of the server to itself.', {
    labels: ['verb', 'group', 'resource', 'subresource'],
  }),
  filterDurations: histogram(
    'apiserver_request_filter_duration_seconds',
    'Time that a filter took for a request before it passed the request on, in seconds.',
    { labels: ['filter'], buckets: [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5, 10, 15, 30] },
  ),
  terminations: counter(
    'apiserver_request_terminations_total',
    'Requests that the server ended in self-defence: 429, or 504 after the timeout.',
    { labels: [...resource, 'code'] },
  ),
  lateEnds: counter('apiserver_request_post_timeout_total', 'Handlers that ended after their request had timed out.', {
    labels: ['source', 'status'],
  }),
  longRunning: gauge('apiserver_longrunning_requests', 'Watches and streams in flight.', {
    stability: 'STABLE',
    threads: 'sum',
    labels: resource,
    maxSeries: 10_000,
  }),
  inFlight: gauge('apiserver_current_inflight_requests', 'Requests in flight.', {
    stability: 'STABLE',
    threads: 'sum',
    labels: ['request_kind'],
  }),
}

export type RequestLabels = LabelValues<typeof requestLabels.labels>
/** Without `dry_run`. */
export type ResourceLabels = LabelValues<typeof requestRows.longRunning.labels>

/** Receives the milliseconds that a filter took for a request before it passed the request on. */
export type Passed = (milliseconds: number) => void

export type RequestMetrics = ReturnType<typeof requestMetrics>

export function requestMetrics(metrics: Metrics) {
  const { inFlight, ...counted } = requestRows
  const recorded = metrics.record(counted)
  /** Requests in flight that are not long-running, as `--max-requests-inflight` counts them; updated by the in-flight filter. */
  const inflight = { readOnly: 0, mutating: 0 }
  metrics.collect(inFlight, () => Object.entries(inflight).map(([kind, count]) => [[kind], count]))

  /** What is counted of the requests with the same labels, so that a request needs one look-up. */
  function create(labels: RequestLabels) {
    const [verb, dryRun, ...where] = labels
    const duration = recorded.durations.in(labels)
    const own = recorded.ownDurations.in([verb, ...where])
    const former = recorded.formerDurations.in([verb, ...where])
    const byCode = new Map<number, () => void>()
    return {
      /** A request ended with this status code after `seconds`, `waited` of which it waited for webhooks and in queues. */
      ended(code: number, seconds: number, waited: number): void {
        let count = byCode.get(code)
        if (count === undefined) {
          count = recorded.requests.in([...labels, String(code)])
          byCode.set(code, count)
        }
        count()
        duration(seconds)
        // As in the reference, which leaves dry runs out.
        if (dryRun !== '') return
        own(seconds - waited)
        former(seconds - waited)
      },
      /** Bytes of a response to a reading request. */
      sent: recorded.sizes.in([verb, ...where]),
    }
  }

  const all = createSeries(requestLabels, (values) => create(values as RequestLabels))
  return {
    ...recorded,
    inflight,
    audit: metrics.record(auditRows),
    impersonation: metrics.record(impersonationRows),
    series: (labels: RequestLabels) => all.of(labels).state,
    passed(filter: string): Passed {
      const observe = recorded.filterDurations.in([filter])
      return (milliseconds) => observe(milliseconds / 1000)
    },
  }
}
