import type { Egress } from '../../../ports.ts'

/** The traffic classes that an issuer may have. */
export const issuerEgresses: readonly Egress[] = ['controlplane', 'cluster']

/** How tokens of one issuer are verified and mapped: an entry `jwt` of an AuthenticationConfiguration. Absent strings are empty. */
export interface JwtSettings {
  readonly issuer: {
    readonly url: string
    readonly discoveryURL: string
    /** PEM; empty: the host's roots. */
    readonly certificateAuthority: string
    readonly audiences: readonly string[]
    /** Traffic class of calls to the issuer; absent or empty: connects directly. */
    readonly egressSelectorType?: string
  }
  readonly claimValidationRules: readonly ClaimValidationRule[]
  readonly claimMappings: {
    readonly username: PrefixedClaim
    readonly groups: PrefixedClaim
    readonly uid: ClaimOrExpression
    readonly extra: readonly { readonly key: string; readonly valueExpression: string }[]
  }
  readonly userValidationRules: readonly { readonly expression: string; readonly message: string }[]
}

export interface ClaimOrExpression {
  readonly claim: string
  readonly expression: string
}

interface PrefixedClaim extends ClaimOrExpression {
  readonly prefix?: string | undefined
}

interface ClaimValidationRule extends ClaimOrExpression {
  readonly requiredValue: string
  readonly message: string
}
