import { counter, type Recorded } from '../metrics.ts'

const resource = ['group', 'version', 'resource'] as const

/** Requests that other servers of the cluster answer. */
export const peerRows = {
  rerouted: counter(
    'apiserver_rerouted_request_total',
    'Requests sent on to another API server of the cluster, which alone serves their resource; without one: questions what that server serves.',
    { labels: ['code', ...resource] },
  ),
  failed: counter('apiserver_peer_proxy_errors_total', 'Requests that could not be sent on to another API server of the cluster.', {
    labels: ['type', ...resource],
  }),
  askingFailed: counter('apiserver_peer_discovery_sync_errors_total', 'Failed questions what another API server of the cluster serves.', {
    labels: ['type'],
  }),
}

export type PeerMetrics = Recorded<typeof peerRows>
