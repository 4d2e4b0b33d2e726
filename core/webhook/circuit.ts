import type { Clock } from '../ports.ts'

const failuresToOpen = 5
const pause = 5_000

/** Spares requests the wait for a service that can't be reached: after some failures in a row, one call in a while finds out whether it is back. */
export interface Circuit {
  /** Whether a call is worth its wait now; true makes the caller the one that finds out. */
  permits(): boolean
  reached(): void
  missed(): void
}

export function createCircuit(clock: Clock): Circuit {
  let failures = 0
  let closedUntil = 0
  return {
    permits() {
      if (failures < failuresToOpen) return true
      if (clock.now() < closedUntil) return false
      closedUntil = clock.now() + pause
      return true
    },
    reached() {
      failures = 0
    },
    missed() {
      failures++
      closedUntil = clock.now() + pause
    },
  }
}
