/** Metrics of service account tokens and client certificates. */
import type { CertificateObserver } from '../../authn/certificate/client-certificate.ts'
import type { AccountTokenObserver, AccountTokenUse } from '../../authn/observer.ts'
import type { MetricRow } from './metric-row.ts'
import type { MetricsRegistry } from './registry.ts'
import { accountTokenRows, certificateRows } from './rows/authentication.ts'

const rowOf: { readonly [use in AccountTokenUse]: MetricRow<'counter', readonly []> } = accountTokenRows

export function createAccountTokenMetrics(registry: MetricsRegistry): AccountTokenObserver {
  const counters = new Map(Object.entries(rowOf).map(([use, row]) => [use, registry.counter(row)]))
  return (use) => counters.get(use)?.add([])
}

export function createCertificateMetrics(registry: MetricsRegistry): CertificateObserver {
  const remaining = registry.histogram(certificateRows.remaining)
  return (milliseconds) => remaining.observe([], milliseconds / 1000)
}
