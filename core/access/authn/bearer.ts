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
 * Reads the token of an `Authorization: Bearer TOKEN` header (RFC 6750 2.1); the scheme is case-insensitive. Other schemes and an
 * empty token count as no credential; `warning` explains the cases that may surprise a client.
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

/** Maximum number of header values with a cached token. */
const maxHeaders = 4_096

/** Authenticates bearer tokens with `tokens`; a token that it does not know is an error. */
export function bearerAuthenticator(tokens: TokenAuthenticator): Authenticator {
  /** Authenticated tokens by header value: a substring cut from each header would be a new string, which every later cache had to hash again. */
  const known = new Map<string, string>()

  return {
    name: tokens.name,
    authenticate: (request, _connection, context) => {
      const header = request.headers.get('authorization')
      if (header === null) return undefined
      const before = known.get(header)
      const token = before ?? readBearer(header).token
      if (token === undefined) return undefined
      const found = mustKnow(tokens.authenticateToken(token, undefined, context))
      if (before === undefined && !(found instanceof Promise)) {
        if (known.size >= maxHeaders) known.clear()
        known.set(header, token)
      }
      return found
    },
  }
}

/** Error of a token that no authenticator knows. */
export const unknownToken = 'invalid bearer token'

/** Turns "no opinion" into an AuthenticationError. */
export function mustKnow(answer: Authentication | Promise<Authentication>): Accepted | Promise<Accepted> {
  if (answer instanceof Promise) return answer.then(mustKnow)
  if (answer === undefined) throw new AuthenticationError(unknownToken)
  return answer
}
