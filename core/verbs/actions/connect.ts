/** Connect requests to nodes, pods and services: admission, the look-up of the target, then forwarding. */
import { PodLogOptions } from '../../resources/core/pod-options.ts'
import { Reply } from '../../respond/reply.ts'
import { serviceUnavailable } from '../../respond/status.ts'
import type { Target, Verb } from '../services.ts'
import { submitConnect } from '../submission.ts'
import type { VerbHandlers } from './action.ts'
import type { Backend } from './backend.ts'
import { connectOptions, optionsOf } from './connect-options.ts'
import { forwardTo, logOf, nodeAt, type Options, podAt, serviceAt, streamOf } from './locate.ts'

type Locate = (target: Target, options: Options) => Promise<Backend>

/** Forwarding is not implemented yet: the answer names the address. */
function forward({ url }: Backend): Response {
  throw serviceUnavailable(`error dialing backend: this server does not forward requests yet (to ${url})`)
}

const connectTo =
  (locate: Locate): Verb =>
  async (target) =>
    forward(await locate(target, await admitted(target)))

/** The options of the request, after admission. */
async function admitted(target: Target): Promise<Options> {
  const { resource, view } = target
  const { group, version, subresources } = resource.definition
  const subresource = subresources.find(({ name }) => name === view.name)
  if (!subresource?.connects) return {}
  const options = connectOptions(target, subresource, group, version)
  const { kind, schema } = subresource
  const submission = submitConnect({ ...target, view: { ...view, body: { group, version, kind, schema } } })
  const mutated = await submission.mutate(options, undefined)
  await submission.validate(mutated, undefined)
  return mutated
}

function upgraded(locate: Locate): VerbHandlers {
  const verb = connectTo(locate)
  return { verbs: { get: verb, create: verb } }
}

function proxied(locate: Locate): VerbHandlers {
  const verb = connectTo(locate)
  // The empty verb is OPTIONS.
  return { verbs: { get: verb, create: verb, update: verb, patch: verb, delete: verb, '': verb } }
}

const readLog: Verb = async (target) => {
  const backend = await logOf(target, optionsOf(target.exchange.query, PodLogOptions))
  return backend === undefined ? new Reply(null, { status: 204 }) : forward(backend)
}

export const podForward = upgraded(forwardTo)
export const podLog: VerbHandlers = { verbs: { get: readLog } }
export const podProxy = proxied(podAt)
export const podStream = upgraded(streamOf)
export const nodeProxy = proxied(nodeAt)
export const serviceProxy = proxied(serviceAt)
