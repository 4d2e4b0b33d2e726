import { type Accepted, type Authentication, AuthenticationError, type Authenticator, type TokenAuthenticator } from './authenticator.ts'

interface Bearer {
  readonly token?: string
  readonly warning?: string
}

const none: Bearer = {}
const extraSpace: Bearer = {
  warning: 'the provided Authorization header contains extra space before the bearer token, and is ignored',
}

/**
 * The token of an `Authorization: Bearer TOKEN` header (RFC 6750 2.1); the scheme in any case. Other schemes and an empty token
 * are no credential; `warning` says so where a client may not expect it.
 */
export function readBearer(header: string | null): Bearer {
  const text = header?.trim() ?? ''
  const space = text.indexOf(' ')
  if (space < 0 || text.slice(0, space).toLowerCase() !== 'bearer') return none
  const end = text.indexOf(' ', space + 1)
  const token = end < 0 ? text.slice(space + 1) : text.slice(space + 1, end)
  if (token !== '') return { token }
  return end < 0 ? none : extraSpace
}

/** Headers whose token is remembered, at most. */
const mostHeaders = 4_096

/** Accepts the bearer tokens that `tokens` knows, and refuses all others. */
export function bearerAuthenticator(tokens: TokenAuthenticator): Authenticator {
  /** Tokens that were accepted, by their header. A part cut out of a header would have to be hashed by every cache for every request. */
  const known = new Map<string, string>()

  return {
    name: tokens.name,
    authenticate: (request) => {
      const header = request.headers.get('authorization')
      if (header === null) return undefined
      const before = known.get(header)
      const token = before ?? readBearer(header).token
      if (token === undefined) return undefined
      const found = mustKnow(tokens.authenticateToken(token))
      if (before === undefined && !(found instanceof Promise)) {
        if (known.size >= mostHeaders) known.clear()
        known.set(header, token)
      }
      return found
    },
  }
}

/** A token that no method has an opinion on is a bad one. */
export function mustKnow(answer: Authentication | Promise<Authentication>): Accepted | Promise<Accepted> {
  if (answer instanceof Promise) return answer.then(mustKnow)
  if (answer === undefined) throw new AuthenticationError('invalid bearer token')
  return answer
}
