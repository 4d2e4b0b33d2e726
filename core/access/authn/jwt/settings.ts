import type { Egress } from '../../../ports.ts'
import type { JWTAuthenticator } from '../file/jwt.ts'

/** The traffic classes that an issuer may have. */
export const issuerEgresses: readonly Egress[] = ['controlplane', 'cluster']

/** How tokens of one issuer are verified and mapped: an entry `jwt` of an AuthenticationConfiguration. Absent strings are empty. */
export type JwtSettings = JWTAuthenticator
export type ClaimOrExpression = JwtSettings['claimMappings']['uid']
