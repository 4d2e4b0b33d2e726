import { Queue } from './queue.ts'
import type { Ticket } from './ticket.ts'

/** Idle queues that are kept, with their virtual time for the dump. A valid object can ask for ten million queues. */
const maxIdle = 1024

/** The queues of a set by number. A queue exists from its first request on; an unused one is like a new one. */
export class Queues {
  /** There may be more than wanted, until they are empty. */
  count = 0
  /** Those that requests wait in. */
  readonly waiting = new Set<Queue>()
  #used = new Map<number, Queue>()

  grow(count: number): void {
    this.count = Math.max(this.count, count)
  }

  at(index: number): Queue {
    let queue = this.#used.get(index)
    if (queue === undefined) {
      queue = new Queue(index)
      this.#used.set(index, queue)
    }
    return queue
  }

  find(index: number): Queue | undefined {
    return this.#used.get(index)
  }

  /** The work of requests that wait in a queue. */
  workOf(index: number): number {
    return this.#used.get(index)?.work ?? 0
  }

  has(queue: Queue): boolean {
    return this.#used.get(queue.index) === queue
  }

  used(): Iterable<Queue> {
    return this.#used.values()
  }

  addWaiting(queue: Queue, ticket: Ticket): void {
    queue.add(ticket)
    this.waiting.add(queue)
  }

  removeWaiting(queue: Queue, ticket: Ticket): void {
    queue.remove(ticket)
    if (queue.waiting.length === 0) this.waiting.delete(queue)
  }

  /** Removes a queue; later ones move up. */
  remove(queue: Queue): void {
    const rest = new Map<number, Queue>()
    for (const each of this.#used.values()) {
      if (each === queue) continue
      if (each.index > queue.index) each.index--
      rest.set(each.index, each)
    }
    this.#used = rest
    this.count--
  }

  /** Forgets a queue that no request uses, if many are known. */
  forgetIdle(queue: Queue): void {
    if (this.#used.size > maxIdle && queue.seatsInUse === 0) this.#used.delete(queue.index)
  }
}
