/** Mode Node: a node may read what the pods bound to it use, and write what it reports (plugin/pkg/auth/authorizer/node). */

import { qualified } from '../../answers/status.ts'
import type { Platform } from '../../platform.ts'
import type { User } from '../../request/exchange.ts'
import type { Enabled } from '../../schema/gated.ts'
import type { Attributes, Authorizer, Decision } from './authorizer.ts'
import type { FollowedGraph } from './node-follow.ts'
import { keyOf, type VertexKind } from './node-graph.ts'
import { nodeRuleSet } from './node-rules.ts'
import { noRules, unlistedRules } from './rules.ts'
import { requiresField } from './selectors.ts'

const userPrefix = 'system:node:'
const allow: Decision = { verdict: 'allow', reason: '' }
const silent: Decision = { verdict: 'no-opinion', reason: '' }
const refuse = (reason: string): Decision => ({ verdict: 'no-opinion', reason })

/** Whether this user is a node, possibly an unknown one. */
export const isNode = ({ name, groups }: User) => name.startsWith(userPrefix) && groups.includes('system:nodes')

/** Node name of a user `system:node:NAME` in the group `system:nodes`; undefined for others. */
export function nodeOf(user: User): string | undefined {
  return isNode(user) ? user.name.slice(userPrefix.length) || undefined : undefined
}

/** Input of a rule: the request, its node, and the look-up in the graph. */
interface Question {
  readonly attributes: Attributes
  readonly node: string
  readonly leaseNamespace: string
  /** Whether a feature gate is on. */
  enabled(gate: string): boolean
  /** Allows the request when the named object leads to the node. */
  related(kind: VertexKind): Decision | Promise<Decision>
}

type Rule = (question: Question) => Decision | Promise<Decision> | undefined

const reads = ['get', 'list', 'watch']
const owns = ['get', 'create', 'update', 'patch', 'delete']

const readNamespaced =
  (kind: VertexKind): Rule =>
  ({ attributes: { verb, subresource, namespace }, related }) => {
    if (!reads.includes(verb)) return refuse('can only read resources of this type')
    if (subresource !== '') return refuse('cannot read subresource')
    return namespace === '' ? refuse('can only read namespaced object of this type') : related(kind)
  }

const getOnly =
  (kind: VertexKind): Rule =>
  ({ attributes: { verb, subresource }, related }) => {
    if (verb !== 'get') return refuse('can only get individual resources of this type')
    return subresource !== '' ? refuse('cannot get subresource') : related(kind)
  }

const claims: Rule = (question) => {
  const { verb, subresource } = question.attributes
  if (subresource !== 'status') return getOnly('persistentvolumeclaim')(question)
  return verb === 'update' || verb === 'patch' ? question.related('persistentvolumeclaim') : refuse('can only get/update/patch this type')
}

const serviceAccounts: Rule = (question) => {
  const { verb, subresource, name } = question.attributes
  if (verb === 'get' && subresource === '') {
    const may = ['NodeagentServiceAccountTokenForCredentialProviders', 'PodCertificateRequest'].some(question.enabled)
    return may ? question.related('serviceaccount') : refuse('not allowed to get service accounts')
  }
  if (verb !== 'create' || name === '') return refuse('can only create tokens for individual service accounts')
  return subresource === 'token' ? question.related('serviceaccount') : refuse('can only create token subresource of serviceaccount')
}

// The name of a new object is not known here; the NodeRestriction plugin checks it.
const leases: Rule = ({ attributes: { verb, namespace, name }, node, leaseNamespace }) => {
  if (!owns.includes(verb)) return refuse('can only get, create, update, patch, or delete a node lease')
  if (namespace !== leaseNamespace) return refuse(`can only access leases in the ${JSON.stringify(leaseNamespace)} system namespace`)
  return verb === 'create' || name === node ? allow : refuse('can only access node lease with the same name as the requesting node')
}

const csiNodes: Rule = ({ attributes: { verb, subresource, name }, node }) => {
  if (!owns.includes(verb)) return refuse('can only get, create, update, patch, or delete a CSINode')
  if (subresource !== '') return refuse('cannot authorize CSINode subresources')
  return verb === 'create' || name === node ? allow : refuse('can only access CSINode with the same name as the requesting node')
}

const resourceSlices: Rule = ({ attributes, node, related }) => {
  const { verb, subresource } = attributes
  if (subresource !== '') return refuse('cannot authorize ResourceSlice subresources')
  if (verb === 'create') return allow
  if (owns.includes(verb)) return related('resourceslice')
  if (verb === 'watch' || verb === 'list' || verb === 'deletecollection') {
    if (requiresField(attributes, 'spec.nodeName', node)) return allow
    return refuse('can only list/watch/deletecollection resourceslices with nodeName field selector')
  }
  return refuse(
    'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
  )
}

