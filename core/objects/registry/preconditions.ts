import type { Guard, KeyValueStore } from '../../ports.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { ObjectName } from '../storage/keys.ts'
import type { WatchableStore } from '../watch/feed.ts'

/** Throws when the object (undefined: it is gone) does not allow the write any more. */
export type Check = (found: ApiObject | undefined) => void

interface Precondition {
  readonly on: ObjectName
  readonly store: WatchableStore
  readonly check: Check
  revision: number
}

/**
 * Objects that the admission of a create relied on, such as its namespace: a webhook may take long, and they may change meanwhile. Their
 * revisions are compared in the transaction that stores the new object.
 */
export class Preconditions {
  /** Few, and in most writes one at most: a map would take longer to make. */
  readonly #held: Precondition[] = []

  /** `revision`: of the object when it was checked. */
  add(store: WatchableStore, name: string, revision: number, check: Check): void {
    const { storageKey } = store.definition
    const known = this.#held.findIndex((held) => held.on.name === name && held.store.definition.storageKey === storageKey)
    this.#held[known < 0 ? this.#held.length : known] = { on: { namespace: '', name }, store, check, revision }
  }

  /** Guards of a write. Only objects in the same store can be compared in its transactions. */
  guards(holder: KeyValueStore): readonly Guard[] {
    const guards: Guard[] = []
    for (const { on, store, revision } of this.#held) if (store.holder === holder) guards.push(store.guard(on, revision))
    return guards
  }

  /** Checks the objects as they are now. Throws when one does not allow the write any more. */
  async renew(): Promise<void> {
    for (const precondition of this.#held) {
      const entry = await precondition.store.get(precondition.on)
      precondition.check(entry?.object)
      precondition.revision = entry?.revision ?? 0
    }
  }
}
