import { followRbac } from '../access/authz/rbac-follow.ts'
import type { RbacIndex } from '../access/authz/rbac-index.ts'
import type { ResourceTable } from '../objects/registry/served.ts'
import type { AssemblyContext } from './context.ts'

/** Keeps the index current with the stored ones; the returned function stops it. */
export async function startRbac(table: ResourceTable, index: RbacIndex | undefined, context: AssemblyContext): Promise<() => void> {
  // Without RBAC in the authorization configuration file.
  if (index === undefined) return () => {}
  const { platform } = context.options.general
  const storeOf = (plural: string) => table.lookup(platform.name('rbac.authorization.<domain>'), 'v1', plural)!.store
  const stores = {
    roles: storeOf('roles'),
    clusterRoles: storeOf('clusterroles'),
    roleBindings: storeOf('rolebindings'),
    clusterRoleBindings: storeOf('clusterrolebindings'),
  }
  const following = followRbac(index, stores, context.ports.clock)
  try {
    await following.ready
  } catch (error) {
    following.close()
    throw error
  }
  return () => following.close()
}
