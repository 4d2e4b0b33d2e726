import type { MetricsRegistry } from './registry.ts'
import { egressRows as rows } from './rows/egress.ts'

/** Receives the events of dials through proxies. */
export interface EgressObserver {
  started(protocol: string, transport: string): void
  connected(protocol: string, transport: string, milliseconds: number): void
  /** `stage`: connecting to the proxy, or the proxy's connection to the server. */
  failed(protocol: string, transport: string, stage: 'connect' | 'proxy'): void
}

export function createEgressMetrics(registry: MetricsRegistry): EgressObserver {
  const starts = registry.counter(rows.starts)
  const durations = registry.histogram(rows.durations)
  const failures = registry.counter(rows.failures)
  return {
    started: (protocol, transport) => starts.add([protocol, transport]),
    connected: (protocol, transport, milliseconds) => durations.observe([protocol, transport], milliseconds / 1000),
    failed: (protocol, transport, stage) => failures.add([protocol, stage, transport]),
  }
}
