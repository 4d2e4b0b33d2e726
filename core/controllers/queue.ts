import { Pauses } from '../common/slices.ts'
import type { Clock, Logger } from '../ports.ts'
import { messageOf } from '../schema/message-of.ts'
import type { QueueMetrics } from './queue-metrics.ts'

/** Work queue of keys. A key is never processed by two workers at the same time, and is retried after failures. */
export interface Queue {
  add(key: string): void
  /** Adds a key after a delay in milliseconds. */
  addLater(key: string, milliseconds: number): void
  close(): void
}

const nothing = () => undefined
const uncounted: QueueMetrics = () => ({ added: nothing, retried: nothing, started: nothing, ended: nothing, closed: nothing })

const firstRetry = 50

export interface QueueOptions {
  readonly name: string
  readonly clock: Clock
  readonly logger: Logger
  /** Concurrent workers; default 4. */
  readonly workers?: number
  /** Most milliseconds until a failure is retried; default 60,000. */
  readonly maxRetryDelay?: number
  /** Default: none. */
  readonly queues?: QueueMetrics | undefined
  /** Number of keys whose work waits for something else than this queue; default none. */
  held?(): number
  /** Reconciles a key. Failures are retried with increasing delays. */
  work(key: string): Promise<void>
}

export function createQueue(options: QueueOptions): Queue {
  const { name, clock, logger, workers = 4, maxRetryDelay: maxRetry = 60_000, queues = uncounted, held = () => 0, work } = options
  /** Times at which keys were added, and at which the work on them began. */
  const waiting = new Map<string, number>()
  const running = new Map<string, number>()
  const failures = new Map<string, number>()
  const timers = new Set<() => void>()
  const pauses = new Pauses(clock)
  let slices = pauses.sharedSlices()
  let closed = false
  const events = queues(name, {
    waiting: () => waiting.size,
    later: () => timers.size + held(),
    running: () => Array.from(running.values(), (began) => clock.monotonic() - began),
  })

  function next(): void {
    if (closed || running.size >= workers) return
    for (const [key, added] of waiting) {
      if (running.has(key)) continue
      const now = clock.monotonic()
      waiting.delete(key)
      running.set(key, now)
      events.started(now - added)
      void run(key)
      if (running.size >= workers) return
    }
  }

  async function run(key: string): Promise<void> {
    try {
      await work(key)
      failures.delete(key)
    } catch (error) {
      const count = (failures.get(key) ?? 0) + 1
      failures.set(key, count)
      if (!closed) logger.debug({ controller: name, key, error: messageOf(error) }, 'reconciliation failed; retrying')
      addLater(key, Math.min(firstRetry * 2 ** count, maxRetry))
    }
    events.ended(clock.monotonic() - (running.get(key) ?? 0))
    // Thousands of keys, and work that requeues itself, must not monopolize the thread: not all work waits for the store.
    if (slices.over) await slices.next()
    else if (waiting.has(key)) await clock.pause?.()
    running.delete(key)
    next()
  }

  function addLater(key: string, milliseconds: number): void {
    if (closed) return
    events.retried()
    const cancel = clock.after(milliseconds, () => {
      timers.delete(cancel)
      add(key)
    })
    timers.add(cancel)
  }

  function add(key: string): void {
    if (closed) return
    // Time in which there was nothing to do counts for no slice.
    if (waiting.size === 0 && running.size === 0) slices = pauses.sharedSlices()
    if (!waiting.has(key)) {
      waiting.set(key, clock.monotonic())
      events.added()
    }
    next()
  }

  return {
    add,
    addLater,
    close() {
      closed = true
      events.closed()
      for (const cancel of timers) cancel()
    },
  }
}
