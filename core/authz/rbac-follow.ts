import type { Clock } from '../ports.ts'
import type { ApiObject } from '../resources/definition.ts'
import type { WatchableStore } from '../watch/feed.ts'
import { type Following, follow } from '../watch/follow.ts'
import type { BindingObject, RbacIndex, RoleObject } from './rbac-index.ts'

/** The stores of the four kinds that RBAC decides by. */
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
  const known = new Set<string>()
  const remove = (key: string) => {
    const { namespace, name } = store.keys.parse(key)
    known.delete(key)
    slot.remove(namespace, name)
  }
  const upsert = (key: string, object: ApiObject) => {
    known.add(key)
    slot.upsert(object)
  }
  return follow(store, clock, {
    replace(entries) {
      const gone = new Set(known)
      for (const entry of entries) {
        gone.delete(entry.key)
        upsert(entry.key, entry.decode())
      }
      for (const key of gone) remove(key)
    },
    change: ({ deleted, entry }) => (deleted ? remove(entry.key) : upsert(entry.key, entry.decode())),
  })
}

/** Keeps the index current with what is stored. */
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
    close: () => {
      for (const each of all) each.close()
    },
  }
}
