/** Requests that are forwarded to nodes, pods and services. This server locates them and reaches none yet. */

import { Reply } from '../../respond/reply.ts'
import { serviceUnavailable } from '../../respond/status.ts'
import type { Target, Verb } from '../services.ts'
import type { Handlers } from './action.ts'
import { forward, log, nodeProxy, podProxy, serviceProxy, stream } from './locate.ts'

const connectTo =
  (locate: (target: Target) => Promise<void>): Verb =>
  async (target) => {
    await locate(target)
    throw serviceUnavailable('error dialing backend: this server has no way to nodes and pods')
  }

function upgraded(locate: (target: Target) => Promise<void>): Handlers {
  const verb = connectTo(locate)
  return { get: verb, create: verb }
}

function proxied(locate: (target: Target) => Promise<void>): Handlers {
  const verb = connectTo(locate)
  // OPTIONS has no verb.
  return { get: verb, create: verb, update: verb, patch: verb, delete: verb, '': verb }
}

const podLog: Verb = async (target) => {
  if (await log(target)) throw serviceUnavailable('error dialing backend: this server has no way to nodes and pods')
  return new Reply(null, { status: 204 })
}

/** By `PLURAL/SUBRESOURCE` of the core group. */
export const connections: { readonly [path: string]: Handlers } = {
  'pods/attach': upgraded(stream),
  'pods/exec': upgraded(stream),
  'pods/log': { get: podLog },
  'pods/portforward': upgraded(forward),
  'pods/proxy': proxied(podProxy),
  'nodes/proxy': proxied(nodeProxy),
  'services/proxy': proxied(serviceProxy),
}
