import type { Clock, KeyValueStore } from '../ports.ts'
import type { HealthCheck } from './health.ts'

/**
 * Passes when the store answers within so many milliseconds. A check while another still waits shares its answer: probes must not pile up
 * on a store that hangs.
 */
export function storeCheck(name: string, store: KeyValueStore, clock: Clock, timeout: number): HealthCheck {
  let asking: Promise<void> | undefined

  function ask(): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = clock.after(timeout, () => reject(new Error(`error getting data from the store: no answer within ${timeout} ms`)))
      store
        .currentRevision()
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
