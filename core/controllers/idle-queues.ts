import type { QueueMetrics, QueueState } from './queue-metrics.ts'

/** Knows whether the queues of a server are empty: it sees each queue that is created with its `queues`, and passes it on. */
export class IdleQueues {
  readonly #open = new Set<QueueState>()
  readonly #next: QueueMetrics

  constructor(next: QueueMetrics) {
    this.#next = next
  }

  readonly queues: QueueMetrics = (name, state) => {
    const events = this.#next(name, state)
    this.#open.add(state)
    return {
      ...events,
      closed: () => {
        this.#open.delete(state)
        events.closed()
      },
    }
  }

  /** Whether nothing waits, runs or is to be added later. */
  areIdle(): boolean {
    for (const state of this.#open) if (state.waiting() + state.running().length + state.later() > 0) return false
    return true
  }
}
