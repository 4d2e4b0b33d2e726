import type { Authentication, Authenticator, TokenAuthenticator } from './authenticator.ts'

export const anonymousUser = 'system:anonymous'
export const authenticatedGroup = 'system:authenticated'
export const unauthenticatedGroup = 'system:unauthenticated'

type Extend = (authentication: Authentication) => Authentication

/** Authenticators return the same object for a cached credential; its extended copy is cached here. */
function extender(): Extend {
  const known = new WeakMap<object, NonNullable<Authentication>>()
  return (authentication) => {
    if (authentication === undefined) return undefined
    let extended = known.get(authentication)
    if (extended === undefined) {
      extended = addGroup(authentication)
      known.set(authentication, extended)
    }
    return extended
  }
}

const extended = (answer: Authentication | Promise<Authentication>, extend: Extend) =>
  answer instanceof Promise ? answer.then(extend) : extend(answer)

/** Adds the group `system:authenticated` to every authenticated user except the anonymous one. */
export function withAuthenticatedGroup(authenticator: Authenticator): Authenticator {
  const extend = extender()
  return {
    name: authenticator.name,
    authenticate: (request, connection, context) => extended(authenticator.authenticate(request, connection, context), extend),
  }
}

/** As `withAuthenticatedGroup`, for token authenticators. */
export function tokensWithAuthenticatedGroup(tokens: TokenAuthenticator): TokenAuthenticator {
  const extend = extender()
  return {
    name: tokens.name,
    authenticateToken: (token, audiences, context) => extended(tokens.authenticateToken(token, audiences, context), extend),
  }
}

function addGroup(authentication: NonNullable<Authentication>): NonNullable<Authentication> {
  const { user } = authentication
  const settled = user.groups.includes(authenticatedGroup) || user.groups.includes(unauthenticatedGroup)
  if (user.name === anonymousUser || settled) return authentication
  return { ...authentication, user: { ...user, groups: [...user.groups, authenticatedGroup] } }
}
