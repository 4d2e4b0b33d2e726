import type { Clock } from '../../core/ports.ts'
import { webClock } from '../../runtimes/web/ports.ts'

/** The host's clock, whose timers keep the process alive. */
export const holdingClock: Clock = {
  ...webClock,
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds)
    return () => clearTimeout(timer)
  },
}
