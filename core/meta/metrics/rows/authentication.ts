import { counter, doubling, gauge, histogram } from '../metric-row.ts'

const jwt = 'apiserver_authentication_jwt_authenticator'
const signer = 'apiserver_externaljwt'
const cache = 'authentication_token_cache'
const [hour, day] = [3_600, 86_400]

export const attemptRows = {
  attempts: counter('authentication_attempts', { help: 'Authentication attempts, by result.', labels: ['result'] }),
  users: counter('authenticated_user_requests', { help: 'Authenticated requests, by kind of username.', labels: ['username'] }),
  durations: histogram('authentication_duration_seconds', {
    help: 'Duration of authentication attempts, in seconds.',
    labels: ['result'],
    buckets: doubling(0.001, 15),
  }),
}

export const tokenRows = {
  requests: counter(`${cache}_request_total`, { help: 'Lookups of bearer tokens.', labels: ['status'] }),
  durations: histogram(`${cache}_request_duration_seconds`, {
    help: 'Duration of bearer token lookups, in seconds.',
    labels: ['status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  }),
  fetches: counter(`${cache}_fetch_total`, { help: 'Bearer tokens that were not cached.', labels: ['status'] }),
  active: gauge(`${cache}_active_fetch_count`, { help: 'Bearer tokens being looked up.', labels: ['status'] }),
}

export const jwtRows = {
  latency: histogram(`${jwt}_latency_seconds`, {
    help: 'Duration of JWT authentication of tokens that were not cached, in seconds.',
    labels: ['result', 'jwt_issuer_hash'],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  }),
  fetched: gauge(`${jwt}_jwks_fetch_last_timestamp_seconds`, {
    help: 'Time of the last JWKS fetch of an issuer, in seconds since the epoch.',
    labels: ['result', 'jwt_issuer_hash', 'apiserver_id_hash'],
  }),
  keySet: gauge(`${jwt}_jwks_fetch_last_key_set_info`, {
    help: 'Hash of the JWKS of an issuer in use.',
    labels: ['jwt_issuer_hash', 'apiserver_id_hash', 'hash'],
  }),
}

const impersonation = 'apiserver_impersonation'
const attempt = { labels: ['mode', 'decision'] } as const
const attemptSeconds = { ...attempt, buckets: doubling(0.001, 15) } as const

export const impersonationRows = {
  attempts: counter(`${impersonation}_attempts_total`, { help: 'Attempts to act as another user.', ...attempt }),
  attemptDurations: histogram(`${impersonation}_attempts_duration_seconds`, {
    help: 'Duration of attempts to act as another user, in seconds.',
    ...attemptSeconds,
  }),
  checks: counter(`${impersonation}_authorization_attempts_total`, {
    help: 'Permissions that the authorizer was asked about for attempts to act as another user.',
    ...attempt,
  }),
  checkDurations: histogram(`${impersonation}_authorization_attempts_duration_seconds`, {
    help: 'Duration of these questions to the authorizer, in seconds.',
    ...attemptSeconds,
  }),
}

/** By use of a service account token. */
export const accountTokenRows = {
  legacy: counter('serviceaccount_legacy_tokens_total', { help: 'Uses of service account tokens without audiences.' }),
  'legacy-auto': counter('serviceaccount_legacy_auto_token_uses_total', {
    help: 'Uses of legacy tokens in generated secrets of a service account.',
  }),
  'legacy-manual': counter('serviceaccount_legacy_manual_token_uses_total', {
    help: 'Uses of legacy tokens in manually created secrets.',
  }),
  'invalid-auto': counter('serviceaccount_invalid_legacy_auto_token_uses_total', {
    help: 'Uses of legacy tokens in generated secrets that have been marked invalid.',
  }),
  stale: counter('serviceaccount_stale_tokens_total', { help: 'Uses of projected tokens that should have been refreshed.' }),
  valid: counter('serviceaccount_valid_tokens_total', { help: 'Uses of projected tokens before their refresh is due.' }),
}

export const certificateRows = {
  remaining: histogram('apiserver_client_certificate_expiration_seconds', {
    help: 'Remaining lifetime of the client certificate of a request, in seconds.',
    buckets: [...[0, 0.5, 1, 2, 6, 12].map((hours) => hours * hour), ...[1, 2, 4, 7, 30, 90, 180, 360].map((days) => days * day)],
  }),
}

export const externalSignerRows = {
  calls: histogram(`${signer}_request_duration_seconds`, {
    help: 'Duration of a call to the external signer, in seconds.',
    labels: ['method', 'code'],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  }),
  signed: counter(`${signer}_sign_request_total`, { help: 'Sign requests to the external signer.', labels: ['code'] }),
  fetches: counter(`${signer}_fetch_keys_request_total`, { help: 'Key fetches from the external signer.', labels: ['code'] }),
  fetchedAt: gauge(`${signer}_fetch_keys_success_timestamp`, { help: 'Time of the last key fetch, in seconds since the epoch.' }),
  dataFrom: gauge(`${signer}_fetch_keys_data_timestamp`, { help: 'Data timestamp of these keys, in seconds since the epoch.' }),
}
