/** Discovery document and JWKS of the service account issuer, for verification by others (KEP-1393). */
import type { KeySource, VerificationKey } from '../access/authn/certificate/keys.ts'
import { Reply } from '../answers/reply.ts'
import type { PublishedPaths } from './published-path.ts'

export const discoveryPath = '/.well-known/openid-configuration'
export const keySetPath = '/openid/v1/jwks'

export interface IssuerOptions {
  readonly issuer: string
  readonly keys: KeySource
  /** URL of the JWKS; empty: on this server. */
  readonly keySetUri: string
  /** Host and port of this server. */
  readonly serverAddress: string
}

/** Members of a key in the JWKS. */
const members = ['use', 'kty', 'kid', 'crv', 'alg', 'x', 'y', 'n', 'e'] as const

const listed = ({ jwk }: VerificationKey) =>
  Object.fromEntries(members.flatMap((member) => (jwk[member] === undefined ? [] : [[member, jwk[member]]])))

/** Why the issuer can't be discovered (OpenID Connect Discovery 1.0, section 3), or undefined. */
function defectOf({ issuer, keySetUri }: IssuerOptions): string | undefined {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  if (url?.protocol !== 'https:') return `issuer URL must use https scheme, got: ${issuer}`
  if (url.search !== '') return `issuer URL may not include a query, got: ${issuer}`
  if (url.hash !== '') return `issuer URL may not include a fragment, got: ${issuer}`
  const keySet = URL.canParse(keySetUri) ? new URL(keySetUri) : undefined
  return keySetUri === '' || keySet?.protocol === 'https:' ? undefined : `jwksURI requires https scheme, got: ${keySetUri}`
}

/** The documents by path, or the reason why there are none. */
export function issuerDocuments(options: IssuerOptions): { readonly documents: PublishedPaths } | { readonly defect: string } {
  const defect = defectOf(options)
  if (defect !== undefined) return { defect }
  const { issuer, keys, keySetUri, serverAddress } = options
  const document = (type: string, content: object) =>
    new Reply(JSON.stringify(content), { headers: { 'content-type': type, 'cache-control': `public, max-age=${keys.maxAge()}` } })
  return {
    documents: {
      [discoveryPath]: {
        id: 'getServiceAccountIssuerOpenIDConfiguration',
        tag: 'WellKnown',
        description: 'get the configuration of the service account issuer',
        type: 'application/json',
        respond: () =>
          document('application/json', {
            issuer,
            jwks_uri: keySetUri || `https://${serverAddress}${keySetPath}`,
            response_types_supported: ['id_token'],
            subject_types_supported: ['public'],
            id_token_signing_alg_values_supported: [...new Set(keys.published().map(({ algorithm }) => algorithm))].sort(),
          }),
      },
      [keySetPath]: {
        id: 'getServiceAccountIssuerOpenIDKeyset',
        tag: 'openid',
        description: 'get the public keys that verify service account tokens',
        type: 'application/jwk-set+json',
        respond: () => document('application/jwk-set+json', { keys: keys.published().map(listed) }),
      },
    },
  }
}
