/**
 * Fair queueing of requests by virtual time (apiserver/pkg/util/flowcontrol/fairqueuing/queueset). A meter runs at the rate at which each active
 * queue gets seats. The queue whose oldest request would finish first in virtual time is served next, as soon as there are seats for that
 * request.
 */

import { LinkedList } from '../common/linked-list.ts'
import type { Clock, SharedLimit } from '../ports.ts'
import { Dwell } from './dwell.ts'
import { assumedDuration } from './estimate.ts'
import type { Queue } from './queue.ts'
import { Queues } from './queues.ts'
import type { Ticket } from './ticket.ts'
import { epoch, millisecondsOf, type Work, workOf } from './work.ts'

/** What became of a request that asked for seats. */
type Entry = Ticket['state'] | 'concurrency-limit' | 'queue-full'

export interface Queueing {
  /** Number of queues; 0: none, requests beyond the limit are refused; -1: no limit. */
  readonly queues: number
  readonly handSize: number
  /** Requests that may wait in one queue. */
  readonly lengthLimit: number
}

export class QueueSet {
  queueing: Queueing
  readonly queues = new Queues()
  /** The meter of virtual time. */
  meter: Work = 0
  /** Requests that run. */
  readonly running = new LinkedList<Ticket>()
  /** Requests that run and wait. */
  waiting = 0
  dispatched = 0
  rejected = 0
  cancelled = 0
  meterResets = 0
  /** Seats in use and wanted. */
  readonly demand: Dwell
  readonly seatsInUse: Dwell
  readonly requestsRunning: Dwell
  readonly requestsWaiting: Dwell
  /** At the last dispatch from a queue: the meter, the start of the request in virtual time, and bounds of the starts over all queues. */
  readonly last = { meter: 0, start: 0, min: 0, max: 0, minDiscounted: 0, maxDiscounted: 0 }
  readonly #clock: Clock
  readonly #shared: SharedLimit | undefined
  #limit = 0
  #synced: number
  #robin = 0
  #entered = 0
  #seatsWaiting = 0
  #active = 0
  /** Seats in use by requests that went through no queue. */
  #unqueuedSeats = 0

