/** The published keys of a provider: kept, and got again when they don't verify a token. */
import type { JWK } from 'jose'
import type { Clock } from '../../ports.ts'
import { messageOf } from '../../schema/message-of.ts'
import { AuthenticationError } from '../authenticator.ts'
import { fits } from './algorithms.ts'
import type { HttpsGet } from './https-get.ts'
import type { JwtHeader } from './token.ts'

export interface KeySet {
  /** Rejects with an AuthenticationError when no key signed the token. */
  verify(token: string, header: JwtHeader): Promise<void>
}

export interface KeySetOptions {
  readonly url: string
  readonly get: HttpsGet
  readonly clock: Clock
  /** Is told of each try: the key set as it came, undefined when it did not. */
  fetched(keySet: string | undefined): void
}

/** Anybody can send tokens that no key signed: keys are got once in so long at most, and who comes in between waits. Milliseconds. */
const pause = 1_000
/** Keys in use are looked after this often, so that one that was withdrawn goes. Milliseconds. */
const freshFor = 300_000
const mostKeys = 256

interface Key {
  readonly jwk: JWK
  readonly imported: Map<string, Promise<CryptoKey>>
}

function readKeys(text: string): readonly Key[] {
  const document: unknown = JSON.parse(text)
  const keys: unknown = typeof document === 'object' && document !== null && 'keys' in document ? document.keys : undefined
  if (!Array.isArray(keys)) throw new Error('the key set has no keys')
  const objects = keys.filter((key): key is JWK => typeof key === 'object' && key !== null && 'kty' in key)
  return objects.slice(0, mostKeys).map((jwk) => ({ jwk, imported: new Map() }))
}

type Jose = typeof import('jose')

async function importKey({ jwk: { d: _private, ...published } }: Key, algorithm: string, { importJWK }: Jose): Promise<CryptoKey> {
  const key = await importJWK(published, algorithm)
  if (key instanceof Uint8Array) throw new Error('a shared secret is no key to verify with')
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
  let fetching: Promise<void> | undefined
  /** How many calls began, and which of them the keys are from. */
  let begun = 0
  let current = 0

  async function fetchKeys(): Promise<void> {
    const wait = fetchedAt + pause - clock.now()
    if (wait > 0) await new Promise<void>((resolve) => clock.after(wait, resolve))
    fetchedAt = clock.now()
    const call = ++begun
    let text: string
    try {
      text = await get(url)
      // The same keys need no second import.
      if (text !== published) keys = readKeys(text)
      published = text
      current = call
    } catch (error) {
      fetched(undefined)
      throw new AuthenticationError(`fetching keys: ${messageOf(error)}`)
    }
    fetched(text)
  }

  const refresh = () => {
    fetching ??= fetchKeys().finally(() => {
      fetching = undefined
    })
    return fetching
  }

  async function isSigned(token: string, { algorithm, keyId }: JwtHeader): Promise<boolean> {
    const candidates = keys
    loading ??= import('jose')
    const jose = await loading
    for (const key of candidates) {
      if ((keyId !== '' && key.jwk.kid !== keyId) || !fits(key.jwk, algorithm)) continue
      try {
        await jose.compactVerify(token, await importOnce(key, algorithm, jose), { algorithms: [algorithm] })
        return true
      } catch {
        // Another key may have the same id, or none.
      }
    }
    return false
  }

  return {
    async verify(token, header) {
      const before = begun
      const tried = keys
      if (await isSigned(token, header)) {
        // The provider may be down: what its keys verified before, they still do.
        if (clock.now() - fetchedAt > freshFor) refresh().catch(() => undefined)
        return
      }
      // Keys that came in the meantime are new enough.
      if (current <= before) await refresh()
      if (keys === tried || !(await isSigned(token, header))) throw new AuthenticationError('failed to verify id token signature')
    },
  }
}
