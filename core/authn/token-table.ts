import type { User } from '../request/exchange.ts'
import { digestOf } from '../schema/digest.ts'
import type { Authentication, TokenAuthenticator } from './authenticator.ts'

/** Bearer tokens that are known in advance, with the user that each stands for. */
export async function tokenTable(name: string, users: Iterable<readonly [token: string, user: User]>): Promise<TokenAuthenticator> {
  const byDigest = new Map<string, Authentication>()
  const lengths = new Set<number>()
  for (const [token, user] of users) {
    byDigest.set(await digestOf(token), { user })
    lengths.add(token.length)
  }
  // Tokens that were right once are found without a digest: an engine compares two strings only after their seeded hashes agree.
  const known = new Map<string, Authentication>()

  const lookUp = async (token: string): Promise<Authentication> => {
    const found = byDigest.get(await digestOf(token))
    if (found !== undefined) known.set(token, found)
    return found
  }
  return { name, authenticateToken: (token) => (lengths.has(token.length) ? (known.get(token) ?? lookUp(token)) : undefined) }
}
