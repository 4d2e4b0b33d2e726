import type { JWTPayload } from 'jose'
import type { Platform } from '../../../platform.ts'
import type { Clock } from '../../../ports.ts'
import type { SigningKey } from '../certificate/keys.ts'
import { serviceAccountName } from '../names.ts'
import type { AccountClaims, Reference } from './claims.ts'

/** Signs claims as a compact JWT. */
export type TokenSigner = (claims: JWTPayload) => Promise<string>

export interface TokenIssuerOptions {
  readonly sign: TokenSigner
  /** Claim `iss`. */
  readonly issuer: string
  readonly platform: Platform
  readonly clock: Clock
}

export interface TokenRequest extends Reference {
  readonly namespace: string
  readonly audiences: readonly string[]
  readonly expirationSeconds: number
  /** The token is invalid once this object is deleted. For a pod, the token also names its node. */
  readonly boundObject?:
    | (Reference & { readonly kind: 'Pod'; readonly node?: { readonly name: string; readonly uid?: string } })
    | (Reference & { readonly kind: 'Secret' })
    | (Reference & { readonly kind: 'Node' })
  /** Seconds after which the token counts as stale, for tokens with an extended lifetime. */
  readonly warnAfterSeconds?: number
}

export interface IssuedToken {
  readonly token: string
  /** RFC 3339, whole seconds. */
  readonly expirationTimestamp: string
  /** Credential ID as in the user's extra and in audit annotations: `JTI=…`. */
  readonly credentialId: string
}

export interface TokenIssuer {
  issue(request: TokenRequest): Promise<IssuedToken>
}

function boundClaims({ boundObject }: TokenRequest): Pick<AccountClaims, 'node' | 'pod' | 'secret'> {
  if (boundObject === undefined) return {}
  const { name, uid } = boundObject
  if (boundObject.kind === 'Secret') return { secret: { name, uid } }
  if (boundObject.kind === 'Node') return { node: { name, uid } }
  return { ...(boundObject.node && { node: boundObject.node }), pod: { name, uid } }
}

/** Signs with a private key, whose id is in the tokens. */
export function keySigner({ key, algorithm: alg, id: kid }: SigningKey): TokenSigner {
  return async (claims) => {
    const { SignJWT } = await import('../jose.ts')
    return new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(key)
  }
}

export function createTokenIssuer({ sign, issuer, platform, clock }: TokenIssuerOptions): TokenIssuer {
  return {
    issue: async (request) => {
      const { namespace, name, uid, audiences, expirationSeconds, warnAfterSeconds } = request
      const now = Math.floor(clock.now() / 1000)
      const jti = crypto.randomUUID()
      const account: AccountClaims = {
        namespace,
        ...boundClaims(request),
        serviceaccount: { name, uid },
        ...(warnAfterSeconds !== undefined && { warnafter: now + warnAfterSeconds }),
      }
      const expires = now + expirationSeconds
      const payload = {
        aud: [...audiences],
        exp: expires,
        iat: now,
        iss: issuer,
        jti,
        [platform.labelDomain]: account,
        nbf: now,
        sub: serviceAccountName(namespace, name),
      }
      const token = await sign(payload)
      return { token, expirationTimestamp: new Date(expires * 1000).toISOString().replace('.000Z', 'Z'), credentialId: `JTI=${jti}` }
    },
  }
}