const certificateRequests: Rule = ({ attributes, node, related, enabled }) => {
  if (!enabled('PodCertificateRequest')) return undefined
  const { verb, subresource, name } = attributes
  if (subresource !== '') return refuse('nodes may not access the subresources of PodCertificateRequests')
  if (verb === 'create') return allow
  if (verb === 'get') return related('podcertificaterequest')
  if (verb !== 'list' && verb !== 'watch') return refuse(`nodes may not ${verb} PodCertificateRequests`)
  if (requiresField(attributes, 'spec.nodeName', node)) return allow
  return name !== ''
    ? related('podcertificaterequest')
    : refuse('can only list/watch PodCertificateRequests with spec.nodeName field selector')
}

const nodes: Rule = ({ attributes: { verb, subresource, name }, node }) => {
  const writes = verb === 'update' || verb === 'patch'
  if (subresource === 'status') return writes ? allow : silent
  if (subresource !== '') return silent
  if (writes || verb === 'create') return allow
  if (!reads.includes(verb)) return silent
  if (name === node) return allow
  const what = name === '' ? 'all nodes' : `'${name}'`
  return refuse(`node '${node}' cannot read ${what}, only its own Node object`)
}

const podSubresources: ReadonlyMap<string, readonly string[]> = new Map([
  ['status', ['update', 'patch']],
  ['eviction', ['create']],
])

const pods: Rule = (question) => {
  const { attributes, node, related } = question
  const { verb, subresource, name } = attributes
  if (subresource !== '') return podSubresources.get(subresource)?.includes(verb) ? allow : silent
  if (verb === 'get') return getOnly('pod')(question)
  if (verb === 'create' || verb === 'delete') return allow
  if (verb !== 'list' && verb !== 'watch') return silent
  if (requiresField(attributes, 'spec.nodeName', node)) return allow
  return name !== '' ? related('pod') : refuse('can only list/watch pods with spec.nodeName field selector')
}

/** Resources with rules per node; for all others the role `system:node` decides. */
const rules: { readonly [resource: string]: Rule } = {
  configmaps: readNamespaced('configmap'),
  secrets: readNamespaced('secret'),
  nodes,
  pods,
  persistentvolumeclaims: claims,
  persistentvolumes: getOnly('persistentvolume'),
  serviceaccounts: serviceAccounts,
  'leases.coordination.<domain>': leases,
  'csinodes.storage.<domain>': csiNodes,
  'volumeattachments.storage.<domain>': getOnly('volumeattachment'),
  'resourceclaims.resource.<domain>': getOnly('resourceclaim'),
  'resourceslices.resource.<domain>': resourceSlices,
  'podcertificaterequests.certificates.<domain>': certificateRequests,
}

function relatedIn({ graph, complete }: FollowedGraph, { namespace, name }: Attributes, node: string): Question['related'] {
  const unrelated = refuse(`no relationship found between node '${node}' and this object`)
  return (kind) => {
    if (name === '') return refuse('No Object name found')
    const look = () => (graph.reaches(keyOf(kind, namespace, name), node) ? allow : unrelated)
    return complete()?.then(look) ?? look()
  }
}

/** It never denies; it allows or has no opinion. `enabled`: feature gates. */
export function nodeAuthorizer(followed: FollowedGraph, platform: Platform, enabled: Enabled): Authorizer {
  const byResource = new Map(Object.entries(rules).map(([resource, rule]) => [platform.name(resource), rule]))
  const common = nodeRuleSet(platform, enabled)
  const leaseNamespace = platform.namespaces.nodeLease

  return {
    name: 'Node',
    authorize(attributes) {
      const { user, isResource, resource, subresource } = attributes
      if (!isNode(user)) return silent
      const node = nodeOf(user)
      if (node === undefined) return refuse(`unknown node for user ${JSON.stringify(user.name)}`)
      const rule = isResource ? byResource.get(qualified(attributes)) : undefined
      const decision = rule?.({ attributes, node, leaseNamespace, enabled, related: relatedIn(followed, attributes, node) })
      if (decision !== undefined) return decision
      return common().allows(attributes, subresource === '' ? resource : `${resource}/${subresource}`) ? allow : silent
    },
    rulesFor: (user) => (isNode(user) ? unlistedRules('node') : noRules),
  }
}
