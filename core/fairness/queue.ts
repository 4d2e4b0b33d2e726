import { LinkedList } from '../common/linked-list.ts'
import { assumedDuration } from './estimate.ts'
import type { Ticket } from './ticket.ts'
import { type Work, workOf } from './work.ts'

/** Requests in the order of their arrival, with the sums that fair queueing needs. */
export class Queue {
  /** Position among the queues of its set. */
  index: number
  readonly waiting = new LinkedList<Ticket>()
  /** Number of requests from this queue that run. */
  running = 0
  seatsInUse = 0
  /** Virtual time at which the next request starts. */
  start: Work = 0
  /** Sums over the requests that wait. */
  work: Work = 0
  initialSeats = 0
  seats = 0

  constructor(index: number) {
    this.index = index
  }

  /** No request waits or runs. Seats may still be taken by requests that have ended. */
  get isIdle(): boolean {
    return this.waiting.length === 0 && this.running === 0
  }

  /** The work that running requests are assumed to make. */
  get workInProgress(): Work {
    return workOf(this.seatsInUse, assumedDuration)
  }

  add(ticket: Ticket): void {
    const { estimate } = ticket
    this.waiting.add(ticket)
    this.work += estimate.total
    this.initialSeats += estimate.initialSeats
    this.seats += estimate.seats
  }

  remove(ticket: Ticket): void {
    const { estimate } = ticket
    this.waiting.remove(ticket)
    this.work -= estimate.total
    this.initialSeats -= estimate.initialSeats
    this.seats -= estimate.seats
  }

  /** The next request does not start before it arrived, in virtual time either. */
  bound(): void {
    const oldest = this.waiting.first
    if (oldest !== undefined && this.start < oldest.arrival) this.start = oldest.arrival
  }
}
