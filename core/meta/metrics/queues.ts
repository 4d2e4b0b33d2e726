/** Metrics of work queues. */
import { greatest } from '../../lists.ts'
import type { MetricsRegistry } from './registry.ts'
import { queueRows as rows } from './rows/queues.ts'

/** The state of a queue, which metrics read. */
export interface QueueState {
  /** Keys that wait. */
  waiting(): number
  /** Milliseconds that the work on each running key has taken so far. */
  running(): readonly number[]
}

/** Receives the events of one queue; times are in milliseconds. */
export interface QueueEvents {
  added(): void
  /** A key is added again later. */
  retried(): void
  /** The work on a key begins after this wait. */
  started(waited: number): void
  ended(took: number): void
  closed(): void
}

/** Called for each new queue. */
export type QueueObserver = (name: string, state: QueueState) => QueueEvents

export function createQueueMetrics(registry: MetricsRegistry): QueueObserver {
  const adds = registry.counter(rows.adds)
  const retries = registry.counter(rows.retries)
  const waits = registry.histogram(rows.waits)
  const durations = registry.histogram(rows.durations)
  /** Open queues by name: several may have the same one. */
  const open = new Map<string, Set<QueueState>>()
  const perName = (sum: (states: readonly QueueState[]) => number) => () =>
    Array.from(open, ([name, states]) => [[name] as const, sum([...states])] as const)
  const running = (states: readonly QueueState[]) => states.flatMap((state) => state.running())
  registry.collect(
    rows.depth,
    perName((states) => states.reduce((total, state) => total + state.waiting(), 0)),
  )
  registry.collect(
    rows.longest,
    perName((states) => greatest(running(states), 0) / 1000),
  )
  registry.collect(
    rows.unfinished,
    perName((states) => running(states).reduce((total, one) => total + one, 0) / 1000),
  )
  return (name, state) => {
    const states = open.get(name) ?? new Set()
    open.set(name, states.add(state))
    const [added, retried, waited, worked] = [adds.in([name]), retries.in([name]), waits.in([name]), durations.in([name])]
    // Every queue is seen from its start.
    added(0)
    retried(0)
    waits.touch([name])
    durations.touch([name])
    return {
      added: () => added(),
      retried: () => retried(),
      started: (milliseconds) => waited(milliseconds / 1000),
      ended: (milliseconds) => worked(milliseconds / 1000),
      closed: () => void states.delete(state),
    }
  }
}
