/** Metrics of calls to an external signer, with the reference server's names. */
import type { SignerObserver } from '../authn/service-account/signer-observer.ts'
import type { Clock } from '../ports.ts'
import type { MetricsRegistry } from './metrics.ts'

const prefix = 'apiserver_externaljwt'
const seconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

export function createExternalSignerMetrics(registry: MetricsRegistry, clock: Clock): SignerObserver {
  const calls = registry.histogram(
    `${prefix}_request_duration_seconds`,
    'Duration of a call to the external signer, in seconds.',
    ['method', 'code'],
    seconds,
  )
  const signed = registry.counter(`${prefix}_sign_request_total`, 'Sign requests to the external signer.', ['code'])
  const fetches = registry.counter(`${prefix}_fetch_keys_request_total`, 'Key fetches from the external signer.', ['code'])
  const fetchedAt = registry.gauge(`${prefix}_fetch_keys_success_timestamp`, 'Time of the last key fetch, in seconds since the epoch.', [])
  const dataFrom = registry.gauge(`${prefix}_fetch_keys_data_timestamp`, 'Data timestamp of these keys, in seconds since the epoch.', [])
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
