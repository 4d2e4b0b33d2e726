import type { StoredObject } from '../../objects/storage/stored-object.ts'
import type { WatchableStore } from '../../objects/watch/feed.ts'
import { closing, type Following, follow } from '../../objects/watch/follow.ts'
import type { Clock } from '../../ports.ts'
import type { BindingObject, RbacIndex, RoleObject } from './rbac-index.ts'

/** Stores of the four RBAC resources. */
export interface RbacStores {
  readonly roles: WatchableStore
  readonly clusterRoles: WatchableStore
  readonly roleBindings: WatchableStore
  readonly clusterRoleBindings: WatchableStore
}

/** A role as it is stored: it is decoded when its rules are read. */
class StoredRole implements RoleObject {
  readonly #entry: StoredObject

  constructor(entry: StoredObject) {
    this.#entry = entry
  }

  get metadata(): RoleObject['metadata'] {
    return this.#entry
  }

  get rules(): RoleObject['rules'] {
    return (this.#entry.object as RoleObject).rules
  }
}

/** A binding as it is stored: it is decoded when it is read. */
class StoredBinding implements BindingObject {
  readonly #entry: StoredObject
  #object: BindingObject | undefined

  constructor(entry: StoredObject) {
    this.#entry = entry
  }

  get metadata(): BindingObject['metadata'] {
    return this.#entry
  }

  get roleRef(): BindingObject['roleRef'] {
    return this.#decoded.roleRef
  }

  get subjects(): BindingObject['subjects'] {
    return this.#decoded.subjects
  }

  get #decoded(): BindingObject {
    this.#object ??= this.#entry.object as unknown as BindingObject
    return this.#object
  }
}

interface Slot {
  upsert(entry: StoredObject): void
  remove(namespace: string, name: string): void
}

function followInto(store: WatchableStore, clock: Clock, slot: Slot): Following {
  return follow(store, clock, {
    upsert: slot.upsert,
    remove: ({ namespace, name }) => slot.remove(namespace, name),
  })
}

/** Keeps the index current with the stored objects. */
export function followRbac(index: RbacIndex, stores: RbacStores, clock: Clock): Following {
  const roles: Slot = { upsert: (entry) => index.upsertRole(new StoredRole(entry)), remove: (...at) => index.removeRole(...at) }
  const bindings: Slot = {
    upsert: (entry) => index.upsertBinding(new StoredBinding(entry)),
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
