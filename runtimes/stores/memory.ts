import type { Clock, KeyValueStore } from '../../core/ports.ts'
import { History } from './history.ts'
import { createMvcc } from './mvcc.ts'

/**
 * A store in memory only. Runs on every runtime; the default clock is the host's. `pastBytes`: bytes of replaced
 * values that reads of the past may need; older ones are compacted; default 256 MiB.
 */
export function memoryStore({
  clock = hostClock,
  ...options
}: {
  readonly clock?: Clock
  readonly pastBytes?: number
} = {}): KeyValueStore {
  return createMvcc({ clock, history: new History(), ...options })
}

const hostClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback) {
    const timer: unknown = setTimeout(callback, milliseconds)
    // Timers of Node, Bun and Deno have `unref`, so that they don't keep the process alive; elsewhere a timer is a number.
    if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function') timer.unref()
    return () => clearTimeout(timer as Parameters<typeof clearTimeout>[0])
  },
}
