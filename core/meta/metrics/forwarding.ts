import type { ForwardingObserver } from '../../outgoing/forwarding/observer.ts'
import type { Platform } from '../../platform.ts'
import type { MetricsRegistry } from './registry.ts'
import { forwardingRows as rows } from './rows/forwarding.ts'

export function createForwardingMetrics(registry: MetricsRegistry, { agent }: Pick<Platform, 'agent'>): ForwardingObserver {
  const streamed = registry.counter(rows.streamed)
  const translated = registry.counter(rows.translated)
  const tunnelled = registry.counter(rows.tunnelled)
  const logs = registry.counter(rows.logs)
  const refusedLogs = registry.counter(rows.refusedLogs)
  return {
    streamed: (subresource, direct) => streamed.add([subresource, direct ? `proxied_to_${agent}` : 'translated_at_apiserver']),
    translated: (code) => translated.add([String(code)]),
    tunnelled: (code) => tunnelled.add([String(code)]),
    logAsked: (unverified) => logs.add([unverified ? 'skip_tls_allowed' : 'enforce_tls']),
    logRefused: () => refusedLogs.add([]),
  }
}
