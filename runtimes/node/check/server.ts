/** The server that judges: in memory, with the administrator as its only client, and without connections to anybody. */
import type { Authenticator } from '../../../core/access/authn/authenticator.ts'
import type { Connection, Logger, Outbound } from '../../../core/ports.ts'
import { createApiServer, type ServerOptions } from '../../../core/server.ts'
import { type Call, sendLight } from '../../call.ts'
import { memoryStore } from '../../stores/memory.ts'
import type { PlacedLogger } from '../log/logger.ts'
import { nodeClock, nodeFiles } from '../start/ports.ts'

const silent: PlacedLogger & Required<Logger> = { v: () => false, debug() {}, info() {}, warn() {}, error() {}, at: () => silent }

const refuse = () => Promise.reject(new Error('a check calls no other server'))
const outbound: Outbound = { fetch: refuse, call: refuse }

const administrator: Authenticator = {
  name: 'check',
  authenticate: () => ({ user: { name: 'admin', groups: ['system:masters'] } }),
}

export interface JudgingServer {
  /** Sends a request. The body of the answer is read, or given up with `taken`. */
  send(call: Call): Promise<Response>
  close(): Promise<void>
}

const connection: Connection = { remoteAddress: '', remotePort: 0, protocol: 'in-process' }

/** Rejects with an OptionError. */
export async function startServer(options: ServerOptions): Promise<JudgingServer> {
  const store = memoryStore({ clock: nodeClock })
  const ports = { store, clock: nodeClock, files: nodeFiles, outbound, telemetry: { logger: silent } }
  const server = await createApiServer(ports, { ...options, authenticators: [administrator] })
  return {
    send: (call) => sendLight(call, (request) => server.answer(request, connection)),
    async close() {
      await server.close()
      await store.close()
    },
  }
}
