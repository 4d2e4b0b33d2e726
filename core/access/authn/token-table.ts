import type { User } from '../../request/exchange.ts'
import { digestOf } from '../../schema/formats/digest.ts'
import type { Authentication, TokenAuthenticator } from './authenticator.ts'

/** Authenticates a fixed set of bearer tokens. */
export async function tokenTable(name: string, users: Iterable<readonly [token: string, user: User]>): Promise<TokenAuthenticator> {
  const byDigest = new Map<string, Authentication>()
  const lengths = new Set<number>()
  for (const [token, user] of users) {
    byDigest.set(await digestOf(token), { user })
    lengths.add(token.length)
  }
  // Tokens that matched before are found without a digest: string-keyed maps compare contents only after their seeded hashes match.
  const known = new Map<string, Authentication>()

  const lookUp = async (token: string): Promise<Authentication> => {
    const found = byDigest.get(await digestOf(token))
    if (found !== undefined) known.set(token, found)
    return found
  }
  return { name, authenticateToken: (token) => (lengths.has(token.length) ? (known.get(token) ?? lookUp(token)) : undefined) }
}
