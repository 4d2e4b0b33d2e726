import type { TokenAuthenticator } from '../authn/authenticator.ts'
import type { ObjectLookup } from '../authn/bound-objects.ts'
import { loadVerificationKeys } from '../authn/keys.ts'
import { serviceAccountTokens } from '../authn/service-account.ts'
import { createTokenIssuer, type TokenIssuer } from '../authn/token-issuer.ts'
import type { Platform } from '../platform.ts'
import type { Clock } from '../ports.ts'
import type { ResourceTable } from '../registry/served.ts'

/** Keys of service account tokens. */
export interface ServiceAccountKeys {
  /** PEM of the private key that signs. */
  readonly signingKey: string
  /** PEMs of keys that verify, public or private. */
  readonly verificationKeys: readonly string[]
  /** The first one issues; all are accepted. */
  readonly issuers: readonly [string, ...string[]]
  readonly audiences: readonly string[]
  /** Longest validity of a token in seconds; absent: no limit. */
  readonly maxSeconds?: number
  /** Lets the tokens that pods get by themselves live for a year; default false. */
  readonly extend?: boolean
}

/** Issues and verifies tokens of service accounts; both look at what is stored. */
export interface ServiceAccounts {
  readonly tokens: TokenAuthenticator
  readonly issuer: TokenIssuer
  readonly audiences: readonly string[]
  readonly maxSeconds?: number
  readonly extend?: boolean
}

/** Rejects with an Error when a key is unusable. */
export async function createServiceAccounts(
  { signingKey, verificationKeys, issuers, audiences, ...limits }: ServiceAccountKeys,
  table: ResourceTable,
  platform: Platform,
  clock: Clock,
): Promise<ServiceAccounts> {
  const lookup: ObjectLookup = async (plural, namespace, name) => {
    const store = table.lookup('', 'v1', plural)?.store
    const found = store && (await store.get(store.keys.of(namespace, name)))
    if (found === undefined) return undefined
    const { uid = '', deletionTimestamp } = found.decode().metadata
    return { uid, ...(deletionTimestamp !== undefined && { deletionTimestamp }) }
  }
  const keys = await loadVerificationKeys(verificationKeys)
  return {
    tokens: serviceAccountTokens({ issuers, keys, audiences, lookup, platform, clock }),
    issuer: await createTokenIssuer({ signingKeyPem: signingKey, issuer: issuers[0], platform, clock }),
    audiences,
    ...limits,
  }
}