  /** `shared`: the seats are those of several servers together. */
  constructor(clock: Clock, queueing: Queueing, shared?: SharedLimit) {
    const now = clock.monotonic()
    this.#clock = clock
    this.#shared = shared
    shared?.onFree(() => this.#dispatch(this.#sync()))
    this.#synced = now
    this.queueing = queueing
    this.demand = new Dwell(now)
    this.seatsInUse = new Dwell(now)
    this.requestsRunning = new Dwell(now)
    this.requestsWaiting = new Dwell(now)
  }

  /** Seats. */
  get limit(): number {
    return this.#shared?.limit ?? this.#limit
  }

  get isIdle(): boolean {
    return this.waiting === 0 && this.running.length === 0
  }

  /** Changes the limits. Queues that are too many go when they are empty. */
  configure(queueing: Queueing, limit: number): void {
    const now = this.#sync()
    this.queues.grow(queueing.queues)
    this.queueing = queueing.queues > 0 ? queueing : { ...this.queueing, queues: queueing.queues }
    this.#limit = limit
    if (this.#shared) this.#shared.limit = limit
    this.#dispatch(now)
  }

  /** Starts a request, or lets it wait; then its `dispatched` is called later, or it is given up with `cancel`. */
  enter(ticket: Ticket): Entry {
    const now = this.#sync()
    ticket.arrivedAt = now
    ticket.arrival = this.meter
    if (this.queueing.queues < 1) {
      if (!this.#takeSeats(ticket)) {
        this.rejected++
        return 'concurrency-limit'
      }
      ticket.queue = undefined
      this.#unqueuedSeats += ticket.estimate.seats
      this.#run(ticket, now)
      return 'running'
    }
    const queue = this.#shortest(ticket.flow.hand)
    // What waits although other servers have no seats was told when there were some.
    if ((this.#shared !== undefined || !this.#hasFreeSeats) && queue.waiting.length >= this.queueing.lengthLimit) {
      this.rejected++
      return 'queue-full'
    }
    ticket.queue = queue
    if (queue.isIdle) {
      this.#active++
      queue.start = this.meter
    }
    // Virtual time must not start before the oldest request arrived, or a queue that used little would catch up later.
    if (queue.waiting.length === 0 && queue.start < this.meter) queue.start = this.meter
    if (this.waiting === 0 && this.#hasFreeSeats && this.#takeSeats(ticket)) {
      this.#note(queue.start, queue.start, queue.start - queue.workInProgress, queue.start - queue.workInProgress, queue.start)
      this.#robin = queue.index
      // As if it had been in the queue for a moment.
      ticket.flow.usage.queueLengths.add(1)
      this.#runFrom(queue, ticket, now)
      return 'running'
    }
    ticket.state = 'waiting'
    this.queues.addWaiting(queue, ticket)
    this.waiting++
    this.#seatsWaiting += ticket.estimate.seats
    this.#gaugeWaiting(now)
    ticket.flow.usage.enqueued(ticket.estimate.seats, queue.waiting.length)
    this.#dispatch(now)
    return ticket.state
  }

  /** Takes a request that waits out of its queue. */
  cancel(ticket: Ticket): void {
    const { queue } = ticket
    if (ticket.state !== 'waiting' || queue === undefined) return
    const now = this.#sync()
    this.#removeWaiting(queue, ticket, now)
    // Others may have left it seats.
    this.#shared?.give(0)
    this.rejected++
    this.cancelled++
    if (queue.isIdle) this.#becomesIdle(queue)
    else queue.bound()
  }

  /** Ends a running request. With `lingers`, its seats stay taken for the latency of its estimate. Returns the monotonic time. */
  leave(ticket: Ticket, lingers: boolean): number {
    const now = this.#sync()
    const { queue, estimate, held } = ticket
    const { seats } = estimate
    this.running.remove(ticket)
    this.requestsRunning.set(this.running.length, now)
    if (queue !== undefined) {
      queue.running--
      // The assumed duration was charged at the start.
      queue.start -= workOf(estimate.initialSeats, assumedDuration - (now - ticket.startedAt))
      queue.bound()
      if (queue.isIdle) this.#active--
    }
    const { usage } = ticket.flow
    usage.running--
    if (lingers && estimate.latency > 0) {
      this.#clock.after(estimate.latency, () => this.#release(queue, seats, held, usage, this.#sync()))
    } else this.#release(queue, seats, held, usage, now)
    return now
  }

  // ── Seats ─────────────────────────────────────────────────────────────────────────────────────

  #release(queue: Queue | undefined, seats: number, held: number, usage: { seats: number }, now: number): void {
    this.#shared?.give(held)
    usage.seats -= seats
    if (queue === undefined) this.#unqueuedSeats -= seats
    else {
      queue.seatsInUse -= seats
      this.#removeSurplus(queue)
    }
    this.#gaugeSeats(this.seatsInUse.value - seats, now)
    this.#dispatch(now)
  }

  get #hasFreeSeats(): boolean {
    return (this.#shared?.taken ?? this.seatsInUse.value) < this.limit
  }

  /** Whether there are seats for a request. Those of a limit that others have, too, are then taken. */
  #takeSeats(ticket: Ticket): boolean {
    ticket.held = 0
    if (this.queueing.queues < 0) return true
    const { limit } = this
    const { seats } = ticket.estimate
    // A request with more seats than there are runs alone.
    const fits = seats > limit ? this.running.length === 0 : this.seatsInUse.value + seats <= limit
    if (!fits || this.#shared === undefined) return fits
    const held = Math.max(1, Math.min(seats, limit))
    if (!this.#shared.take(held)) return false
    ticket.held = held
    return true
  }

  #runFrom(queue: Queue, ticket: Ticket, now: number): void {
    const { finalSeats, final } = ticket.estimate
    if (finalSeats > this.limit) {
      const latency = millisecondsOf(final, this.limit)
      const seats = Math.max(ticket.estimate.initialSeats, this.limit)
      ticket.estimate = { ...ticket.estimate, finalSeats: this.limit, latency, seats }
    }
    queue.running++
    queue.seatsInUse += ticket.estimate.seats
    queue.start += ticket.estimate.total
    this.#run(ticket, now)
  }

  #run(ticket: Ticket, now: number): void {
    const { seats } = ticket.estimate
    ticket.startedAt = now
    ticket.state = 'running'
    this.running.add(ticket)
    const { usage } = ticket.flow
    usage.running++
    usage.seats += seats
    this.requestsRunning.set(this.running.length, now)
    this.#gaugeSeats(this.seatsInUse.value + seats, now)
  }

  #gaugeSeats(seats: number, now: number): void {
    this.seatsInUse.set(seats, now)
    this.demand.set(seats + this.#seatsWaiting, now)
  }

  #gaugeWaiting(now: number): void {
    this.requestsWaiting.set(this.waiting, now)
    this.demand.set(this.seatsInUse.value + this.#seatsWaiting, now)
    this.#shared?.want(this.#seatsWaiting)
  }

  // ── Queues ────────────────────────────────────────────────────────────────────────────────────

  /**
   * The queue of the hand with the least work; ties go round. The hand of a request that takes its seat again, after its body has arrived, may
   * have been dealt when there were more queues, or none.
   */
  #shortest(hand: readonly number[]): Queue {
    const offset = this.#entered++ % Math.max(1, hand.length)
    let best = this.#dealt(hand[offset] ?? 0) ?? 0
    if (this.waiting === 0) return this.queues.at(best)
    for (let index = 1; index < hand.length; index++) {
      const other = this.#dealt(hand[(offset + index) % hand.length]!)
      if (other !== undefined && this.queues.workOf(other) < this.queues.workOf(best)) best = other
    }
    return this.queues.at(best)
  }

