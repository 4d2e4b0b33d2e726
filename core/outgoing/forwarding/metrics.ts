import { counter, type Recorded } from '../../metrics.ts'
import type { ForwardingServices } from './forward.ts'

const logs = 'kube_apiserver_pod_logs'

/** Connections to node agents. */
export const forwardingRows = {
  streamed: counter(
    'apiserver_websocket_streaming_requests_total',
    'WebSockets for subresources of pods, by what serves them: the node agent, or this server for it.',
    { labels: ['subresource', 'proxy_type'] },
  ),
  translated: counter(
    'apiserver_stream_translator_requests_total',
    'Commands that were translated from WebSocket to SPDY, by status code.',
    { labels: ['code'] },
  ),
  tunnelled: counter('apiserver_stream_tunnel_requests_total', 'Forwarded ports that were unpacked from WebSocket, by status code.', {
    labels: ['code'],
  }),
  logs: counter(`${logs}_insecure_backend_total`, 'Requests for logs, by whether the certificate of the node agent has to be verified.', {
    labels: ['usage'],
  }),
  refusedLogs: counter(
    `${logs}_backend_tls_failure_total`,
    'Requests for logs that failed because the certificate of the node agent could not be verified.',
  ),
}

export type ForwardingMetrics = Recorded<typeof forwardingRows>

/** Dependencies of connections to node agents. */
export interface AgentServices extends ForwardingServices {
  readonly forwarding: ForwardingMetrics
}
