import type { Clock } from '../../ports.ts'

const interval = 20

/**
 * Measures how late a timer is, while something reads it. Works on every runtime. `read` returns the longest delay since the last reading, in
 * milliseconds.
 */
export function measureLoopDelay(clock: Clock): { read(): number; stop(): void } {
  let max = 0
  let cancel = () => {}
  const turn = () => {
    const due = clock.monotonic() + interval
    cancel = clock.after(interval, () => {
      max = Math.max(max, clock.monotonic() - due)
      turn()
    })
  }
  turn()
  return {
    read() {
      const longest = max
      max = 0
      return longest
    },
    stop: () => cancel(),
  }
}
