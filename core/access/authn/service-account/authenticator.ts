import type { Platform } from '../../../platform.ts'
import type { Clock } from '../../../ports.ts'
import type { TokenAuthenticator } from '../authenticator.ts'
import type { KeySource } from '../certificate/keys.ts'
import { accountTokens, type Notes, noNotes } from './account-tokens.ts'
import { checkBoundObjects, type ObjectLookup } from './bound-objects.ts'
import { type AccountClaims, accountUser, readAccountClaims } from './claims.ts'
import type { AccountTokenMetrics } from './metrics.ts'

export interface ServiceAccountOptions {
  /** Accepted values of the claim `iss`. */
  readonly issuers: readonly string[]
  readonly keys: KeySource
  /** This server's own audiences (`--api-audiences`). */
  readonly audiences: readonly string[]
  readonly lookup: ObjectLookup
  readonly platform: Platform
  readonly clock: Clock
  readonly metrics: AccountTokenMetrics
}

/** Authenticates tokens issued by TokenRequests: signed by one of the keys, while the service account and the bound object exist. */
export function serviceAccountTokens({ lookup, platform, ...options }: ServiceAccountOptions): TokenAuthenticator {
  const { clock, metrics } = options
  const staleToken = platform.name('authentication.<domain>/stale-token')

  const notesOf = ({ warnafter }: AccountClaims, subject: string): Notes => {
    if (!warnafter) return noNotes
    const late = Math.floor(clock.now() / 1000) - warnafter
    metrics[late > 0 ? 'stale' : 'valid'].add([])
    return late > 0 ? { annotations: { [staleToken]: `subject: ${subject}, seconds after warning threshold: ${late}` } } : noNotes
  }

  return accountTokens({
    ...options,
    name: 'service-account',
    mustExpire: true,
    read(payload) {
      const claims = readAccountClaims(payload, platform)
      return {
        user: accountUser(claims, payload.jti, platform),
        check() {
          const found = checkBoundObjects(claims, lookup, clock.now())
          const notes = () => notesOf(claims, payload.sub ?? '')
          return found === undefined ? notes() : found.then(notes)
        },
      }
    },
  })
}
