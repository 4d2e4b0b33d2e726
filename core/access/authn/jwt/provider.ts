/** An OpenID provider: discovery and keys. */

import { parseAnswer } from '../../../outgoing/webhook/parse-answer.ts'
import type { Clock, Context, Logger } from '../../../ports.ts'
import { shorten } from '../../../schema/go/shorten.ts'
import { messageOf } from '../../../schema/message-of.ts'
import { AuthenticationError } from '../authenticator.ts'
import type { HttpsGet } from './https-get.ts'
import { createKeySet, type KeySet } from './key-set.ts'
import { type JwtToken, readHeader } from './token.ts'
import { validateTokenClaims } from './validate-claims.ts'

export interface ProviderOptions {
  readonly issuer: string
  /** URL of the discovery document; empty: the issuer's well-known path (OpenID Connect Discovery 1.0, 4). */
  readonly discoveryURL: string
  /** Accepted audiences; a token must name at least one. */
  readonly audiences: readonly string[]
  readonly algorithms: readonly string[]
  readonly get: HttpsGet
  readonly clock: Clock
  readonly logger: Logger
  /** Called after each fetch of keys: the JWKS as received, or undefined after a failure. */
  fetchedKeys(keySet: string | undefined): void
}

export interface Provider {
  /** Resolves when the first discovery attempt ends, whatever its result. */
  readonly tried: Promise<void>
  /** Resolves when discovery succeeds, which may be never. */
  readonly found: Promise<void>
  /** Verifies a token of this provider. Rejects with an AuthenticationError; before discovery has succeeded, it does so at once. */
  verify(token: JwtToken, context: Context | undefined): Promise<void>
  close(): void
}

/** Milliseconds between discovery attempts. */
const retryAfter = 10_000

/** Maximum characters of another issuer in an error. */
const maxShown = 1_024

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

/** Reads the JWKS URL of a discovery document. Throws an Error when the document belongs to another issuer. */
function readDiscovery(text: string, issuer: string): string {
  const document: unknown = parseAnswer(text)
  if (typeof document !== 'object' || document === null) throw new Error('the discovery document is not an object')
  const { issuer: named, jwks_uri: keys } = document as { readonly issuer?: unknown; readonly jwks_uri?: unknown }
  if (named !== issuer) {
    const got = JSON.stringify(shorten(textOf(named), maxShown))
    throw new Error(`issuer did not match the issuer returned by provider, expected ${JSON.stringify(issuer)} got ${got}`)
  }
  if (textOf(keys) === '') throw new Error('provider did not return JWKS URL')
  return textOf(keys)
}

/** Discovers the provider in the background; neither the start of the server nor other requests wait for it. */
export function createProvider(options: ProviderOptions): Provider {
  const { issuer, audiences, algorithms, get, clock, logger } = options
  const address = options.discoveryURL || `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  let keySet: KeySet | undefined
  let closed = false
  let cancelRetry = () => {}
  let resolveFound = () => {}
  const found = new Promise<void>((resolve) => {
    resolveFound = resolve
  })

  async function discover(): Promise<void> {
    try {
      const url = readDiscovery(await get(address, undefined), issuer)
      keySet = createKeySet({ url, get, clock, fetched: (keys) => closed || options.fetchedKeys(keys) })
      resolveFound()
    } catch (error) {
      if (closed) return
      logger.error({ issuer, error: messageOf(error) }, 'OIDC discovery failed; retrying')
      cancelRetry = clock.after(retryAfter, () => void discover())
    }
  }

  return {
    tried: discover(),
    found,
    async verify(token, context) {
      if (keySet === undefined) throw new AuthenticationError('authenticator not initialized')
      validateTokenClaims(token, issuer, audiences, clock.now())
      const header = readHeader(token.text)
      if (!algorithms.includes(header.algorithm)) {
        throw new AuthenticationError(`id token signed with unsupported algorithm, got ${JSON.stringify(header.algorithm)}`)
      }
      await keySet.verify(token.text, header, context)
    },
    close() {
      closed = true
      cancelRetry()
    },
  }
}
