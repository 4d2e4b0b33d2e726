import { validateOptions } from '../../core/options/validate.ts'
import type { Clock, KeyValueStore } from '../../core/ports.ts'
import { Engine } from './engine.ts'
import { History } from './history.ts'
import { viewableStore } from './mvcc.ts'
import { memoryRows } from './option-rows.ts'

export interface MemoryStoreOptions {
  /** Default: the host's clock. */
  readonly clock?: Clock
  /** Maximum bytes of replaced values that reads of the past may need; older ones are compacted; default 256 MiB. */
  readonly pastBytes?: number
}

/** A store in memory only. Runs on every runtime. Throws an OptionError when an option is invalid or unknown. */
export function memoryStore(given: MemoryStoreOptions = {}): KeyValueStore {
  validateOptions('memoryStore', memoryRows, given)
  const { clock = hostClock, pastBytes } = given
  return viewableStore(new Engine({ clock, history: new History(), ...(pastBytes !== undefined && { pastBytes }) }))
}

/** Timers that do not keep a process alive. */
export const hostClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(milliseconds, callback) {
    const timer: unknown = setTimeout(callback, milliseconds)
    // Timers of Node, Bun and Deno have `unref`, so that they don't keep the process alive; elsewhere a timer is a number.
    if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function') timer.unref()
    return () => clearTimeout(timer as Parameters<typeof clearTimeout>[0])
  },
}
