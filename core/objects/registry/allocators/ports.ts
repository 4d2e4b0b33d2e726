/** Allocated node ports, stored under one key and changed by compare-and-swap. */

import { internalError } from '../../../answers/status.ts'
import type { KeyValueStore } from '../../../ports.ts'
import { type CountedPorts, countedPorts } from './counted-ports.ts'
import type { AllocationMetrics } from './metrics.ts'
import type { PortRange, PortSet, PortSource } from './port-set.ts'
import { printPorts, readPorts } from './range-allocation.ts'

/** Maximum attempts against other servers; changes within this server are serialized. */
const tries = 50

export interface Ports {
  /** Applies `work` to the set and stores it; repeats on a write conflict. */
  change<T>(work: (set: PortSet) => T): Promise<T>
  /** As `change`, and counts the ports that `work` takes. */
  allocate<T>(work: (set: PortSource) => T): Promise<T>
  /** The ports that are taken. */
  taken(): Promise<ReadonlySet<number>>
  readonly range: PortRange
}

const same = (a: Uint8Array | undefined, b: Uint8Array) => a?.length === b.length && a.every((byte, index) => byte === b[index])

export function createPorts(store: KeyValueStore, prefix: string, range: PortRange, metrics: AllocationMetrics): Ports {
  const key = `${prefix}/ranges/servicenodeports`
  let last: Promise<unknown> = Promise.resolve()

  async function attempt<T>(work: (set: PortSet) => T): Promise<T> {
    let { kv } = await store.get(key)
    for (let attempt = 0; attempt < tries; attempt++) {
      const set = readPorts(kv?.value, range)
      const result = work(set)
      const value = printPorts(set)
      const isStored = kv ? same(kv.value, value) : set.taken.size === 0
      const swap = isStored ? { ok: true as const } : await store.put(key, value, kv?.modRevision ?? 0)
      if (swap.ok) {
        metrics.takenPorts.set([], set.taken.size)
        metrics.freePorts.set([], range.to - range.from + 1 - set.taken.size)
        return result
      }
      kv = swap.current
    }
    throw internalError('the record of node ports keeps changing')
  }

  function change<T>(work: (set: PortSet) => T): Promise<T> {
    const result = last.then(() => attempt(work))
    last = result.catch(() => {})
    return result
  }

  return {
    range,
    change,
    async allocate(work) {
      // An attempt that met a conflict does not count.
      let counted: CountedPorts | undefined
      try {
        return await change((set) => {
          counted = countedPorts(set)
          return work(counted)
        })
      } finally {
        for (const scope of counted?.taken ?? []) metrics.ports.add([scope])
        if (counted?.failed !== undefined) metrics.portErrors.add([counted.failed])
      }
    },
    taken: async () => readPorts((await store.get(key)).kv?.value, range).taken,
  }
}
