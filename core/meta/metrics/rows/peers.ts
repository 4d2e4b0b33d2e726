import { counter } from '../../../metrics.ts'

const resource = ['group', 'version', 'resource'] as const

/** Requests that other servers of the cluster answer. */
export const peerRows = {
  rerouted: counter('apiserver_rerouted_request_total', {
    help: 'Requests sent on to another API server of the cluster, which alone serves their resource; without one: questions what that server serves.',
    labels: ['code', ...resource],
  }),
  failed: counter('apiserver_peer_proxy_errors_total', {
    help: 'Requests that could not be sent on to another API server of the cluster.',
    labels: ['type', ...resource],
  }),
  askingFailed: counter('apiserver_peer_discovery_sync_errors_total', {
    help: 'Failed questions what another API server of the cluster serves.',
    labels: ['type'],
  }),
}

/** The aggregated discovery list of all servers. */
export const peerListRows = {
  hits: counter('aggregator_discovery_peer_aggregated_cache_hits_total', {
    help: 'Requests for the aggregated discovery list of all servers that were answered with the one that was there.',
  }),
  misses: counter('aggregator_discovery_peer_aggregated_cache_misses_total', {
    help: 'Times that the aggregated discovery list of all servers was made.',
  }),
  alone: counter('aggregator_discovery_nopeer_requests_total', {
    help: 'Requests for an aggregated discovery list without what other servers of the cluster serve.',
  }),
}
