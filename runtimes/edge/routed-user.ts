/** The user that the router has authenticated, on the way to its control plane. */
import type { Authenticator } from '../../core/access/authn/authenticator.ts'
import type { TokenUser } from '../../core/options/authentication.ts'

/** Only the router can set it: requests reach a Durable Object through bindings of workers alone, and the router removes what a client sends. */
const header = 'x-apiserver-routed-user'

/** The request with this user, and without another one of the client. `isOurs`: not the client's own object, so that it may change. */
export function withUser(request: Request, user: TokenUser | undefined, isOurs = false): Request {
  if (user === undefined && !request.headers.has(header)) return request
  const routed = isOurs ? request : new Request(request)
  routed.headers.delete(header)
  // Header values have bytes only.
  if (user !== undefined) routed.headers.set(header, encodeURIComponent(JSON.stringify(user)))
  return routed
}

export const routedUser: Authenticator = {
  name: 'router',
  authenticate({ headers }) {
    const value = headers.get(header)
    if (value === null) return undefined
    const { groups = [], ...user } = JSON.parse(decodeURIComponent(value)) as TokenUser
    return { user: { ...user, groups: [...new Set([...groups, 'system:authenticated'])] } }
  },
}
