/** Metrics of calls to an external signer, with the reference server's names. */
import type { SignerObserver } from '../../authn/service-account/signer-observer.ts'
import type { Clock } from '../../ports.ts'
import type { MetricsRegistry } from './registry.ts'
import { externalSignerRows as rows } from './rows/authentication.ts'

export function createExternalSignerMetrics(registry: MetricsRegistry, clock: Clock): SignerObserver {
  const calls = registry.histogram(rows.calls)
  const signed = registry.counter(rows.signed)
  const fetches = registry.counter(rows.fetches)
  const fetchedAt = registry.gauge(rows.fetchedAt)
  const dataFrom = registry.gauge(rows.dataFrom)
  return {
    called: (method, code, milliseconds) => calls.observe([method, code], milliseconds / 1000),
    signed: (code) => signed.add([code]),
    fetchedKeys(code, readAt) {
      fetches.add([code])
      if (readAt === undefined) return
      fetchedAt.set([], Math.floor(clock.now() / 1000))
      dataFrom.set([], readAt)
    },
  }
}
