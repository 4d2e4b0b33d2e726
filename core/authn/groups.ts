import type { Authentication, Authenticator } from './authenticator.ts'

export const anonymousUser = 'system:anonymous'
export const authenticatedGroup = 'system:authenticated'
export const unauthenticatedGroup = 'system:unauthenticated'

/** Puts every user that a method accepts into `system:authenticated`, unless it is anonymous. */
export function withAuthenticatedGroup(authenticator: Authenticator): Authenticator {
  // Methods hand out the same object for a credential that they know, so the extended one is made once as well.
  const known = new WeakMap<object, NonNullable<Authentication>>()
  const extend = (authentication: Authentication): Authentication => {
    if (authentication === undefined) return undefined
    let extended = known.get(authentication)
    if (extended === undefined) {
      extended = addGroup(authentication)
      known.set(authentication, extended)
    }
    return extended
  }
  return {
    name: authenticator.name,
    authenticate: (request, connection) => {
      const answer = authenticator.authenticate(request, connection)
      return answer instanceof Promise ? answer.then(extend) : extend(answer)
    },
  }
}

function addGroup(authentication: NonNullable<Authentication>): NonNullable<Authentication> {
  const { user } = authentication
  const settled = user.groups.includes(authenticatedGroup) || user.groups.includes(unauthenticatedGroup)
  if (user.name === anonymousUser || settled) return authentication
  return { ...authentication, user: { ...user, groups: [...user.groups, authenticatedGroup] } }
}