  #dealt(index: number): number | undefined {
    return index < this.queues.count ? index : undefined
  }

  #dispatch(now: number): void {
    while (this.waiting > 0 && this.#hasFreeSeats) {
      const ticket = this.#next()
      if (ticket === undefined) return
      const queue = ticket.queue!
      this.#removeWaiting(queue, ticket, now)
      this.#runFrom(queue, ticket, now)
      queue.bound()
      ticket.granted()
    }
  }

  /** The oldest request of the queue that would finish it first, in virtual time; undefined while there are too few seats for it. */
  #next(): Ticket | undefined {
    let best: Queue | undefined
    let finish = Number.POSITIVE_INFINITY
    let [min, max, minDiscounted, maxDiscounted] = [Number.POSITIVE_INFINITY, 0, Number.POSITIVE_INFINITY, 0]
    const { count } = this.queues
    /** Of queues that finish at the same time, the next one round counts. */
    const stepsTo = ({ index }: Queue) => (index - this.#robin - 1 + count) % count
    for (const queue of this.queues.waiting) {
      const oldest = queue.waiting.first
      if (oldest === undefined) continue
      const discounted = queue.start - queue.workInProgress
      if (queue.start < min) min = queue.start
      if (queue.start > max) max = queue.start
      if (discounted < minDiscounted) minDiscounted = discounted
      if (discounted > maxDiscounted) maxDiscounted = discounted
      const end = queue.start + oldest.estimate.total
      if (end < finish || (end === finish && best !== undefined && stepsTo(queue) < stepsTo(best))) {
        finish = end
        best = queue
      }
    }
    const ticket = best?.waiting.first
    if (best === undefined || ticket === undefined) return undefined
    if (!this.#takeSeats(ticket)) {
      ticket.flow.usage.unaccommodated++
      return undefined
    }
    this.#robin = best.index
    this.#note(min, max, minDiscounted, maxDiscounted, best.start)
    return ticket
  }

  #note(min: Work, max: Work, minDiscounted: Work, maxDiscounted: Work, start: Work): void {
    const { last } = this
    last.meter = this.meter
    last.start = start
    last.min = min
    last.max = max
    last.minDiscounted = minDiscounted
    last.maxDiscounted = maxDiscounted
  }

  #removeWaiting(queue: Queue, ticket: Ticket, now: number): void {
    this.queues.removeWaiting(queue, ticket)
    this.waiting--
    this.#seatsWaiting -= ticket.estimate.seats
    ticket.flow.usage.dequeued(ticket.estimate.seats)
    this.#gaugeWaiting(now)
  }

  #becomesIdle(queue: Queue): void {
    this.#active--
    this.#removeSurplus(queue)
  }

  /** Removes an empty queue if there are too many, or forgets it. */
  #removeSurplus(queue: Queue): void {
    if (!queue.isIdle || !this.queues.has(queue)) return
    if (this.queues.count <= this.queueing.queues) {
      this.queues.forgetIdle(queue)
      return
    }
    this.queues.remove(queue)
    if (this.#robin >= queue.index) this.#robin--
  }

  // ── Virtual time ──────────────────────────────────────────────────────────────────────────────

  /** Advances the meter to now, at the rate of the state since the last call. Returns the monotonic time. */
  #sync(): number {
    const now = this.#clock.monotonic()
    if (this.#active > 0) {
      const wanted = this.seatsInUse.value - this.#unqueuedSeats + this.#seatsWaiting
      this.meter += workOf(Math.min(wanted, this.limit) / this.#active, now - this.#synced)
      if (this.meter >= 1.5 * epoch) this.#windBack()
    }
    this.#synced = now
    return now
  }

  #windBack(): void {
    this.meter -= epoch
    this.meterResets++
    for (const queue of this.queues.used()) {
      queue.start = queue.isIdle ? 0 : queue.start - epoch
      for (const ticket of queue.waiting) ticket.arrival -= epoch
    }
  }
}
