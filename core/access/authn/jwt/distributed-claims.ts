/** Distributed claims: claims that the provider keeps at another endpoint (OpenID Connect Core 1.0, 5.6.2). */

import { untilAborted } from '../../../common/abort.ts'
import type { Context } from '../../../ports.ts'
import { isObject } from '../../../schema/json/is-object.ts'
import { messageOf } from '../../../schema/message-of.ts'
import { AuthenticationError } from '../authenticator.ts'
import type { HttpsGet } from './https-get.ts'
import type { Provider } from './provider.ts'
import { type Claims, claimOf, readJwt } from './token.ts'

export interface DistributedClaims {
  /** The claims plus the distributed claim, if the token says where that is. Rejects with an AuthenticationError. */
  expand(claims: Claims, context: Context | undefined): Promise<Claims>
  close(): void
}

interface Source {
  readonly endpoint: string
  readonly accessToken: string
}

/** Maximum number of providers of distributed claims that are cached; usually there is one. */
const maxProviders = 16

/** Endpoint of a claim; undefined when the token names none. */
function sourceOf(claims: Claims, claim: string): Source | undefined {
  const [names, sources] = [claimOf(claims, '_claim_names'), claimOf(claims, '_claim_sources')]
  if (names === undefined) return undefined
  if (!isObject(names)) throw new AuthenticationError('error parsing distributed claim names')
  if (!isObject(sources)) throw new AuthenticationError(sources === undefined ? 'no claim sources' : 'could not parse claim sources')
  for (const source of Object.values(names)) {
    if (typeof source !== 'string' || !isObject(claimOf(sources, source))) throw new AuthenticationError('source does not exist')
  }
  const name = claimOf(names, claim)
  const source = typeof name === 'string' ? claimOf(sources, name) : undefined
  if (!isObject(source)) return undefined
  const [endpoint = '', accessToken = ''] = [claimOf(source, 'endpoint'), claimOf(source, 'access_token')]
  if (typeof endpoint !== 'string' || typeof accessToken !== 'string') throw new AuthenticationError('could not parse claim sources')
  // A source without an endpoint is an aggregated claim, which is not supported.
  return endpoint === '' ? undefined : { endpoint, accessToken }
}

/** `providerOf` starts discovery of the issuer of a distributed claim. */
export function distributedClaims(claim: string, get: HttpsGet, providerOf: (issuer: string) => Provider): DistributedClaims {
  const providers = new Map<string, Provider>()

  function providerFor(issuer: string): Provider {
    let provider = providers.get(issuer)
    if (provider === undefined) {
      const [oldest] = providers
      if (oldest !== undefined && providers.size >= maxProviders) {
        providers.delete(oldest[0])
        oldest[1].close()
      }
      provider = providerOf(issuer)
      providers.set(issuer, provider)
    }
    return provider
  }

  async function ask({ endpoint, accessToken }: Source, context: Context | undefined): Promise<string> {
    try {
      return (await get(endpoint, context, accessToken === '' ? undefined : accessToken)).trim()
    } catch (error) {
      const why = messageOf(error)
      throw new AuthenticationError(`while getting distributed claim ${JSON.stringify(claim)}: ${why}`)
    }
  }

  return {
    async expand(claims, context) {
      const source = claimOf(claims, claim) === undefined ? sourceOf(claims, claim) : undefined
      if (source === undefined) return claims
      const token = readJwt(await ask(source, context))
      if (token === undefined) throw new AuthenticationError(`the endpoint of claim ${JSON.stringify(claim)} sent no token of an issuer`)
      const provider = providerFor(token.issuer)
      await (context ? untilAborted(provider.tried, context.signal) : provider.tried)
      await provider.verify(token, context)
      const value = claimOf(token.claims, claim)
      if (value === undefined) throw new AuthenticationError(`the token of its endpoint does not contain claim ${JSON.stringify(claim)}`)
      return { ...claims, [claim]: value }
    },
    close() {
      for (const provider of providers.values()) provider.close()
    },
  }
}
