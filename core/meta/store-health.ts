import type { Clock, KeyValueStore } from '../ports.ts'
import type { HealthCheck } from './health.ts'

/**
 * A health check per store, main store first: `kvstore`, `kvstore-override-0`, …, plus the suffix in the store's own name.
 * Their group is the name of the main store's check.
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
 * Passes if the store answers within `timeout` milliseconds. Concurrent checks share one call, so that probes don't pile up on a
 * store that hangs.
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
