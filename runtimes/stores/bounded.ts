import { type KeyValueStore, StoreError } from '../../core/ports.ts'

export interface Bound {
  /** Maximum bytes of stored values. */
  readonly bytes: number
  /** Bytes that an object counts as, besides its value. */
  readonly perObject: number
}

/** Updates may use so much more than new objects: they keep a control plane at its limit alive. */
const updateShare = 1.25

/**
 * A store that refuses new objects with 'no-space' when those that it has reach a bound, and updates a quarter later: for runtimes that end a
 * process that needs too much memory. Deletions make room.
 */
export function boundedStore(store: KeyValueStore, { bytes: limit, perObject }: Bound): KeyValueStore {
  /** Bytes at the last count, and those that have been written since: not less than what is stored. Undefined: not counted yet. */
  let used: number | undefined

  async function count(): Promise<number> {
    const { items } = await store.list({ prefix: '' })
    return items.reduce((sum, { value }) => sum + value.byteLength + perObject, 0)
  }

  /** Counts anew before it refuses. */
  async function recount(size: number, maximum: number): Promise<void> {
    used = await count()
    if (used + size > maximum)
      throw new StoreError('no-space', `its objects need ${limit} bytes of memory, all that this runtime has for them; delete some`)
  }

  return {
    ...store,
    async put(key, value, expected, lease, guards, context) {
      const size = value.byteLength + perObject
      const maximum = expected === 0 ? limit : limit * updateShare
      if (used === undefined || used + size > maximum) await recount(size, maximum)
      used = (used ?? 0) + size
      return await store.put(key, value, expected, lease, guards, context)
    },
  }
}
