import { counter } from '../metrics.ts'

/** The aggregated discovery list of all servers. */
export const peerListRows = {
  hits: counter(
    'aggregator_discovery_peer_aggregated_cache_hits_total',
    'Requests for the aggregated discovery list of all servers that were answered with the one that was there.',
  ),
  misses: counter(
    'aggregator_discovery_peer_aggregated_cache_misses_total',
    'Times that the aggregated discovery list of all servers was made.',
  ),
  alone: counter(
    'aggregator_discovery_nopeer_requests_total',
    'Requests for an aggregated discovery list without what other servers of the cluster serve.',
  ),
}
