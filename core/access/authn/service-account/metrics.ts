import { counter, type Recorded } from '../../../metrics.ts'

/** By use of a service account token. */
export const accountTokenRows = {
  legacy: counter('serviceaccount_legacy_tokens_total', 'Uses of service account tokens without audiences.'),
  'legacy-auto': counter('serviceaccount_legacy_auto_token_uses_total', 'Uses of legacy tokens in generated secrets of a service account.'),
  'legacy-manual': counter('serviceaccount_legacy_manual_token_uses_total', 'Uses of legacy tokens in manually created secrets.'),
  'invalid-auto': counter(
    'serviceaccount_invalid_legacy_auto_token_uses_total',
    'Uses of legacy tokens in generated secrets that have been marked invalid.',
  ),
  stale: counter('serviceaccount_stale_tokens_total', 'Uses of projected tokens that should have been refreshed.'),
  valid: counter('serviceaccount_valid_tokens_total', 'Uses of projected tokens before their refresh is due.'),
}

export type AccountTokenMetrics = Recorded<typeof accountTokenRows>
