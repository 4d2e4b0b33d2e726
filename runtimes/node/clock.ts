import type { Clock } from '../../core/ports.ts'

/** Maximum milliseconds of a timer of Node. */
const maxTimer = 0x7fff_ffff

/** Keeps the process running until the returned function is called: timers of the clock do not, and some work waits for nothing else. */
export function keepRunning(): () => void {
  const timer = setInterval(() => {}, maxTimer)
  return () => clearInterval(timer)
}

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
