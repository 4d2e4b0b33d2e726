/** A server that is made without connections, such as one on an edge runtime: node agents have private addresses and certificates. */
import { badRequest } from '../../answers/status.ts'
import type { Verb } from '../services.ts'
import type { Connections, VerbHandlers } from './action.ts'

const refuse: Verb = () => {
  throw badRequest('this server does not connect to nodes, pods and services')
}
// The empty verb is OPTIONS.
const refused: VerbHandlers = { verbs: { get: refuse, create: refuse, update: refuse, patch: refuse, delete: refuse, '': refuse } }

export const noConnections: Connections = () => ({
  nodeProxy: refused,
  podForward: refused,
  podLog: refused,
  podProxy: refused,
  podStream: refused,
  serviceProxy: refused,
})
