import { counter, gauge, histogram } from '../metric-row.ts'

const resource = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const
const request = ['verb', 'dry_run', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const

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
    labels: request,
    buckets: [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60],
    maxSeries: 10_000,
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
  started: gauge('process_start_time_seconds', { stability: null, help: 'Start of the process, in seconds since the epoch.' }),
}
