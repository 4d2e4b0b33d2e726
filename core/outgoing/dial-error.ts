/** Errors of outgoing connections in the words of Go's net package, which clients show. */
import { messageOf } from '../schema/message-of.ts'
import { addressOf, hostOf } from './url-parts.ts'

const connecting: { readonly [code: string]: string } = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  EADDRNOTAVAIL: 'connect: cannot assign requested address',
  EACCES: 'connect: permission denied',
  ETIMEDOUT: 'i/o timeout',
}

const looking: { readonly [code: string]: string } = {
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'Temporary failure in name resolution',
}

const unknownAuthority = 'tls: failed to verify certificate: x509: certificate signed by unknown authority'

const others: { readonly [code: string]: string } = {
  CERT_HAS_EXPIRED: 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid',
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  ECONNRESET: 'EOF',
  EPIPE: 'EOF',
}

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** OpenSSL's words when the first bytes are no TLS record, as those of a server that speaks HTTP. */
const isPlain = (error: unknown) => messageOf(error).includes('wrong version number')

/** If several addresses were tried, the error of the last one. */
const last = (error: unknown): unknown => (error instanceof AggregateError ? error.errors.at(-1) : error)

/** Message of a failed DNS lookup. */
export const lookupError = (error: unknown, host: string) => `lookup ${host}: ${looking[codeOf(error)] ?? messageOf(error)}`

/** Message of a failed call. */
export function dialError(given: unknown, origin: URL): string {
  const error = last(given)
  const code = codeOf(error)
  const refused = connecting[code]
  if (isPlain(error)) return 'tls: first record does not look like a TLS handshake'
  if (refused !== undefined) return `dial tcp ${addressOf(origin)}: ${refused}`
  return code in looking ? `dial tcp: ${lookupError(error, hostOf(origin))}` : (others[code] ?? messageOf(error))
}

/** As `dialError`, for calls that the reference makes with Go's HTTP client: that knows a response of HTTP when it expects TLS. */
export const clientError = (error: unknown, origin: URL): string =>
  isPlain(last(error)) ? 'http: server gave HTTP response to HTTPS client' : dialError(error, origin)
