import type { Clock } from '../../../../core/ports.ts'

/** A clock that only moves when it is set. */
export function testClock(start: number): Clock & { time: number } {
  return {
    time: start,
    now() {
      return this.time
    },
    monotonic() {
      return this.time
    },
    after: () => () => undefined,
  }
}
