/** NodeRestriction for pods and claims: a node creates and deletes mirror pods, reports status, evicts. */
import type { Pod } from '../../access/authz/node-pod.ts'
import { notFound } from '../../answers/status.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { equal } from '../../schema/json/equal.ts'
import type { Json, JsonObject } from '../../schema/model.ts'
import type { NodeCheck, NodeWrite } from './node-write.ts'
import { referenceOf } from './pod-references.ts'

const mirror = '<labels>/config.mirror'

/** The node that a pod is bound to; empty: not bound. */
export const nodeNameOf = (pod: ApiObject | undefined) => (pod as Pod | undefined)?.spec?.nodeName ?? ''
export const isMirror = (pod: ApiObject, { platform }: NodeWrite) => Object.hasOwn(pod.metadata.annotations ?? {}, platform.name(mirror))

/** Throws 404 when the pod does not exist. */
export async function podNamed({ attributes, find }: NodeWrite, name: string): Promise<ApiObject> {
  const pod = await find('', 'pods', attributes.namespace, name, attributes)
  if (pod === undefined) throw notFound({ group: '', resource: 'pod' }, name)
  return pod
}

async function checkOwner({ attributes, node, find, refuse }: NodeWrite): Promise<void> {
  const quoted = JSON.stringify(node)
  const [owner, ...others] = attributes.object?.metadata.ownerReferences ?? []
  if (others.length > 0) throw refuse(`node ${quoted} can only create pods with a single owner reference set to itself`)
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node)
    throw refuse(`node ${quoted} can only create pods with an owner reference set to itself`)
  if (!owner.controller) throw refuse(`node ${quoted} can only create pods with a controller owner reference set to itself`)
  if (owner.blockOwnerDeletion) throw refuse(`node ${quoted} must not set blockOwnerDeletion on an owner reference`)
  const found = await find('', 'nodes', '', node, attributes)
  if (found === undefined) throw notFound({ group: '', resource: 'node' }, node)
  const { uid } = found.metadata
  if (owner.uid !== uid) throw refuse(`node ${node} UID mismatch: expected ${owner.uid ?? ''} got ${uid}`)
}

const createPod: NodeCheck = async (write) => {
  const { attributes, node, platform, refuse } = write
  const { object } = attributes
  const quoted = JSON.stringify(node)
  if (object === undefined || !isMirror(object, write))
    throw refuse(`pod does not have ${JSON.stringify(platform.name(mirror))} annotation, node ${quoted} can only create mirror pods`)
  if (nodeNameOf(object) !== node) throw refuse(`node ${quoted} can only create pods with spec.nodeName set to itself`)
  await checkOwner(write)
  const reference = referenceOf(object as Pod)
  if (reference !== undefined) throw refuse(`node ${quoted} can not create pods that reference ${reference}`)
}

const writePod: NodeCheck = async (write) => {
  const { attributes, node, refuse } = write
  const { operation, name } = attributes
  if (operation === 'CREATE') return createPod(write)
  const quoted = JSON.stringify(node)
  if (operation !== 'DELETE') throw refuse(`unexpected operation "${operation}", node ${quoted} can only create and delete mirror pods`)
  if (nodeNameOf(await podNamed(write, name)) !== node) throw refuse(`node ${quoted} can only delete pods with spec.nodeName set to itself`)
}

const statusOf = (pod: ApiObject | undefined) => ((pod as Pod | undefined)?.status ?? {}) as NonNullable<Pod['status']>
const claimsOf = (pod: ApiObject | undefined) =>
  (statusOf(pod).resourceClaimStatuses ?? []).map(({ name = '', resourceClaimName = null }) => [name, resourceClaimName])

const writeStatus: NodeCheck = ({ attributes: { operation, object, oldObject }, node, refuse }) => {
  if (operation !== 'UPDATE') throw refuse(`unexpected operation "${operation}"`)
  const quoted = JSON.stringify(node)
  if (nodeNameOf(oldObject) !== node) throw refuse(`node ${quoted} can only update pod status for pods with spec.nodeName set to itself`)
  if (!equal(oldObject?.metadata.labels ?? {}, object?.metadata.labels ?? {}))
    throw refuse(`node ${quoted} cannot update labels through pod status`)
  if (!equal(claimsOf(oldObject), claimsOf(object))) throw refuse(`node ${quoted} cannot update resource claim statues`)
  const extended = (pod: ApiObject | undefined) => (statusOf(pod).extendedResourceClaimStatus ?? null) as Json
  if (!equal(extended(oldObject), extended(object))) throw refuse(`node ${quoted} cannot update extended resource claim status`)
}

const evict: NodeCheck = async (write) => {
  const { attributes, node, refuse } = write
  if (attributes.operation !== 'CREATE') throw refuse(`unexpected operation ${attributes.operation}`)
  if (attributes.name === '') throw refuse('could not determine pod from request data')
  if (nodeNameOf(await podNamed(write, attributes.name)) !== node)
    throw refuse(`node ${node} can only evict pods with spec.nodeName set to itself`)
}

const subresources: ReadonlyMap<string, NodeCheck> = new Map([
  ['', writePod],
  ['status', writeStatus],
  ['eviction', evict],
])

export const checkPod: NodeCheck = (write) => {
  const { subresource } = write.attributes
  const check = subresources.get(subresource)
  if (check === undefined)
    throw write.refuse(`unexpected pod subresource ${JSON.stringify(subresource)}, only 'status' and 'eviction' are allowed`)
  return check(write)
}

/** Status fields of a claim that a node reports after a volume expansion. */
const reported = new Set(['capacity', 'conditions', 'allocatedResourceStatuses', 'allocatedResources'])

function unreported(claim: ApiObject | undefined): JsonObject {
  const { metadata, status, ...rest } = (claim ?? {}) as { metadata?: JsonObject; status?: JsonObject | null }
  const { resourceVersion: _version, managedFields: _fields, ...own } = metadata ?? {}
  return { ...rest, metadata: own, status: Object.fromEntries(Object.entries(status ?? {}).filter(([field]) => !reported.has(field))) }
}

export const checkClaim: NodeCheck = ({ attributes: { operation, subresource, object, oldObject }, node, refuse }) => {
  if (subresource !== 'status') throw refuse('may only update PVC status')
  if (operation !== 'UPDATE') throw refuse(`unexpected operation "${operation}"`)
  if (!equal(unreported(oldObject), unreported(object)))
    throw refuse(`node ${JSON.stringify(node)} is not allowed to update fields other than status.quantity and status.conditions`)
}
