/** Legacy service account tokens: stored in Secrets, from before TokenRequests (KEP-2799). */
import type { JWTPayload } from 'jose'
import type { Platform } from '../../../platform.ts'
import type { Clock } from '../../../ports.ts'
import type { ApiObject } from '../../../resources/definition.ts'
import { AuthenticationError, type TokenAuthenticator } from '../authenticator.ts'
import type { KeySource } from '../certificate/keys.ts'
import { parseServiceAccountName, serviceAccountGroups, serviceAccountName } from '../names.ts'
import { sameSecret } from '../secret.ts'
import type { SecretLookup, StoredSecret } from '../stored-secret.ts'
import { accountTokens, type Notes } from './account-tokens.ts'
import type { Reference } from './claims.ts'
import type { TokenSigner } from './issuer.ts'
import type { AccountTokenMetrics } from './metrics.ts'

export interface LegacyTokenOptions {
  readonly keys: KeySource
  readonly audiences: readonly string[]
  /** Whether the Secret and the account must exist (`--service-account-lookup`). */
  readonly lookup: boolean
  readonly secretOf: SecretLookup
  accountOf(namespace: string, name: string): Promise<ApiObject | undefined>
  /** Sets a label on a Secret; must not throw. */
  label(secret: StoredSecret, key: string, value: string): Promise<void>
  readonly platform: Platform
  readonly clock: Clock
  readonly metrics: AccountTokenMetrics
}

interface Claims {
  readonly namespace: string
  readonly secret: string
  readonly account: string
  readonly uid: string
}

/** Signs the token of a Secret: of this account, without an expiry. */
export type LegacyTokenIssuer = (about: Reference & { readonly namespace: string; readonly secret: string }) => Promise<string>

/** As LegacyClaims in pkg/serviceaccount. */
export const legacyTokenIssuer =
  (sign: TokenSigner, platform: Platform): LegacyTokenIssuer =>
  ({ namespace, name, uid, secret }) => {
    const claim = (key: string) => platform.name(`<labels>/serviceaccount/${key}`)
    return sign({
      iss: platform.legacyIssuer,
      [claim('namespace')]: namespace,
      [claim('secret.name')]: secret,
      [claim('service-account.name')]: name,
      [claim('service-account.uid')]: uid,
      sub: serviceAccountName(namespace, name),
    })
  }

const day = 86_400_000
const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10)

const fail = (message: string): never => {
  throw new AuthenticationError(message)
}

function readClaims(payload: JWTPayload, platform: Platform): Claims {
  const claim = (key: string, name: string) => {
    const value = payload[platform.name(`<labels>/serviceaccount/${key}`)]
    return typeof value === 'string' && value !== '' ? value : fail(`${name} claim is missing`)
  }
  if (!payload.sub) fail('sub claim is missing')
  const claims = {
    namespace: claim('namespace', 'namespace'),
    secret: claim('secret.name', 'secretName'),
    account: claim('service-account.name', 'serviceAccountName'),
    uid: claim('service-account.uid', 'serviceAccountUID'),
  }
  const subject = parseServiceAccountName(payload.sub ?? '')
  if (subject?.namespace !== claims.namespace || subject.name !== claims.account) fail('sub claim is invalid')
  return claims
}

const generatedWarning =
  'Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.'

/**
 * Authenticates the token of a Secret while the Secret holds it and the account's UID is unchanged. Labels the Secret with the date of last
 * use, once a day.
 */
export function legacyServiceAccountTokens(options: LegacyTokenOptions): TokenAuthenticator {
  const { lookup, secretOf, accountOf, label, platform, clock, metrics } = options
  const lastUsed = platform.name('<labels>/legacy-token-last-used')
  const invalidSince = platform.name('<labels>/legacy-token-invalid-since')
  const note = (name: string) => platform.name(`authentication.<domain>/${name}`)

  const touch = async (secret: StoredSecret) => {
    const now = clock.now()
    // Another server's clock may be past midnight already.
    const recent = [dateOf(now), dateOf(now + day)]
    if (!recent.includes(secret.metadata.labels?.[lastUsed] ?? '')) await label(secret, lastUsed, dateOf(now))
  }

  const check = async ({ namespace, secret: secretName, account: name, uid }: Claims, token: string): Promise<Notes> => {
    const secret = await secretOf(namespace, secretName)
    if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) return fail('Token has been invalidated')
    if (!sameSecret(secret.text('token'), token)) fail("Token does not match server's copy")
    const account = await accountOf(namespace, name)
    if (account === undefined) return fail(`serviceaccounts ${JSON.stringify(name)} not found`)
    if (account.metadata.deletionTimestamp !== undefined) fail(`ServiceAccount ${namespace}/${name} has been deleted`)
    if (account.metadata.uid !== uid) fail(`ServiceAccount UID (${account.metadata.uid}) does not match claim (${uid})`)
    await touch(secret)
    const named = (account['secrets'] ?? []) as readonly { readonly name?: string }[]
    const generated = named.some((each) => each.name === secretName)
    if (secret.metadata.labels?.[invalidSince]) {
      if (generated) metrics['invalid-auto'].add([])
      fail(
        `the token in secret ${namespace}/${secretName} for service account ${namespace}/${name} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${invalidSince}' label from the secret to temporarily allow use of this token`,
      )
    }
    metrics[generated ? 'legacy-auto' : 'legacy-manual'].add([])
    const kind = generated ? 'legacy-token-autogenerated-secret' : 'legacy-token-manual-secret'
    return {
      ...(generated && { warnings: [generatedWarning] }),
      annotations: { [note('legacy-token')]: serviceAccountName(namespace, name), [note(kind)]: secretName },
    }
  }

  return accountTokens({
    ...options,
    name: 'legacy-service-account',
    issuers: [platform.legacyIssuer],
    mustExpire: false,
    read(payload, token) {
      const claims = readClaims(payload, platform)
      const { namespace, account, uid } = claims
      const user = { name: serviceAccountName(namespace, account), uid, groups: serviceAccountGroups(namespace) }
      const unchecked: Notes = { annotations: { [note('legacy-token')]: user.name } }
      return { user, check: () => (lookup ? check(claims, token) : unchecked) }
    },
  })
}
