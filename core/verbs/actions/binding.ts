import { badRequest, conflict, noSuchResource, type Status, unreasoned } from '../../answers/status.ts'
import { updateObject } from '../../objects/registry/update.ts'
import { Binding } from '../../resources/core/binding.ts'
import type { ObjectReference } from '../../resources/core/references.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import type { Infer } from '../../schema/model.ts'
import type { Services, Target, WriteServices } from '../services.ts'
import { type Action, done } from './action.ts'
import { actionRequest, specOf, statusOf, unrestrictedView, withCondition } from './pod.ts'

type Node = Infer<typeof ObjectReference>

const body = { group: '', version: 'v1', kind: 'Binding', schema: Binding }
const bindings = { group: '', resource: 'pods/binding' }

/** Throws 500 without a reason, because the reference returns its errors without a Status. */
function nodeOf(object: ApiObject): string {
  const to = (object['target'] ?? {}) as Node
  const errors = new FieldErrors()
  const path = FieldPath.of('target')
  if (to.kind && to.kind !== 'Node') errors.notSupported(path.child('kind'), to.kind, ['Node', '<empty>'])
  if (!to.name) errors.required(path.child('name'))
  const faults = errors.list.map(({ field, message }) => `${field}: ${message}`)
  if (faults.length > 0) throw unreasoned(faults.length === 1 ? faults.join() : `[${faults.join(', ')}]`)
  return to.name ?? ''
}

/** Why a pod can't be bound now. */
function obstacle(pod: ApiObject): string | undefined {
  const { metadata } = pod
  const { nodeName, schedulingGates = [] } = specOf(pod)
  if (metadata.deletionTimestamp !== undefined) return `pod ${metadata.name} is being deleted, cannot be assigned to a host`
  if (nodeName) return `pod ${metadata.name} is already assigned to node ${JSON.stringify(nodeName)}`
  return schedulingGates.length > 0 ? `pod ${metadata.name} has non-empty .spec.schedulingGates` : undefined
}

/** Throws when the pod is not the one, or not in the version, that the scheduler saw. */
function checkPreconditions({ resource, name }: Target, binding: ApiObject, { metadata }: ApiObject): void {
  for (const [field, word] of [
    ['uid', 'UID'],
    ['resourceVersion', 'ResourceVersion'],
  ] as const) {
    const wanted = binding.metadata[field]
    if (wanted && wanted !== metadata[field])
      throw conflict(
        resource.groupResource,
        name,
        `Precondition failed: ${word} in precondition: ${wanted}, ${word} in object meta: ${metadata[field]}`,
      )
  }
}

/** Assigns a pod to a node, once. Labels and annotations of the binding are copied to the pod. */
async function bind(writes: WriteServices, target: Target, binding: ApiObject, dryRun: boolean): Promise<Status> {
  const { resource, namespace, name } = target
  if ((binding.metadata.name ?? '') !== name) throw badRequest('name in URL does not match name in Binding object')
  const nodeName = nodeOf(binding)
  if (name === '') throw badRequest('Name parameter required.')

  async function change(pod: ApiObject): Promise<ApiObject> {
    checkPreconditions(target, binding, pod)
    const why = obstacle(pod)
    if (why !== undefined) throw conflict(bindings, name, why)
    const { nominatedNodeName: _nomination, ...status } = statusOf(pod)
    const { labels, annotations } = binding.metadata
    return {
      ...pod,
      metadata: {
        ...pod.metadata,
        ...(labels && { labels: { ...pod.metadata.labels, ...labels } }),
        ...(annotations && { annotations: { ...pod.metadata.annotations, ...annotations } }),
      },
      spec: { ...specOf(pod), nodeName },
      status: { ...status, conditions: withCondition(pod, { type: 'PodScheduled', status: 'True' }, writes.clock.now()) },
    }
  }

  await updateObject(resource, namespace, name, { view: unrestrictedView, change }, actionRequest(writes, target, dryRun))
  return done
}

/** `pods/binding`. */
export const binding = ({ writes }: Pick<Services, 'writes'>): Action => ({
  body,
  keepsMetadata: true,
  perform: (target, object, dryRun) => bind(writes, target, object, dryRun),
})

/** Deprecated POST to the collection of bindings: the binding's name is the pod's. */
export const collectedBinding = ({ writes }: Pick<Services, 'writes'>): Action => ({
  body,
  perform(target, object, dryRun) {
    const pods = writes.table.lookup('', 'v1', 'pods')
    const { name = '' } = object.metadata
    if (pods === undefined) throw noSuchResource()
    return bind(writes, { ...target, resource: pods, name }, object, dryRun)
  },
})
