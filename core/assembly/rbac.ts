import { followRbac } from '../access/authz/rbac-follow.ts'
import type { RbacIndex } from '../access/authz/rbac-index.ts'
import { ensureRbac } from '../controllers/bootstrap/rbac.ts'
import type { ResourceTable } from '../objects/registry/served.ts'
import { type AssemblyContext, hookContextOf } from './context.ts'

/** Reconciles the default roles, and keeps the index current with the stored ones; the returned function stops it. */
export async function startRbac(table: ResourceTable, index: RbacIndex | undefined, context: AssemblyContext): Promise<() => void> {
  // Without RBAC in the authorization configuration file.
  if (index === undefined) return () => {}
  const { platform } = context.options.general
  await ensureRbac(table, hookContextOf(context))
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
