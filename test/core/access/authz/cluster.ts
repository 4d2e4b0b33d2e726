import { aggregate, type ClusterRoleObject } from '../../../../core/access/authz/rbac-aggregate.ts'
import { type BindingObject, RbacIndex } from '../../../../core/access/authz/rbac-index.ts'
import type { ApiObject } from '../../../../core/resources/definition.ts'

/** RBAC of a fresh cluster, with users `admin`, `edit` and `view` bound to the role of that name in namespace `dev`. */
export function freshCluster(objects: readonly ApiObject[]): RbacIndex {
  const index = new RbacIndex('rbac.authorization.k8s.io')
  const clusterRoles = new Map<string, ClusterRoleObject>()
  for (const each of objects) if (each.kind === 'ClusterRole') clusterRoles.set(each.metadata.name ?? '', each)
  // Aggregated roles aggregate each other, so repeat until nothing changes.
  for (let round = 0; round < 3; round++) {
    for (const [name, role] of clusterRoles) clusterRoles.set(name, { ...role, rules: aggregate(role, clusterRoles.values()) })
  }
  for (const role of clusterRoles.values()) index.upsertRole(role)
  for (const each of objects) {
    if (each.kind === 'Role') index.upsertRole(each)
    if (each.kind.endsWith('Binding')) index.upsertBinding(each as unknown as BindingObject)
  }
  for (const name of ['admin', 'edit', 'view']) {
    const subjects = [{ kind: 'User', name }]
    index.upsertBinding({ metadata: { name, namespace: 'dev' }, roleRef: { kind: 'ClusterRole', name }, subjects })
  }
  return index
}
