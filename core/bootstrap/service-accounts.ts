import type { TokenAuthenticator } from '../authn/authenticator.ts'
import { fixedKeys, type KeySource, loadVerificationKeys } from '../authn/certificate/keys.ts'
import type { AccountTokenObserver } from '../authn/observer.ts'
import { serviceAccountTokens } from '../authn/service-account/authenticator.ts'
import type { ObjectLookup } from '../authn/service-account/bound-objects.ts'
import type { ExternalSigner } from '../authn/service-account/external-signer.ts'
import { createTokenIssuer, keySigner, type TokenIssuer } from '../authn/service-account/issuer.ts'
import { legacyServiceAccountTokens } from '../authn/service-account/legacy.ts'
import { type SecretLookup, type StoredSecret, storedSecret } from '../authn/stored-secret.ts'
import type { Platform } from '../platform.ts'
import type { Clock, Logger } from '../ports.ts'
import type { ResourceTable } from '../registry/served.ts'
import { update } from '../registry/update.ts'
import { mainView } from '../registry/view.ts'
import type { ApiObject } from '../resources/definition.ts'
import { messageOf } from '../schema/message-of.ts'
import type { HookContext } from '../schema/model.ts'
import { ownWrite } from './objects.ts'

/** Keys in PEM. */
interface KeyFiles {
  /** Private key that signs. */
  readonly signingKey: string
  /** Keys that verify, public or private. */
  readonly verificationKeys: readonly string[]
}

/** How tokens of service accounts are issued and verified: with keys of our own, or by another process. */
export type ServiceAccountKeys = (KeyFiles | { readonly externalSigner: ExternalSigner }) & {
  /** The first one issues; all are accepted. */
  readonly issuers: readonly [string, ...string[]]
  readonly audiences: readonly string[]
  /** Longest validity of a token in seconds; absent: no limit. */
  readonly maxSeconds?: number
  /** Lets the tokens that pods get by themselves live for a year; default false. */
  readonly extend?: boolean
  /** Whether the tokens that stand in secrets have to be there still; default true. */
  readonly lookup?: boolean
  /** Address of the key set, for the discovery document; default: that of this server. */
  readonly keySetUri?: string
}

/** Issues and verifies tokens of service accounts; both look at what is stored. */
export interface ServiceAccounts {
  /** Of both kinds, tried in this order. */
  readonly tokens: readonly TokenAuthenticator[]
  readonly issuer: TokenIssuer
  readonly keys: KeySource
  readonly audiences: readonly string[]
  readonly maxSeconds?: number
  /** Validity in seconds of tokens that pods get by themselves; absent: as they ask. */
  readonly extendedSeconds?: number
  close(): void
}

export interface ServiceAccountContext {
  readonly table: ResourceTable
  readonly platform: Platform
  readonly clock: Clock
  readonly logger: Logger
  readonly settings: HookContext['settings']
  readonly observer: AccountTokenObserver
}

const year = 365 * 24 * 3600

type Read = (plural: string, namespace: string, name: string) => Promise<ApiObject | undefined>

/** Reads objects of the core group as they are stored. */
const reader =
  (table: ResourceTable): Read =>
  async (plural, namespace, name) => {
    const store = table.lookup('', 'v1', plural)?.store
    return store && (await store.get(store.keys.of(namespace, name)))?.decode()
  }

/** Finds secrets as they are stored. */
export function secretLookup(table: ResourceTable): SecretLookup {
  const read = reader(table)
  return async (namespace, name) => {
    const found = await read('secrets', namespace, name)
    return found && storedSecret(found)
  }
}

/** Sets a label of a secret, unless it has become another one. Failures are logged. */
function labeller({ table, platform, clock, logger, settings }: ServiceAccountContext) {
  return async ({ metadata }: StoredSecret, key: string, value: string): Promise<void> => {
    const resource = table.lookup('', 'v1', 'secrets')
    const { namespace = '', name = '', uid } = metadata
    if (resource === undefined) return
    const change = async (existing: ApiObject) => {
      if (existing.metadata.uid !== uid) throw new Error('the secret was made anew')
      return { ...existing, metadata: { ...existing.metadata, labels: { ...existing.metadata.labels, [key]: value } } }
    }
    const request = ownWrite({ platform, settings, now: clock.now() })
    try {
      await update(resource, namespace, name, { view: mainView(resource.definition), change }, request)
    } catch (error) {
      const why = messageOf(error)
      logger.error({ secret: `${namespace}/${name}`, error: why }, 'last use of a legacy token not recorded')
    }
  }
}

/** Rejects with an Error when a key is unusable. */
export async function createServiceAccounts(given: ServiceAccountKeys, context: ServiceAccountContext): Promise<ServiceAccounts> {
  const { table, platform, clock, observer } = context
  const { issuers, audiences, extend = false } = given
  const external = 'externalSigner' in given ? given.externalSigner : undefined
  const keys = 'externalSigner' in given ? given.externalSigner.keys : fixedKeys(await loadVerificationKeys(given.verificationKeys))
  const sign = 'externalSigner' in given ? given.externalSigner.sign : await keySigner(given.signingKey)
  const maxSeconds = given.maxSeconds || external?.maxSeconds
  const read = reader(table)
  const lookup: ObjectLookup = async (plural, namespace, name) => {
    const found = await read(plural, namespace, name)
    if (found === undefined) return undefined
    const { uid = '', deletionTimestamp } = found.metadata
    return { uid, ...(deletionTimestamp !== undefined && { deletionTimestamp }) }
  }
  const common = { keys, audiences, platform, clock, observer }
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
    keys,
    audiences,
    ...(maxSeconds && { maxSeconds }),
    ...(extend && { extendedSeconds: Math.min(year, external?.maxSeconds ?? year) }),
    close: () => external?.close(),
  }
}
