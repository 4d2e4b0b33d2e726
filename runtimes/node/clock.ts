import type { Clock } from '../../core/ports.ts'

const longestTimer = 0x7fff_ffff

/** The host's clock. Unlike Node's own, its timers may be longer than 24.8 days. */
export const nodeClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(milliseconds, callback) {
    let timer: NodeJS.Timeout
    const arm = (left: number) => {
      timer = setTimeout(() => (left > longestTimer ? arm(left - longestTimer) : callback()), Math.min(left, longestTimer)).unref()
    }
    arm(milliseconds)
    return () => clearTimeout(timer)
  },
  pause: () => new Promise((resolve) => void setImmediate(resolve)),
}
