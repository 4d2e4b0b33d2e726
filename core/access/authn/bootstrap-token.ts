import type { Platform } from '../../platform.ts'
import type { Clock, Logger } from '../../ports.ts'
import { epochMilliseconds } from '../../schema/formats/time.ts'
import type { TokenAuthenticator } from './authenticator.ts'
import { sameSecret } from './secret.ts'
import type { SecretLookup, StoredSecret } from './stored-secret.ts'

/** Token ID and token secret (`--enable-bootstrap-token-auth`). */
const tokenPattern = /^([a-z0-9]{6})\.([a-z0-9]{16})$/
const defaultGroup = 'system:bootstrappers'
const groupPattern = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/

export interface BootstrapTokenOptions {
  readonly secretOf: SecretLookup
  readonly platform: Platform
  readonly clock: Clock
  readonly logger: Logger
}

const extraGroups = (secret: StoredSecret) => secret.text('auth-extra-groups').split(',')
const hasExtraGroups = (secret: StoredSecret) => secret.text('auth-extra-groups') !== ''

/** Why a Secret does not authenticate its token, or undefined. `now` in milliseconds. */
function defectOf(secret: StoredSecret, id: string, password: string, type: string, now: number): string | undefined {
  const expiration = secret.text('expiration')
  if (secret.metadata.deletionTimestamp !== undefined) return 'is deleted and awaiting removal'
  if (secret.type !== type) return `has invalid type, expected ${type}`
  if (!sameSecret(secret.text('token-secret'), password)) return 'has another value for key token-secret'
  if (secret.text('token-id') !== id) return `has invalid value for key token-id, expected ${id}`
  // A time that is not of RFC 3339 counts as expired.
  if (expiration !== '' && !((epochMilliseconds(expiration) ?? now) > now)) return 'has expired'
  if (secret.text('usage-bootstrap-authentication') !== 'true') return 'not marked usage-bootstrap-authentication=true'
  const strange = hasExtraGroups(secret) ? extraGroups(secret).find((group) => !groupPattern.test(group)) : undefined
  return strange === undefined ? undefined : `has invalid value for key auth-extra-groups: ${JSON.stringify(strange)}`
}

/**
 * Authenticates joining nodes by `ID.SECRET` against the Secret `bootstrap-token-ID` of the system namespace. No opinion on tokens of
 * another form or without a matching Secret; the reason is logged at debug level.
 */
export function bootstrapTokens({ secretOf, platform, clock, logger }: BootstrapTokenOptions): TokenAuthenticator {
  const namespace = platform.namespaces.system
  const type = platform.name('bootstrap.<labels>/token')
  return {
    name: 'bootstrap-token',
    authenticateToken(token) {
      const [, id, password] = tokenPattern.exec(token) ?? []
      if (id === undefined || password === undefined) return undefined
      const name = `bootstrap-token-${id}`
      return secretOf(namespace, name).then((secret) => {
        const defect = secret === undefined ? 'does not exist' : defectOf(secret, id, password, type, clock.now())
        if (secret === undefined || defect !== undefined) {
          logger.debug({ secret: `${namespace}/${name}` }, `bootstrap secret matching bearer token ${defect}`)
          return undefined
        }
        const groups = [...new Set([defaultGroup, ...(hasExtraGroups(secret) ? extraGroups(secret) : [])])].sort()
        return { user: { name: `system:bootstrap:${id}`, groups } }
      })
    },
  }
}
