/**
 * Privilege escalation check: writing a role requires all of its rules or the verb `escalate`, writing a binding requires
 * all rules of the role or the verb `bind`. Runs after mutation and before validation.
 */
import type { Authorizer } from '../../access/authz/authorizer.ts'
import { escalation, fullAuthority } from '../../access/authz/rbac-escalation.ts'
import type { RbacIndex, RoleRef } from '../../access/authz/rbac-index.ts'
import type { PolicyRule } from '../../access/authz/rbac-rule.ts'
import { forbidden, notFound } from '../../answers/status.ts'
import type { Platform } from '../../platform.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../attributes.ts'
import { onlyOwnership } from './about.ts'

const privileged = 'system:masters'

/** Plural of the referenced role, by kind. */
const rolePlurals: ReadonlyMap<string, string> = new Map([
  ['ClusterRole', 'clusterroles'],
  ['Role', 'roles'],
])

type Check = (attributes: AdmissionAttributes, object: ApiObject) => Promise<void>

const rulesOf = (object: ApiObject) =>
  ((object['rules'] ?? []) as unknown as readonly Partial<PolicyRule>[]).map((rule): PolicyRule => ({ ...rule, verbs: rule.verbs ?? [] }))

function aggregates(object: ApiObject | undefined): boolean {
  const rule = object?.['aggregationRule'] as { readonly clusterRoleSelectors?: readonly unknown[] } | null | undefined
  return (rule?.clusterRoleSelectors ?? []).length > 0
}

export function rbacEscalation(platform: Platform, authorizer: Authorizer, index: RbacIndex): AdmissionPlugin {
  const group = platform.name('rbac.authorization.<domain>')

  async function may(verb: string, attributes: AdmissionAttributes, resource: string, name: string): Promise<boolean> {
    const { user, namespace } = attributes
    const asked = { user, verb, isResource: true, path: '', group, version: '*', resource, subresource: '', name, namespace }
    return (await authorizer.authorize(asked, attributes)).verdict === 'allow'
  }

  function confirm({ user, namespace, groupResource, object }: AdmissionAttributes, granted: readonly PolicyRule[], instead?: string) {
    const problem = escalation(user, index.rulesFor(user, namespace), granted)
    if (problem !== undefined) throw forbidden(groupResource, object?.metadata.name ?? '', instead ?? problem)
  }

  const checkRole: Check = async (attributes, object) => {
    // Authorization of a create has no name.
    const name = attributes.operation === 'CREATE' ? '' : attributes.name
    if (await may('escalate', attributes, attributes.groupResource.resource, name)) return
    confirm(attributes, rulesOf(object))
    if (aggregates(object) || aggregates(attributes.oldObject)) {
      confirm(attributes, fullAuthority, 'must have cluster-admin privileges to use the aggregationRule')
    }
  }

  const checkBinding: Check = async (attributes, object) => {
    const roleRef = (object['roleRef'] ?? {}) as unknown as Partial<RoleRef>
    const { kind = '', name = '' } = roleRef
    const resource = rolePlurals.get(kind)
    // Other kinds fail validation.
    if (resource === undefined || (await may('bind', attributes, resource, name))) return
    const granted = index.rulesOf({ kind, name }, attributes.namespace)
    if (granted === undefined) throw notFound({ group, resource }, name)
    confirm(attributes, granted)
  }

  const checks: ReadonlyMap<string, Check> = new Map([
    ['clusterroles', checkRole],
    ['roles', checkRole],
    ['clusterrolebindings', checkBinding],
    ['rolebindings', checkBinding],
  ])

  return {
    name: 'RBACEscalation',
    operations: ['CREATE', 'UPDATE'],
    resources: [...checks.keys()].map((resource) => ({ group, resource })),
    async mutate(attributes) {
      const { groupResource, object, oldObject, user } = attributes
      const check = groupResource.group === group ? checks.get(groupResource.resource) : undefined
      if (check === undefined || object === undefined || user.groups.includes(privileged)) return
      if (oldObject !== undefined && onlyOwnership(object, oldObject)) return
      await check(attributes, object)
    },
  }
}
