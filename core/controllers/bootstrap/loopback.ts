import type { Authenticator } from '../../access/authn/authenticator.ts'
import type { Connection } from '../../ports.ts'

/** How the server sends requests to itself. */
export interface Loopback {
  readonly connection: Connection
  readonly authenticator: Authenticator
}

/** Connection of the server's own requests. The object's identity authenticates it, not its content. */
export function createLoopback(): Loopback {
  const connection: Connection = { remoteAddress: '', remotePort: 0, protocol: 'in-process' }
  const user = { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] }
  return {
    connection,
    authenticator: { name: 'loopback', authenticate: (_request, from) => (from === connection ? { user } : undefined) },
  }
}
