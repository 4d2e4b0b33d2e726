import type { Clock, KeyValue, KeyValueStore } from '../../core/ports.ts'
import { StoreError } from '../../core/ports.ts'
import type { StoreSnapshot } from './forkable.ts'
import { History } from './history.ts'

export interface StateOptions {
  /** Of the keys. */
  readonly prefix: string
  /** Pauses between pages. */
  readonly clock: Pick<Clock, 'pause'>
  /** Maximum bytes of values to copy. Those of a store that holds its values are shared, and do not count. */
  readonly maxBytes: number
}

/** Keys of a page: some milliseconds of work. */
const pageSize = 1_000

/**
 * The present content of any store, at one revision, from which stores in memory can start. Leases are left out: nothing of it expires. Writes go on
 * meanwhile. Rejects with a StoreError: 'no-space' when the values are too large.
 */
export async function stateOf(store: KeyValueStore, { prefix, clock, maxBytes }: StateOptions): Promise<StoreSnapshot> {
  let page = await store.list({ prefix, limit: pageSize })
  const { revision } = page
  const versions = new History(revision)
  let bytes = 0
  for (;;) {
    for (const { key, value, createRevision, modRevision } of page.items) {
      versions.restore({ key, value, createRevision, revision: modRevision, lease: 0n })
      bytes += value.byteLength
    }
    if (store.holdsValues !== true && bytes > maxBytes)
      throw new StoreError('no-space', `the objects of the store need more than ${maxBytes} bytes of memory`)
    if (!page.more) return { base: { versions, depth: 0 }, leases: [], attached: new Map() }
    await clock.pause?.()
    page = await store.list({ prefix, limit: pageSize, revision, from: `${(page.items.at(-1) as KeyValue).key}\0` })
  }
}
