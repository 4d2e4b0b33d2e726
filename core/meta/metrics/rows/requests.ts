import { counter, gauge, histogram } from '../../../metrics.ts'

const resource = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const
const request = ['verb', 'dry_run', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const
const longer = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60]

/** Label combinations of requests. */
export const requestLabels = { labels: request, maxSeries: 10_000 } as const

export const requestRows = {
  requests: counter('apiserver_request_total', {
    stability: 'STABLE',
    help: 'Completed requests.',
    labels: [...request, 'code'],
    maxSeries: 20_000,
  }),
  durations: histogram('apiserver_request_duration_seconds', {
    stability: 'STABLE',
    help: 'Response latency, in seconds.',
    buckets: [0.005, 0.025, ...longer],
    ...requestLabels,
  }),
  ownDurations: histogram('apiserver_request_sli_duration_seconds', {
    help: 'Response latency without the time that requests waited for webhooks or in queues, in seconds.',
    labels: resource,
    buckets: longer,
    maxSeries: 10_000,
  }),
  formerDurations: histogram('apiserver_request_slo_duration_seconds', {
    help: 'Response latency without the time that requests waited for webhooks or in queues, in seconds.',
    deprecated: '1.27.0',
    labels: resource,
    buckets: longer,
    maxSeries: 10_000,
  }),
  sizes: histogram('apiserver_response_sizes', {
    stability: 'STABLE',
    help: 'Size of the responses to reading requests, in bytes.',
    labels: resource,
    buckets: [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9],
    maxSeries: 10_000,
  }),
  fieldValidation: histogram('field_validation_request_duration_seconds', {
    help: 'Values of fieldValidation in requests. As in the reference, which observes no durations, it has no counts.',
    labels: ['field_validation'],
    buckets: longer,
  }),
  bodySizes: histogram('apiserver_request_body_size_bytes', {
    help: 'Size of request bodies, in bytes.',
    labels: ['resource', 'verb', 'group'],
    buckets: Array.from({ length: 31 }, (_, step) => 50_000 + 100_000 * step),
    maxSeries: 5_000,
  }),
  selfRequests: counter('apiserver_selfrequest_total', {
    help: 'Requests of the server to itself.',
    labels: ['verb', 'group', 'resource', 'subresource'],
  }),
  filterDurations: histogram('apiserver_request_filter_duration_seconds', {
    help: 'Time that a filter took for a request before it passed the request on, in seconds.',
    labels: ['filter'],
    buckets: [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5, 10, 15, 30],
  }),
  terminations: counter('apiserver_request_terminations_total', {
    help: 'Requests that the server ended in self-defence: 429, or 504 after the timeout.',
    labels: [...resource, 'code'],
  }),
  lateEnds: counter('apiserver_request_post_timeout_total', {
    help: 'Handlers that ended after their request had timed out.',
    labels: ['source', 'status'],
  }),
  longRunning: gauge('apiserver_longrunning_requests', {
    stability: 'STABLE',
    help: 'Watches and streams in flight.',
    labels: resource,
    maxSeries: 10_000,
  }),
  deprecated: gauge('apiserver_requested_deprecated_apis', {
    stability: 'STABLE',
    help: 'Requested deprecated APIs.',
    labels: ['group', 'version', 'resource', 'subresource', 'removed_release'],
  }),
  inFlight: gauge('apiserver_current_inflight_requests', { stability: 'STABLE', help: 'Requests in flight.', labels: ['request_kind'] }),
  inQueue: gauge('apiserver_current_inqueue_requests', { help: 'Requests that wait for a seat.', labels: ['request_kind'] }),
  started: gauge('process_start_time_seconds', { stability: null, help: 'Start of the process, in seconds since the epoch.' }),
}
