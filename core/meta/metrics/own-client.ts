import type { Clock } from '../../ports.ts'
import type { MetricsRegistry } from './registry.ts'
import { ownClientRows as rows } from './rows/own-client.ts'

type Fetch = (request: Request) => Promise<Response>

/** Counts requests of the server to itself. `host`: the label. */
export function measuredClient(registry: MetricsRegistry, clock: Pick<Clock, 'monotonic'>, host: string, fetch: Fetch): Fetch {
  const requests = registry.counter(rows.requests)
  const durations = registry.histogram(rows.durations)
  return async (request) => {
    const { method } = request
    const began = clock.monotonic()
    const response = await fetch(request)
    durations.observe([method, host], (clock.monotonic() - began) / 1000)
    requests.add([String(response.status), method, host])
    return response
  }
}
