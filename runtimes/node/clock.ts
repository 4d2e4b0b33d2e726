import type { Clock } from '../../core/ports.ts'

/** Maximum milliseconds of a timer of Node. */
export const maxTimer = 0x7fff_ffff

/** The host's clock. Unlike Node's own, its timers may be longer than 24.8 days. */
export const nodeClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(milliseconds, callback) {
    let timer: NodeJS.Timeout
    const arm = (left: number) => {
      timer = setTimeout(() => (left > maxTimer ? arm(left - maxTimer) : callback()), Math.min(left, maxTimer)).unref()
    }
    arm(milliseconds)
    return () => clearTimeout(timer)
  },
  pause: () => new Promise((resolve) => void setImmediate(resolve)),
}
