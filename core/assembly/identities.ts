/** Authentication: every method, in the order in which it is tried. */
import { forAudiences } from '../access/authn/audiences.ts'
import { type Authenticator, type TokenAuthenticator, union } from '../access/authn/authenticator.ts'
import { bearerAuthenticator } from '../access/authn/bearer.ts'
import { bootstrapTokens } from '../access/authn/bootstrap-token.ts'
import { type ConfiguredAuthentication, createAuthentication } from '../access/authn/configured.ts'
import { tokensWithAuthenticatedGroup, withAuthenticatedGroup } from '../access/authn/groups.ts'
import { authenticationFileRows, issuerReports, jwtRows } from '../access/authn/jwt/metrics.ts'
import { countedTokens, tokenRows } from '../access/authn/metrics.ts'
import { accountTokenRows } from '../access/authn/service-account/metrics.ts'
import { tokenTable } from '../access/authn/token-table.ts'
import { tokenUnion } from '../access/authn/token-union.ts'
import { webhookTokens } from '../access/authn/webhook-token.ts'
import { websocketAuthenticator } from '../access/authn/websocket.ts'
import { all, type MaybePromise, then } from '../common/maybe-promise.ts'
import { once } from '../common/once.ts'
import { reloadReports } from '../config/reload-metrics.ts'
import {
  type AccountKeySource,
  createServiceAccounts,
  importKeys,
  type ServiceAccounts,
  secretLookup,
} from '../controllers/bootstrap/service-accounts.ts'
import { issuerDocuments } from '../meta/issuer.ts'
import type { PublishedPaths } from '../meta/published-path.ts'
import type { ResourceTable } from '../objects/registry/served.ts'
import type { CompleteOptions } from '../options/index.ts'
import type { IdentityServices } from '../verbs/services.ts'
import type { AssemblyContext } from './context.ts'
import { featureFor } from './features/features.ts'

export interface Identities extends IdentityServices {
  readonly authenticator: Authenticator
  /** Undefined: no service account tokens are issued. */
  serviceAccounts(): ServiceAccounts | undefined
  /** Discovery documents of the service account issuer, by path. */
  readonly documents: PublishedPaths
  close(): void
}

const listedTokens = (tokens: CompleteOptions['authentication']['tokens']) =>
  tokenTable(
    'tokens',
    tokens.map(({ token, user }) => [token, { ...user, groups: user.groups ?? [] }]),
  )

/** Milliseconds that answers of a token webhook are cached (`--authentication-token-webhook-cache-ttl`). */
const tokenCacheTtl = 120_000

/** The webhook that authenticates tokens. */
function tokenWebhook({ options: { general, authentication }, ports }: AssemblyContext, audiences: readonly string[]) {
  const { tokenWebhook: settings } = authentication
  if (settings === undefined) return []
  const defaults = { version: 'v1beta1', cacheTtl: tokenCacheTtl } as const
  return [webhookTokens({ ...defaults, ...settings, audiences }, { ...ports, logger: ports.telemetry.logger, platform: general.platform })]
}

/** What identities are made of. */
interface Sources {
  readonly keys: AccountKeySource | undefined
  readonly listed: TokenAuthenticator | undefined
  readonly configured: ConfiguredAuthentication
}

/** Rejects with an Error that names every fault in the authentication options. */
export function createIdentities(table: ResourceTable, context: AssemblyContext): MaybePromise<Identities> {
  const { features, options, shared, ports } = context
  const { general, apis, authentication } = options
  const { platform, metrics, identity } = general
  const { serviceAccounts, anonymous, tokens } = authentication
  const sources = all([
    serviceAccounts && shared.later(serviceAccounts, importKeys),
    tokens.length > 0 ? shared.later(tokens, listedTokens) : undefined,
    createAuthentication({
      platform,
      gates: apis.gates,
      anonymous,
      settings: authentication.authentication,
      ownIssuers: serviceAccounts?.issuers ?? [],
      ports,
      reports: issuerReports(metrics.record(jwtRows), ports.clock, identity),
      reloads: reloadReports(metrics.record(authenticationFileRows), ports.clock, identity),
      configured: () => featureFor(features, 'authentication', 'authentication'),
    }),
  ])
  return then(sources, ([keys, listed, configured]) => identitiesFrom({ keys, listed, configured }, table, context))
}

/** Tokens of an authenticator that is made for the first of them: most servers of tests see none. */
function tokensWhenAsked(make: () => TokenAuthenticator): TokenAuthenticator {
  const made = once(make)
  return { name: 'tokens', authenticateToken: (token, audiences, context) => made().authenticateToken(token, audiences, context) }
}

function identitiesFrom({ keys: source, listed, configured }: Sources, table: ResourceTable, context: AssemblyContext): Identities {
  const { options, ports, settings, loopback } = context
  const { general, authentication, serving } = options
  const { platform, metrics } = general
  const { serviceAccounts: keys } = authentication
  const { clock } = ports
  const { logger } = ports.telemetry
  const accountContext = { table, platform, clock, logger, settings, metrics: metrics.record(accountTokenRows) }
  const accounts = once(() => keys && source && createServiceAccounts(keys, source, accountContext))
  const audiences = keys?.audiences ?? []
  const local = (each: TokenAuthenticator) => forAudiences(each, audiences)
  const webhook = tokenWebhook(context, audiences)
  const tokenMetrics = metrics.record(tokenRows)

  function knownTokens(): TokenAuthenticator {
    const joining = authentication.bootstrapTokens ? [bootstrapTokens({ secretOf: secretLookup(table), platform, clock, logger })] : []
    const known = tokenUnion([
      ...[...authentication.staticTokens, ...(listed ? [listed] : [])].map(local),
      ...(accounts()?.tokens ?? []),
      ...joining.map(local),
      ...(configured.tokens ? [local(configured.tokens)] : []),
      ...authentication.tokenAuthenticators,
      ...webhook,
    ])
    return countedTokens(known, tokenMetrics, clock)
  }

  const tokens = tokensWhenAsked(knownTokens)
  const methods = [...authentication.authenticators, bearerAuthenticator(tokens), websocketAuthenticator(tokens, platform)]

  function publishedBy({ keys: published }: AccountKeySource): Identities['documents'] {
    const [issuer = ''] = keys?.issuers ?? []
    const found = issuerDocuments({ issuer, keys: published, keySetUri: keys?.keySetUri ?? '', serverAddress: serving.serverAddress })
    if ('documents' in found) return found.documents
    logger.warn({}, `service account issuer is not discoverable: ${found.defect}`)
    return {}
  }

  return {
    authenticator: union(
      [loopback.authenticator, withAuthenticatedGroup(union(methods)), ...(configured.anonymous ? [configured.anonymous] : [])],
      'stop',
    ),
    tokens: tokensWithAuthenticatedGroup(tokens),
    audiences,
    serviceAccounts: accounts,
    documents: source ? publishedBy(source) : {},
    close() {
      configured.close()
      if (keys && 'externalSigner' in keys) keys.externalSigner.close()
    },
  }
}
