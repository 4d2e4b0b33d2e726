/** Connect requests to nodes, pods and services. Admission and target look-up run; forwarding is not implemented yet. */
import { Reply } from '../../respond/reply.ts'
import { serviceUnavailable } from '../../respond/status.ts'
import type { Target, Verb } from '../services.ts'
import { submitConnect } from '../submission.ts'
import type { VerbHandlers } from './action.ts'
import { connectOptions } from './connect-options.ts'
import { forwardTo, logOf, nodeAt, podAt, serviceAt, streamOf } from './locate.ts'

const connectTo =
  (locate: (target: Target) => Promise<void>): Verb =>
  async (target) => {
    await admit(target)
    await locate(target)
    throw serviceUnavailable('error dialing backend: this server has no way to nodes and pods')
  }

/** Runs admission on the options of the request. */
async function admit(target: Target): Promise<void> {
  const { resource, view } = target
  const { group, version, subresources } = resource.definition
  const subresource = subresources.find(({ name }) => name === view.name)
  if (!subresource?.connects) return
  const options = connectOptions(target, subresource, group, version)
  const { kind, schema } = subresource
  const submission = submitConnect({ ...target, view: { ...view, body: { group, version, kind, schema } } })
  await submission.validate(await submission.mutate(options, undefined), undefined)
}

function upgraded(locate: (target: Target) => Promise<void>): VerbHandlers {
  const verb = connectTo(locate)
  return { verbs: { get: verb, create: verb } }
}

function proxied(locate: (target: Target) => Promise<void>): VerbHandlers {
  const verb = connectTo(locate)
  // The empty verb is OPTIONS.
  return { verbs: { get: verb, create: verb, update: verb, patch: verb, delete: verb, '': verb } }
}

const readLog: Verb = async (target) => {
  if (await logOf(target)) throw serviceUnavailable('error dialing backend: this server has no way to nodes and pods')
  return new Reply(null, { status: 204 })
}

export const podForward = upgraded(forwardTo)
export const podLog: VerbHandlers = { verbs: { get: readLog } }
export const podProxy = proxied(podAt)
export const podStream = upgraded(streamOf)
export const nodeProxy = proxied(nodeAt)
export const serviceProxy = proxied(serviceAt)
