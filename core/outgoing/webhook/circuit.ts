import type { Clock } from '../../ports.ts'

const failuresToOpen = 5
const pause = 5_000

/** Circuit breaker: after several failures in a row, only one call every few seconds is let through, to find out whether the service is back. */
export interface Circuit {
  /** Whether to call now. While the circuit is open, true makes this call the probe. */
  permits(): boolean
  reached(): void
  missed(): void
}

export function createCircuit(clock: Clock): Circuit {
  let failures = 0
  let openUntil = 0
  return {
    permits() {
      if (failures < failuresToOpen) return true
      if (clock.monotonic() < openUntil) return false
      openUntil = clock.monotonic() + pause
      return true
    },
    reached() {
      failures = 0
    },
    missed() {
      failures++
      openUntil = clock.monotonic() + pause
    },
  }
}
