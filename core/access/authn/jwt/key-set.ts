/** JWKS of a provider: cached, and fetched again when no key verifies a token. */
import type { JWK } from 'jose'
import { pauseFor } from '../../../outgoing/time-limit.ts'
import { parseAnswer } from '../../../outgoing/webhook/parse-answer.ts'
import { sharedCalls } from '../../../outgoing/webhook/shared-calls.ts'
import type { Clock, Context } from '../../../ports.ts'
import { messageOf } from '../../../schema/message-of.ts'
import { AuthenticationError } from '../authenticator.ts'
import { fits } from './algorithms.ts'
import type { HttpsGet } from './https-get.ts'
import type { JwtHeader } from './token.ts'

export interface KeySet {
  /** Rejects with an AuthenticationError when no key signed the token. A fetch of keys ends when every request that waits for it is given up. */
  verify(token: string, header: JwtHeader, context: Context | undefined): Promise<void>
}

export interface KeySetOptions {
  readonly url: string
  readonly get: HttpsGet
  readonly clock: Clock
  /** Called after each fetch: the JWKS as received, or undefined after a failure. */
  fetched(keySet: string | undefined): void
}

/** Minimum milliseconds between fetches, because anybody can send tokens with an unknown key; concurrent callers share one fetch. */
const pause = 1_000
/** Age in milliseconds after which keys in use are refreshed, so that withdrawn keys stop being accepted. */
const freshFor = 300_000
const maxKeys = 256

interface Key {
  readonly jwk: JWK
  readonly imported: Map<string, Promise<CryptoKey>>
}

function readKeys(text: string): readonly Key[] {
  const document: unknown = parseAnswer(text)
  const keys: unknown = typeof document === 'object' && document !== null && 'keys' in document ? document.keys : undefined
  if (!Array.isArray(keys)) throw new Error('the key set has no keys')
  const objects = keys.filter((key): key is JWK => typeof key === 'object' && key !== null && 'kty' in key)
  return objects.slice(0, maxKeys).map((jwk) => ({ jwk, imported: new Map() }))
}

type Jose = typeof import('../jose.ts')

async function importKey({ jwk: { d: _private, ...published } }: Key, algorithm: string, { importJWK }: Jose): Promise<CryptoKey> {
  const key = await importJWK(published, algorithm)
  if (key instanceof Uint8Array) throw new Error('a shared secret is not a verification key')
  return key
}

function importOnce(key: Key, algorithm: string, jose: Jose): Promise<CryptoKey> {
  let imported = key.imported.get(algorithm)
  if (imported === undefined) {
    imported = importKey(key, algorithm, jose)
    key.imported.set(algorithm, imported)
  }
  return imported
}

export function createKeySet({ url, get, clock, fetched }: KeySetOptions): KeySet {
  let keys: readonly Key[] = []
  let published = ''
  let loading: Promise<Jose> | undefined
  let fetchedAt = Number.NEGATIVE_INFINITY
  const shared = sharedCalls<void>()
  /** Number of fetches started, and the number of the one that `keys` came from. */
  let begun = 0
  let current = 0

  async function fetchKeys(context: Context): Promise<void> {
    const { signal } = context
    const wait = fetchedAt + pause - clock.monotonic()
    if (wait > 0) await pauseFor(clock, wait, signal)
    signal.throwIfAborted()
    fetchedAt = clock.monotonic()
    const call = ++begun
    let text: string
    try {
      text = await get(url, context)
      // An unchanged JWKS is not imported again.
      if (text !== published) keys = readKeys(text)
      published = text
      current = call
    } catch (error) {
      signal.throwIfAborted()
      fetched(undefined)
      throw new AuthenticationError(`fetching keys: ${messageOf(error)}`)
    }
    fetched(text)
  }

  const refresh = async (context: Context | undefined) => shared('', context, fetchKeys)

  async function isSigned(token: string, { algorithm, keyId }: JwtHeader): Promise<boolean> {
    const candidates = keys
    loading ??= import('../jose.ts')
    const jose = await loading
    for (const key of candidates) {
      if ((keyId !== '' && key.jwk.kid !== keyId) || !fits(key.jwk, algorithm)) continue
      try {
        await jose.compactVerify(token, await importOnce(key, algorithm, jose), { algorithms: [algorithm] })
        return true
      } catch {
        // Several keys may share an id or have none: try the next.
      }
    }
    return false
  }

  return {
    async verify(token, header, context) {
      const before = begun
      const tried = keys
      if (await isSigned(token, header)) {
        // Refreshed in the background: while the provider is down, the cached keys stay valid.
        if (clock.monotonic() - fetchedAt > freshFor) refresh(undefined).catch(() => undefined)
        return
      }
      // Keys fetched since this call began are fresh enough.
      if (current <= before) await refresh(context)
      if (keys === tried || !(await isSigned(token, header))) throw new AuthenticationError('failed to verify id token signature')
    },
  }
}
