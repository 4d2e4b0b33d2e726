import type { Clock, KeyValueStore } from '../ports.ts'
import type { HealthCheck } from './health.ts'

/**
 * A check of each store, the main one first: `kvstore`, `kvstore-override-0`, …, with the suffix at the end of the store's own name.
 * All have the main one's name as group.
 */
export function storeChecks(
  stores: readonly KeyValueStore[],
  name: string,
  suffix: string,
  clock: Clock,
  timeout: number,
): readonly HealthCheck[] {
  const nameOf = (index: number) => (index === 0 ? `${name}${suffix}` : `${name}-override${suffix}-${index - 1}`)
  return stores.map((store, index) => ({ ...storeCheck(nameOf(index), store, clock, timeout), group: `${name}${suffix}` }))
}

/**
 * Passes when the store answers within so many milliseconds. A check while another still waits shares its answer: probes must not pile up
 * on a store that hangs.
 */
export function storeCheck(name: string, store: KeyValueStore, clock: Clock, timeout: number): HealthCheck {
  let asking: Promise<void> | undefined

  function ask(): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = clock.after(timeout, () => reject(new Error(`error getting data from the store: no answer within ${timeout} ms`)))
      Promise.resolve(store.currentRevision())
        .then(() => resolve(), reject)
        .finally(cancel)
    })
  }

  return {
    name,
    check() {
      asking ??= ask().finally(() => {
        asking = undefined
      })
      return asking
    },
  }
}
