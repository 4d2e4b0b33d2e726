/** Authenticators for tokens of OpenID providers and other JWT issuers. */

import { Pauses } from '../../../common/slices.ts'
import type { Platform } from '../../../platform.ts'
import type { Clock, Context, Logger, Outbound } from '../../../ports.ts'
import { type Authentication, AuthenticationError, type TokenAuthenticator } from '../authenticator.ts'
import { distributedClaims } from './distributed-claims.ts'
import { createGet } from './https-get.ts'
import type { IssuerReports } from './metrics.ts'
import { createProvider } from './provider.ts'
import { issuerEgresses, type JwtSettings } from './settings.ts'
import { type JwtToken, readJwt } from './token.ts'
import { userOfClaims } from './user.ts'

export interface JwtContext {
  readonly platform: Platform
  readonly clock: Clock
  readonly logger: Logger
  readonly outbound: Pick<Outbound, 'fetch'>
  readonly reports: Pick<IssuerReports, 'authenticated' | 'fetchedKeys'>
  /** Signature algorithms that are accepted. */
  readonly algorithms: readonly string[]
}

export interface JwtAuthenticators extends TokenAuthenticator {
  /** Whether discovery of every provider finishes within this many milliseconds. */
  found(milliseconds: number): Promise<boolean>
  close(): void
}

interface IssuerAuthenticator {
  authenticate(token: JwtToken, context: Context | undefined): Promise<Authentication>
  readonly found: Promise<void>
  close(): void
}

/**
 * Authenticates tokens of these issuers. The unverified claim `iss` selects the entry that verifies the token; an issuer has one entry
 * only. Providers are discovered in the background: until then their tokens are refused.
 */
export function jwtAuthenticators(list: readonly JwtSettings[], context: JwtContext): JwtAuthenticators {
  const byIssuer = new Map(list.map((settings) => [settings.issuer.url, issuerAuthenticator(settings, context)]))
  return {
    name: 'jwt',
    authenticateToken(text, _audiences, context) {
      const token = readJwt(text)
      return token && byIssuer.get(token.issuer)?.authenticate(token, context)
    },
    found(milliseconds) {
      return new Promise((resolve) => {
        const cancel = context.clock.after(milliseconds, () => resolve(false))
        void Promise.all([...byIssuer.values()].map(({ found }) => found)).then(() => {
          cancel()
          resolve(true)
        })
      })
    },
    close() {
      for (const each of byIssuer.values()) each.close()
    },
  }
}

function issuerAuthenticator(settings: JwtSettings, context: JwtContext): IssuerAuthenticator {
  const { clock, outbound, reports, platform } = context
  const pauses = new Pauses(clock)
  const { url: issuer, discoveryURL, certificateAuthority, audiences, egressSelectorType } = settings.issuer
  const egress = issuerEgresses.find((each) => each === egressSelectorType)
  const get = createGet(outbound, certificateAuthority, egress)
  const toUser = userOfClaims(settings, platform)
  const fetchedKeys = (keySet: string | undefined) => reports.fetchedKeys(issuer, keySet)
  const provider = createProvider({ ...context, issuer, discoveryURL, audiences, get, fetchedKeys })
  const { claim } = settings.claimMappings.groups
  const providerOf = (other: string) =>
    createProvider({ ...context, issuer: other, discoveryURL: '', audiences, get, fetchedKeys: () => undefined })
  const distributed = claim === '' ? undefined : distributedClaims(claim, get, providerOf)

  async function userOf(token: JwtToken, context: Context | undefined): Promise<Authentication> {
    await provider.verify(token, context)
    const claims = (await distributed?.expand(token.claims, context)) ?? token.claims
    // Other requests may wait for the same token.
    return { user: await toUser(claims, pauses.sharedSlices()) }
  }

  return {
    found: provider.found,
    async authenticate(token, context) {
      const began = clock.monotonic()
      const finish = (accepted: boolean) => reports.authenticated(issuer, accepted, clock.monotonic() - began)
      try {
        const found = await userOf(token, context)
        finish(true)
        return found
      } catch (error) {
        context?.signal.throwIfAborted()
        finish(false)
        if (error instanceof AuthenticationError) throw new AuthenticationError(`oidc: ${error.message}`)
        throw error
      }
    },
    close() {
      provider.close()
      distributed?.close()
    },
  }
}
