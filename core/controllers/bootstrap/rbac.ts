import { bootstrapRbac } from '../../access/authz/bootstrap/objects.ts'
import { reconcile } from '../../access/authz/bootstrap/reconcile.ts'
import { deleteObject } from '../../objects/registry/delete.ts'
import { ownRequest } from '../../objects/registry/request.ts'
import type { ResourceTable, ServedResource } from '../../objects/registry/served.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { HookContext } from '../../schema/model.ts'
import { ensure, overwrite } from './objects.ts'

const plurals: { readonly [kind: string]: string } = {
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  Role: 'roles',
  RoleBinding: 'rolebindings',
}

async function settle(resource: ServedResource, desired: ApiObject, context: HookContext): Promise<void> {
  const { namespace = '', name = '' } = desired.metadata
  const stored = await resource.store.get({ namespace, name })
  const step = reconcile(desired, stored?.copy(), context.platform)
  if (step === undefined) return
  if (step.action === 'update') return overwrite(resource, step.object, context)
  if (step.action === 'recreate') await deleteObject(resource, namespace, name, {}, ownRequest(context))
  await ensure(resource, step.object, context)
}

/** Reconciles the default roles and bindings; additions by users are kept. */
export async function ensureRbac(table: ResourceTable, context: HookContext): Promise<void> {
  const { platform, settings } = context
  const group = platform.name('rbac.authorization.<domain>')
  const settleOne = (object: ApiObject) => {
    const resource = table.lookup(group, 'v1', plurals[object.kind] ?? '')
    return resource && settle(resource, object, context)
  }
  await Promise.all(bootstrapRbac(platform, settings.enabled).map(settleOne))
}
