/** Users of in-process requests: each has its own connection. */
import type { Authentication, Authenticator } from '../../core/access/authn/authenticator.ts'
import type { Connection } from '../../core/ports.ts'

export interface TestUser {
  /** Such as `jane`, or `system:serviceaccount:NAMESPACE:NAME`. */
  readonly name: string
  /** Such as `system:masters`, whom everything is allowed; default: none. */
  readonly groups?: readonly string[]
}

/** A cluster administrator under all authorizers. */
export const administrator: TestUser = { name: 'admin', groups: ['system:masters'] }

export interface Identities {
  readonly authenticator: Authenticator
  /** Requests over this connection are the user's, unless they carry a credential. */
  connectionOf(user: TestUser, facts?: Pick<Connection, 'whenSent'>): Connection
  /** The user of such a connection. */
  userOf(connection: Connection): TestUser | undefined
}

export function createIdentities(): Identities {
  /** By connection: its user, and one authentication for all of its requests, because what follows from that is remembered. */
  const known = new WeakMap<Connection, { readonly user: TestUser; readonly authentication: Authentication }>()
  return {
    authenticator: {
      name: 'in-process',
      authenticate(request, connection) {
        return request.headers.has('authorization') ? undefined : known.get(connection)?.authentication
      },
    },
    connectionOf(user, facts) {
      const connection: Connection = { remoteAddress: '', remotePort: 0, protocol: 'in-process', ...facts }
      known.set(connection, { user, authentication: { user: { name: user.name, groups: [...(user.groups ?? [])] } } })
      return connection
    },
    userOf: (connection) => known.get(connection)?.user,
  }
}
