/**
 * A node may only change its own Node, its lease, the status of its pods and related objects. Checks what the Node authorizer can't, because
 * it does not see objects (plugin/pkg/admission/noderestriction).
 */
import { isNode, nodeOf } from '../../access/authz/node.ts'
import { forbidden, qualified } from '../../answers/status.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { checkNode } from './node-restriction-nodes.ts'
import { checkClaim, checkPod } from './node-restriction-pods.ts'
import { checkCertificateRequest, checkPodCertificateRequest } from './node-restriction-requests.ts'
import { checkServiceAccount } from './node-restriction-tokens.ts'
import type { NodeCheck } from './node-write.ts'

/** Name of the written object; for a create that in the body. */
const nameOf = ({ operation, object, name }: AdmissionAttributes) => (operation === 'CREATE' ? object?.metadata.name : name)

const checkLease: NodeCheck = ({ attributes, node, platform, refuse }) => {
  const home = platform.namespaces.nodeLease
  if (attributes.namespace !== home) throw refuse(`can only access leases in the ${JSON.stringify(home)} system namespace`)
  if (nameOf(attributes) !== node) throw refuse('can only access node lease with the same name as the requesting node')
}

const checkStorageNode: NodeCheck = ({ attributes, node, refuse }) => {
  if (nameOf(attributes) !== node) throw refuse('can only access CSINode with the same name as the requesting node')
}

/** The Node authorizer checks updates; it can't check new objects and each object of a deletecollection. */
const checkResourceSlice: NodeCheck = ({ attributes: { operation, object, oldObject }, node, refuse }) => {
  const verbs = { CREATE: { verb: 'create', slice: object }, DELETE: { verb: 'delete', slice: oldObject } } as const
  if (operation !== 'CREATE' && operation !== 'DELETE') return
  const { verb, slice } = verbs[operation]
  const { nodeName } = (slice?.['spec'] ?? {}) as { nodeName?: string }
  if (nodeName !== node) throw refuse(`can only ${verb} ResourceSlice with the same NodeName as the requesting node`)
}

const checks: { readonly [resource: string]: NodeCheck } = {
  pods: checkPod,
  nodes: checkNode,
  persistentvolumeclaims: checkClaim,
  serviceaccounts: checkServiceAccount,
  'leases.coordination.<domain>': checkLease,
  'csinodes.storage.<domain>': checkStorageNode,
  'resourceslices.resource.<domain>': checkResourceSlice,
  'certificatesigningrequests.certificates.<domain>': checkCertificateRequest,
  'podcertificaterequests.certificates.<domain>': checkPodCertificateRequest,
}

export function nodeRestriction({ platform, authorizer, enabled, find }: PluginContext): AdmissionPlugin {
  const byResource = new Map(Object.entries(checks).map(([resource, check]) => [platform.name(resource), check]))
  return {
    name: 'NodeRestriction',
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    mutate(attributes) {
      const { user, groupResource, name } = attributes
      if (!isNode(user)) return
      const refuse = (why: string) => forbidden(groupResource, name, why)
      const node = nodeOf(user)
      if (node === undefined) throw refuse(`could not determine node from user ${JSON.stringify(user.name)}`)
      return byResource.get(qualified(groupResource))?.({ platform, authorizer, enabled, find, attributes, node, refuse })
    },
  }
}
