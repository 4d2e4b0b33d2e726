/** Metrics of service account tokens and client certificates, with the reference server's names. */
import type { CertificateObserver } from '../authn/certificate/client-certificate.ts'
import type { AccountTokenObserver, AccountTokenUse } from '../authn/observer.ts'
import type { MetricsRegistry } from './metrics.ts'

const uses: { readonly [use in AccountTokenUse]: readonly [name: string, help: string] } = {
  legacy: ['legacy_tokens_total', 'Uses of service account tokens without audiences.'],
  'legacy-auto': ['legacy_auto_token_uses_total', 'Uses of legacy tokens in generated secrets of a service account.'],
  'legacy-manual': ['legacy_manual_token_uses_total', 'Uses of legacy tokens in manually created secrets.'],
  stale: ['stale_tokens_total', 'Uses of projected tokens that should have been refreshed.'],
  valid: ['valid_tokens_total', 'Uses of projected tokens before their refresh is due.'],
}

const [hour, day] = [3_600, 86_400]
const remaining = [0, 0.5, 1, 2, 6, 12].map((hours) => hours * hour).concat([1, 2, 4, 7, 30, 90, 180, 360].map((days) => days * day))

export function createAccountTokenMetrics(registry: MetricsRegistry): AccountTokenObserver {
  const counters = new Map(Object.entries(uses).map(([use, [name, help]]) => [use, registry.counter(`serviceaccount_${name}`, help, [])]))
  return (use) => counters.get(use)?.add([])
}

export function createCertificateMetrics(registry: MetricsRegistry): CertificateObserver {
  const histogram = registry.histogram(
    'apiserver_client_certificate_expiration_seconds',
    'Remaining lifetime of the client certificate of a request, in seconds.',
    [],
    remaining,
  )
  return (milliseconds) => histogram.observe([], milliseconds / 1000)
}
