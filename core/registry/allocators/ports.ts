/** Allocated node ports, stored under one key and changed by compare-and-swap. */
import type { KeyValueStore } from '../../ports.ts'
import { internalError } from '../../respond/status.ts'
import type { PortRange, PortSet } from './port-set.ts'
import { printPorts, readPorts } from './range-allocation.ts'

/** Maximum attempts against other servers; changes within this server are serialized. */
const tries = 50

export interface Ports {
  /** Applies `work` to the set and stores it; repeats on a write conflict. */
  change<T>(work: (set: PortSet) => T): Promise<T>
  /** The ports that are taken. */
  taken(): Promise<ReadonlySet<number>>
  readonly range: PortRange
}

const same = (a: Uint8Array | undefined, b: Uint8Array) => a?.length === b.length && a.every((byte, index) => byte === b[index])

export function createPorts(store: KeyValueStore, prefix: string, range: PortRange): Ports {
  const key = `${prefix}/ranges/servicenodeports`
  let last: Promise<unknown> = Promise.resolve()

  async function attempt<T>(work: (set: PortSet) => T): Promise<T> {
    let { kv } = await store.get(key)
    for (let attempt = 0; attempt < tries; attempt++) {
      const set = readPorts(kv?.value, range)
      const result = work(set)
      const value = printPorts(set)
      if (kv ? same(kv.value, value) : set.taken.size === 0) return result
      const swap = await store.put(key, value, kv?.modRevision ?? 0)
      if (swap.ok) return result
      kv = swap.current
    }
    throw internalError('the record of node ports keeps changing')
  }

  return {
    range,
    change(work) {
      const result = last.then(() => attempt(work))
      last = result.catch(() => {})
      return result
    },
    taken: async () => readPorts((await store.get(key)).kv?.value, range).taken,
  }
}
