import type { JWK } from 'jose'

/** Asymmetric signature algorithms that a provider may use (RFC 7518 3.1), each with its key type. */
const algorithms = {
  RS256: { kty: 'RSA' },
  RS384: { kty: 'RSA' },
  RS512: { kty: 'RSA' },
  PS256: { kty: 'RSA' },
  PS384: { kty: 'RSA' },
  PS512: { kty: 'RSA' },
  ES256: { kty: 'EC', crv: 'P-256' },
  ES384: { kty: 'EC', crv: 'P-384' },
  ES512: { kty: 'EC', crv: 'P-521' },
} as const satisfies { readonly [name: string]: { readonly kty: string; readonly crv?: string } }

export const jwtAlgorithms: readonly string[] = Object.keys(algorithms)

/** Whether a key may verify signatures of an algorithm, by its key type and by its declared use. */
export function fits(key: JWK, algorithm: string): boolean {
  const wanted: { readonly kty: string; readonly crv?: string } | undefined = Object.hasOwn(algorithms, algorithm)
    ? algorithms[algorithm as keyof typeof algorithms]
    : undefined
  if (wanted === undefined || key.kty !== wanted.kty || (wanted.crv !== undefined && key.crv !== wanted.crv)) return false
  return (key.alg ?? algorithm) === algorithm && (key.use ?? 'sig') === 'sig' && (key.key_ops?.includes('verify') ?? true)
}
