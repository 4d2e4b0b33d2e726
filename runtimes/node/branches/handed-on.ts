/** Users that another server has authenticated: requests in this process are theirs by the connection that they come over. */
import type { Authenticator } from '../../../core/access/authn/authenticator.ts'
import type { Connection } from '../../../core/ports.ts'
import type { User } from '../../../core/request/exchange.ts'

const inProcess: Connection = { remoteAddress: '', remotePort: 0, protocol: 'in-process' }

export class HandedOn {
  readonly #users = new WeakMap<Connection, User>()

  readonly authenticator: Authenticator = {
    name: 'handed-on',
    authenticate: (_request, connection) => {
      const user = this.#users.get(connection)
      return user && { user }
    },
  }

  /** A connection like the given one, whose requests are the user's. */
  connectionOf(user: User, connection = inProcess): Connection {
    // Not the same object: users of one connection may differ from request to request.
    const own = { ...connection }
    this.#users.set(own, user)
    return own
  }
}
