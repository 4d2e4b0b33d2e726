/** Who sends a request. */
import type { Authenticator, TokenAuthenticator } from '../access/authn/authenticator.ts'
import type { AuthenticationSettings } from '../access/authn/configured.ts'
import type { ClusterAuthentication } from '../controllers/bootstrap/cluster-authentication.ts'
import type { ServiceAccountKeys } from '../controllers/bootstrap/service-accounts.ts'
import type { WebhookConnection } from '../outgoing/webhook/connection.ts'
import { option, typesOf } from './option.ts'
import { bool, callable, filled, having, list, milliseconds, object, oneOf, record, refined, seconds, shape, text } from './types.ts'

const hour = 3_600_000

/** The parts of `serviceAccounts` that are not keys. */
export const serviceAccountOptions = {
  maxSeconds: option(seconds({ min: hour, max: 2 ** 32 * 1000 }), {
    description: 'Maximum validity of a service account token; requests for more are reduced to it. Default: no maximum.',
  }),
  extend: option(bool, {
    default: false,
    description: 'Extend tokens that are injected into pods to up to one year, regardless of the maximum validity.',
  }),
  lookup: option(bool, {
    default: true,
    description: 'Check that the Secret and the account of a legacy service account token still exist.',
  }),
}

const accountKeys = shape(
  {
    signingKey: text,
    verificationKeys: list(text),
    externalSigner: object,
    issuers: list(text),
    audiences: list(text),
    keySetUri: text,
    ...typesOf(serviceAccountOptions),
  },
  ['issuers', 'audiences'],
)

type PossibleKeys = Partial<ServiceAccountKeys & Record<'signingKey' | 'verificationKeys', unknown>>

const serviceAccounts = refined<PossibleKeys>(accountKeys, (keys) => {
  if (keys.issuers?.length === 0) return 'must have an issuer'
  const complete = 'externalSigner' in keys || (keys.signingKey !== undefined && keys.verificationKeys !== undefined)
  return complete ? undefined : 'must have signingKey and verificationKeys, or externalSigner'
})

/** The user that a bearer token authenticates. */
export interface TokenUser {
  readonly name: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: { readonly [key: string]: readonly string[] }
}

/** A webhook that is sent TokenReviews. */
export interface TokenWebhook {
  readonly connection: WebhookConnection
  /** Version of TokenReview; default `v1beta1`, as of the reference. */
  readonly version?: 'v1' | 'v1beta1'
  /** Time-to-live in milliseconds of cached results; default 120,000. */
  readonly cacheTtl?: number
}

const user = shape({ name: filled, uid: text, groups: list(text), extra: record(list(text)) }, ['name'])

const tokenAuthenticators = list(having({ name: text, authenticateToken: callable }))

export const authenticationOptions = {
  authenticators: option<readonly Authenticator[]>(list(having({ name: text, authenticate: callable })), {
    default: [],
    description: 'Additional authenticators of requests, such as client certificates, tried in this order before bearer tokens.',
  }),
  tokens: option<readonly { readonly token: string; readonly user: TokenUser }[]>(list(shape({ token: filled, user }, ['token', 'user'])), {
    default: [],
    description: 'Static bearer tokens and their users.',
  }),
  staticTokens: option<readonly TokenAuthenticator[]>(tokenAuthenticators, {
    default: [],
    description: 'Additional authenticators of bearer tokens, tried in this order before service account tokens.',
  }),
  bootstrapTokens: option(bool, {
    default: false,
    description: 'Accept bootstrap tokens, which are secrets of type bootstrap.<labels>/token in the system namespace.',
  }),
  tokenAuthenticators: option<readonly TokenAuthenticator[]>(tokenAuthenticators, {
    default: [],
    description: 'Additional authenticators of bearer tokens, tried in this order after all others.',
  }),
  tokenWebhook: option<TokenWebhook>(
    shape(
      {
        connection: shape({ url: text, options: object, authorization: callable }, ['url']),
        version: oneOf(['v1', 'v1beta1']),
        cacheTtl: milliseconds(),
      },
      ['connection'],
    ),
    { description: 'Webhook that authenticates bearer tokens, asked after all others, for runtimes without files.' },
  ),
  serviceAccounts: option<ServiceAccountKeys>(serviceAccounts as typeof accountKeys, {
    description: 'Keys and issuers of service account tokens. Absent: no such tokens are issued or accepted.',
  }),
  clusterAuthentication: option<ClusterAuthentication>(having({ client: object, frontProxies: object }, []), {
    description:
      'Authentication settings to publish for aggregated API servers (config map extension-apiserver-authentication). Absent: not published.',
  }),
  authentication: option<AuthenticationSettings>(shape({ configuration: text, conflicts: callable, egress: list(text), oidc: object }), {
    default: {},
    description: 'JWT authenticators, tried after service account and bootstrap tokens.',
  }),
  anonymous: option(bool, {
    default: true,
    description: 'Accept requests without credentials as user system:anonymous in group system:unauthenticated.',
  }),
}
