import type { WatchableStore } from '../../objects/watch/feed.ts'
import { closing, type Following, follow } from '../../objects/watch/follow.ts'
import type { Clock } from '../../ports.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { BindingObject, RbacIndex, RoleObject } from './rbac-index.ts'

/** Stores of the four RBAC resources. */
export interface RbacStores {
  readonly roles: WatchableStore
  readonly clusterRoles: WatchableStore
  readonly roleBindings: WatchableStore
  readonly clusterRoleBindings: WatchableStore
}

interface Slot {
  upsert(object: ApiObject): void
  remove(namespace: string, name: string): void
}

function followInto(store: WatchableStore, clock: Clock, slot: Slot): Following {
  return follow(store, clock, {
    upsert: ({ object }) => slot.upsert(object),
    remove: ({ namespace, name }) => slot.remove(namespace, name),
  })
}

/** Keeps the index current with the stored objects. */
export function followRbac(index: RbacIndex, stores: RbacStores, clock: Clock): Following {
  const roles: Slot = { upsert: (object) => index.upsertRole(object as RoleObject), remove: (...at) => index.removeRole(...at) }
  const bindings: Slot = {
    upsert: (object) => index.upsertBinding(object as unknown as BindingObject),
    remove: (...at) => index.removeBinding(...at),
  }
  const all = [
    followInto(stores.roles, clock, roles),
    followInto(stores.clusterRoles, clock, roles),
    followInto(stores.roleBindings, clock, bindings),
    followInto(stores.clusterRoleBindings, clock, bindings),
  ]
  return {
    ready: Promise.all(all.map(({ ready }) => ready)).then(() => {}),
    close: closing(all),
  }
}
