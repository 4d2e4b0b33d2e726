/** Metrics of work queues. */
import { greatest } from '../common/lists.ts'
import { counter, gauge, histogram, type Metrics } from '../metrics.ts'

/** Ten bounds, each ten times the one before: the products, which differ from powers of ten in their last digit. */
const seconds = Array.from({ length: 9 }).reduce<number[]>((bounds) => [...bounds, (bounds.at(-1) ?? 0) * 10], [1e-8])
const beta = { stability: 'BETA', labels: ['name'] } as const

/** Work queues of controllers. */
export const queueRows = {
  adds: counter('workqueue_adds_total', 'Keys added to a queue.', beta),
  depth: gauge('workqueue_depth', 'Keys that wait in a queue.', { ...beta, threads: 'sum' }),
  longest: gauge(
    'workqueue_longest_running_processor_seconds',
    'Time that the longest running work on a key has taken so far, in seconds.',
    beta,
  ),
  waits: histogram('workqueue_queue_duration_seconds', 'Time that keys waited in a queue, in seconds.', { ...beta, buckets: seconds }),
  retries: counter('workqueue_retries_total', 'Keys that were added again after a failure, or for later.', beta),
  unfinished: gauge('workqueue_unfinished_work_seconds', 'Time that all running work has taken so far, in seconds.', {
    ...beta,
    threads: 'sum',
  }),
  durations: histogram('workqueue_work_duration_seconds', 'Duration of the work on a key, in seconds.', { ...beta, buckets: seconds }),
}

/** The state of a queue. */
export interface QueueState {
  /** Keys that wait. */
  waiting(): number
  /** Milliseconds that the work on each running key has taken so far. */
  running(): readonly number[]
  /** Keys that are added later, and those whose work waits for something else. */
  later(): number
}

/** Called for each new queue; returns what counts its events. */
export type QueueMetrics = ReturnType<typeof queueMetrics>

export function queueMetrics(metrics: Metrics) {
  const { depth, longest, unfinished, ...counted } = queueRows
  const { adds, retries, waits, durations } = metrics.record(counted)
  /** Open queues by name: several may have the same one. */
  const open = new Map<string, Set<QueueState>>()
  const perName = (sum: (states: readonly QueueState[]) => number) => () =>
    Array.from(open, ([name, states]) => [[name] as const, sum([...states])] as const)
  const running = (states: readonly QueueState[]) => states.flatMap((state) => state.running())
  metrics.collect(
    depth,
    perName((states) => states.reduce((total, state) => total + state.waiting(), 0)),
  )
  metrics.collect(
    longest,
    perName((states) => greatest(running(states), 0) / 1000),
  )
  metrics.collect(
    unfinished,
    perName((states) => running(states).reduce((total, one) => total + one, 0) / 1000),
  )
  return (name: string, state: QueueState) => {
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
      /** A key is added again later. */
      retried: () => retried(),
      /** The work on a key begins after this wait, in milliseconds. */
      started: (waitedFor: number) => waited(waitedFor / 1000),
      ended: (took: number) => worked(took / 1000),
      closed: () => void states.delete(state),
    }
  }
}
