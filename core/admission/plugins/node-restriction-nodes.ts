/**
 * NodeRestriction for Node objects: a node may not change its taints or owners, and of labels in the cluster's own domains only the
 * well-known ones.
 */
import type { Platform } from '../../platform.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { equal } from '../../schema/json/equal.ts'
import type { Json } from '../../schema/model.ts'
import type { NodeCheck } from './node-write.ts'

/** Labels that node agents set (the agent's well-known labels). */
const reported = [
  '<labels>/hostname',
  'topology.<labels>/zone',
  'topology.<labels>/region',
  'failure-domain.beta.<labels>/zone',
  'failure-domain.beta.<labels>/region',
  'beta.<labels>/instance-type',
  'node.<labels>/instance-type',
  '<labels>/os',
  '<labels>/arch',
  'beta.<labels>/os',
  'beta.<labels>/arch',
]

type Labels = { readonly [key: string]: string }

const labelsOf = (object: ApiObject | undefined): Labels => object?.metadata.labels ?? {}
const specOf = (object: ApiObject | undefined) => (object?.['spec'] ?? {}) as { readonly [field: string]: Json }
const domainOf = (key: string) => (key.includes('/') ? key.slice(0, key.indexOf('/')) : '')
const within = (domain: string, parent: string) => domain === parent || domain.endsWith(`.${parent}`)
/** Absent and empty lists are equal. */
const listOf = (value: unknown) => (value ?? []) as Json[]

/** Changed labels that a node may not set, sorted. */
function forbiddenLabels(now: Labels, before: Labels, platform: Platform): string[] {
  const own = [platform.labelDomain, platform.domain]
  const [restricted, ...free] = ['node-restriction.<labels>', '<component>let.<labels>', 'node.<labels>'].map((domain) =>
    platform.name(domain).replace('<component>', platform.component),
  )
  const known = new Set(reported.map((label) => platform.name(label)))
  const changed = Object.keys({ ...before, ...now }).filter((key) => now[key] !== before[key])
  return changed
    .filter((key) => {
      const domain = domainOf(key)
      if (restricted !== undefined && within(domain, restricted)) return true
      return own.some((each) => within(domain, each)) && !known.has(key) && !free.some((each) => within(domain, each))
    })
    .sort()
}

export const checkNode: NodeCheck = ({ attributes, node, platform, refuse }) => {
  const { operation, object, oldObject, name } = attributes
  const quoted = JSON.stringify(node)
  if (name !== node) throw refuse(`node ${quoted} is not allowed to modify node ${JSON.stringify(name)}`)
  if (operation === 'DELETE') return
  const [now, before] = [specOf(object), specOf(oldObject)]
  const labels = forbiddenLabels(labelsOf(object), labelsOf(oldObject), platform).join(', ')
  if (operation === 'CREATE') {
    if (now['configSource']) throw refuse(`node ${quoted} is not allowed to create pods with a non-nil configSource`)
    if (labels !== '') throw refuse(`node ${quoted} is not allowed to set the following labels: ${labels}`)
    return
  }
  if (now['configSource'] && !equal(now['configSource'], before['configSource']))
    throw refuse(`node ${quoted} is not allowed to update configSource to a new non-nil configSource`)
  if (!equal(listOf(now['taints']), listOf(before['taints']))) throw refuse(`node ${quoted} is not allowed to modify taints`)
  if (!equal(listOf(object?.metadata.ownerReferences), listOf(oldObject?.metadata.ownerReferences)))
    throw refuse(`node ${quoted} is not allowed to modify ownerReferences`)
  if (labels !== '') throw refuse(`is not allowed to modify labels: ${labels}`)
}
