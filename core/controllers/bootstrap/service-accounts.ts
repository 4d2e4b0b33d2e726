import type { TokenAuthenticator } from '../../access/authn/authenticator.ts'
import { fixedKeys, KeyReader, type KeySource, loadSigningKey, loadVerificationKeys } from '../../access/authn/certificate/keys.ts'
import { serviceAccountTokens } from '../../access/authn/service-account/authenticator.ts'
import type { ObjectLookup } from '../../access/authn/service-account/bound-objects.ts'
import type { ExternalSigner } from '../../access/authn/service-account/external-signer.ts'
import { createTokenIssuer, keySigner, type TokenIssuer } from '../../access/authn/service-account/issuer.ts'
import { type LegacyTokenIssuer, legacyServiceAccountTokens, legacyTokenIssuer } from '../../access/authn/service-account/legacy.ts'
import type { AccountTokenMetrics } from '../../access/authn/service-account/metrics.ts'
import { type SecretLookup, type StoredSecret, storedSecret } from '../../access/authn/stored-secret.ts'
import { ownRequest } from '../../objects/registry/request.ts'
import type { ResourceTable } from '../../objects/registry/served.ts'
import { updateObject } from '../../objects/registry/update.ts'
import { mainView } from '../../objects/registry/view.ts'
import type { Platform } from '../../platform.ts'
import type { Clock, Logger } from '../../ports.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { HookContext } from '../../schema/model.ts'
import type { AccountKeys } from './account-keys.ts'

/** Keys in PEM. */
interface KeyFiles {
  /** Private key for signing. */
  readonly signingKey: string
  /** Keys for verification, public or private. */
  readonly verificationKeys: readonly string[]
}

/** Keys for issuing and verifying service account tokens: our own, or those of an external signer. */
export type ServiceAccountKeys = (KeyFiles | { readonly externalSigner: ExternalSigner }) & {
  /** The first one is the issuer of new tokens; all are accepted. */
  readonly issuers: readonly [string, ...string[]]
  readonly audiences: readonly string[]
  /** Maximum lifetime of a token in seconds; absent: no limit. */
  readonly maxSeconds?: number
  /** Extend the lifetime of projected tokens to a year; default false. */
  readonly extend?: boolean
  /** Whether the Secrets of legacy tokens must still exist; default true. */
  readonly lookup?: boolean
  /** URL of the JWKS in the discovery document; default: on this server. */
  readonly keySetUri?: string
}

/** Issues and verifies service account tokens; both check stored objects. */
export interface ServiceAccounts {
  /** Authenticators of both kinds of tokens, in order. */
  readonly tokens: readonly TokenAuthenticator[]
  readonly issuer: TokenIssuer
  /** Absent: an external signer has the key. */
  readonly legacyToken?: LegacyTokenIssuer
  /** Absent: an external signer has the keys. */
  readonly keyIds?: AccountKeys
  readonly keys: KeySource
  readonly audiences: readonly string[]
  readonly maxSeconds?: number
  /** Extended lifetime in seconds of projected tokens; absent: no extension. */
  readonly extendedSeconds?: number
}

export interface ServiceAccountContext {
  readonly table: ResourceTable
  readonly platform: Platform
  readonly clock: Clock
  readonly logger: Logger
  readonly settings: HookContext['settings']
  readonly metrics: AccountTokenMetrics
}

const year = 365 * 24 * 3600

type Read = (plural: string, namespace: string, name: string) => Promise<ApiObject | undefined>

/** Reads objects of the core group from the store. */
const reader =
  (table: ResourceTable): Read =>
  async (plural, namespace, name) => {
    const store = table.lookup('', 'v1', plural)?.store
    return store && (await store.get({ namespace, name }))?.copy()
  }

/** Reads Secrets from the store. */
export function secretLookup(table: ResourceTable): SecretLookup {
  const read = reader(table)
  return async (namespace, name) => {
    const found = await read('secrets', namespace, name)
    return found && storedSecret(found)
  }
}

/** Sets a label of a Secret, unless it was replaced by another one. Failures are logged. */
function labeller({ table, platform, clock, logger, settings }: ServiceAccountContext) {
  return async ({ metadata }: StoredSecret, key: string, value: string): Promise<void> => {
    const resource = table.lookup('', 'v1', 'secrets')
    const { namespace = '', name = '', uid } = metadata
    if (resource === undefined) return
    const change = async (existing: ApiObject) => {
      if (existing.metadata.uid !== uid) throw new Error('the secret was recreated')
      return { ...existing, metadata: { ...existing.metadata, labels: { ...existing.metadata.labels, [key]: value } } }
    }
    const request = ownRequest({ platform, settings, now: clock.now() })
    try {
      await updateObject(resource, namespace, name, { view: mainView(resource.definition), change }, request)
    } catch (error) {
      const why = messageOf(error)
      logger.error({ secret: `${namespace}/${name}`, error: why }, 'last use of a legacy token not recorded')
    }
  }
}

/** Where keys come from: our own, or an external signer. */
export type AccountKeySource = ExternalSigner | Awaited<ReturnType<typeof ownKeys>>

/** Imports keys. Rejects with an Error when one can't be used. */
export const importKeys = async (given: ServiceAccountKeys): Promise<AccountKeySource> =>
  'externalSigner' in given ? given.externalSigner : ownKeys(given)

async function ownKeys({ signingKey, verificationKeys }: KeyFiles) {
  // Mostly, the key that signs is one of those that verify.
  const reader = new KeyReader()
  const [accepted, signing] = await Promise.all([loadVerificationKeys(verificationKeys, reader), loadSigningKey(signingKey, reader)])
  return { keys: fixedKeys(accepted), sign: keySigner(signing), ids: { signing: signing.id, accepted: accepted.map(({ id }) => id) } }
}

export function createServiceAccounts(
  given: ServiceAccountKeys,
  source: AccountKeySource,
  context: ServiceAccountContext,
): ServiceAccounts {
  const { table, platform, clock, metrics } = context
  const { issuers, audiences, extend = false } = given
  const external = 'externalSigner' in given ? given.externalSigner : undefined
  const { keys, sign } = source
  const maxSeconds = given.maxSeconds ?? external?.maxSeconds
  const read = reader(table)
  const lookup: ObjectLookup = async (plural, namespace, name) => {
    const found = await read(plural, namespace, name)
    if (found === undefined) return undefined
    const { uid = '', deletionTimestamp } = found.metadata
    return { uid, ...(deletionTimestamp !== undefined && { deletionTimestamp }) }
  }
  const common = { keys, audiences, platform, clock, metrics }
  return {
    tokens: [
      serviceAccountTokens({ ...common, issuers, lookup }),
      legacyServiceAccountTokens({
        ...common,
        lookup: given.lookup ?? true,
        secretOf: secretLookup(table),
        accountOf: (namespace, name) => read('serviceaccounts', namespace, name),
        label: labeller(context),
      }),
    ],
    issuer: createTokenIssuer({ sign, issuer: issuers[0], platform, clock }),
    ...('ids' in source && { legacyToken: legacyTokenIssuer(sign, platform), keyIds: source.ids }),
    keys,
    audiences,
    ...(maxSeconds && { maxSeconds }),
    ...(extend && { extendedSeconds: Math.min(year, external?.maxSeconds ?? year) }),
  }
}
