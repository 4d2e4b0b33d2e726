import { bootstrapRbac } from '../../access/authz/bootstrap/objects.ts'
import { reconcile } from '../../access/authz/bootstrap/reconcile.ts'
import { deleteObject } from '../../objects/registry/delete.ts'
import { ownRequest } from '../../objects/registry/request.ts'
import type { ResourceTable, ServedResource } from '../../objects/registry/served.ts'
import type { StoredObject } from '../../objects/storage/stored-object.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { HookContext } from '../../schema/model.ts'
import { createUnlessTaken, overwrite, storedObjects } from './objects.ts'

const plurals: { readonly [kind: string]: string } = {
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  Role: 'roles',
  RoleBinding: 'rolebindings',
}

async function settle(resource: ServedResource, desired: ApiObject, stored: StoredObject | undefined, context: HookContext): Promise<void> {
  const step = reconcile(desired, stored?.copy(), context.platform)
  if (step === undefined) return
  if (step.action === 'update') return overwrite(resource, step.object, context)
  if (step.action === 'recreate') {
    const { namespace = '', name = '' } = desired.metadata
    await deleteObject(resource, namespace, name, {}, ownRequest(context))
  }
  await createUnlessTaken(resource, step.object, context)
}

/** Reconciles the default roles and bindings; additions by users are kept. */
export async function ensureRbac(table: ResourceTable, context: HookContext): Promise<void> {
  const { platform, settings } = context
  const group = platform.name('rbac.authorization.<domain>')
  const desired = bootstrapRbac(platform, settings.enabled)
  const settleKind = async (kind: string, plural: string) => {
    const resource = table.lookup(group, 'v1', plural)
    if (resource === undefined) return
    const stored = await storedObjects(resource)
    const ofKind = desired.filter((object) => object.kind === kind)
    await Promise.all(ofKind.map((object) => settle(resource, object, stored(object), context)))
  }
  await Promise.all(Object.entries(plurals).map(([kind, plural]) => settleKind(kind, plural)))
}
