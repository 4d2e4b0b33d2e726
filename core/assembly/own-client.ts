import { counter, histogram, type Metrics } from '../metrics.ts'
import type { Clock } from '../ports.ts'

/** Requests of the server to itself, which are calls in the process. */
export const ownClientRows = {
  requests: counter('rest_client_requests_total', 'Requests of the server to itself.', { labels: ['code', 'method', 'host'] }),
  durations: histogram('rest_client_request_duration_seconds', 'Duration of requests of the server to itself, in seconds.', {
    labels: ['verb', 'host'],
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
  }),
}

type Fetch = (request: Request) => Promise<Response>

/** Counts requests of the server to itself. `host`: the label. */
export function measuredClient(metrics: Metrics, clock: Pick<Clock, 'monotonic'>, host: string, fetch: Fetch): Fetch {
  const { requests, durations } = metrics.record(ownClientRows)
  return async (request) => {
    const { method } = request
    const began = clock.monotonic()
    const response = await fetch(request)
    durations.observe([method, host], (clock.monotonic() - began) / 1000)
    requests.add([String(response.status), method, host])
    return response
  }
}
