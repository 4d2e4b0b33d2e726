import { PlainError } from '../answers/plain-error.ts'
import type { Linked } from '../common/linked-list.ts'
import type { MaybePromise } from '../common/maybe-promise.ts'
import { formatDuration } from '../config/duration.ts'
import type { Clock } from '../ports.ts'
import type { Exchange, Seat } from '../request/exchange.ts'
import type { Estimate } from './estimate.ts'
import type { Flow } from './flow.ts'
import type { Queue } from './queue.ts'
import type { Work } from './work.ts'

/** What tickets share. */
export interface SeatSource {
  readonly clock: Clock
  /** Milliseconds that a request without a deadline may wait. */
  readonly maxWaitWithoutDeadline: number
  /** A request of this kind starts (1) or ends (-1) to run or to wait. */
  runs(isMutating: boolean, by: 1 | -1, now: number): void
  waits(isMutating: boolean, by: 1 | -1, now: number): void
  /** A level that is no longer configured is idle. */
  left(): void
}

const reading = new Set(['get', 'list', 'watch'])
/** Milliseconds that any request may wait. */
const maxWaitOfAny = 60_000

/** One request with priority and fairness: its seats, or its place in a queue. */
export class Ticket implements Seat, Linked<Ticket> {
  previous: Ticket | undefined
  next: Ticket | undefined
  queue: Queue | undefined
  state: 'idle' | 'waiting' | 'running' = 'idle'
  /** In virtual time. */
  arrival: Work = 0
  /** Milliseconds of the monotonic clock. */
  arrivedAt = 0
  startedAt = 0
  /** Seats that it has of a limit of several servers. */
  held = 0
  estimate: Estimate
  readonly flow: Flow
  readonly exchange: Exchange
  readonly #seats: SeatSource
  readonly #isMutating: boolean
  #decide: ((isGranted: boolean) => void) | undefined
  /** When it first ran; undefined: not yet, or its duration has been recorded. */
  #began: number | undefined
  #wasDispatched = false

  constructor(seats: SeatSource, exchange: Exchange, flow: Flow, estimate: Estimate) {
    this.#seats = seats
    this.exchange = exchange
    this.flow = flow
    this.estimate = estimate
    this.#isMutating = !reading.has(exchange.info.verb)
  }

  take(): MaybePromise<void> {
    const { level, usage } = this.flow
    const entry = level.queues.enter(this)
    if (entry === 'running') return this.#begin()
    if (entry === 'waiting' || entry === 'idle') return this.#wait()
    usage.refused[entry]++
    if (!level.isExempt) usage.waitsInVain.add(0)
    throw this.#refusal()
  }

  leave(): void {
    if (this.state === 'running') this.#stop(this.exchange.info.verb === 'watch')
  }

  /** The response has been sent. */
  readonly end = (): void => {
    if (this.state === 'running') this.#stop(true)
    else if (this.#began !== undefined) this.#record(this.#seats.clock.monotonic())
  }

  /** The queues start it. */
  granted(): void {
    this.#decide?.(true)
  }

  #begin(): void {
    const { level, usage } = this.flow
    this.#began ??= this.startedAt
    this.#seats.runs(this.#isMutating, 1, this.startedAt)
    const waited = this.startedAt - this.arrivedAt
    this.exchange.waited += waited
    if (!level.isExempt) usage.waits.add(waited / 1000)
    if (this.#wasDispatched) return
    this.#wasDispatched = true
    usage.dispatched++
    level.queues.dispatched++
  }

  #stop(isLast: boolean): void {
    const { level } = this.flow
    this.state = 'idle'
    const now = level.queues.leave(this, isLast)
    this.#seats.runs(this.#isMutating, -1, now)
    if (isLast) this.#record(now)
    if (level.isLeaving && level.queues.isIdle) this.#seats.left()
  }

  #record(now: number): void {
    if (this.#began === undefined) return
    const { usage } = this.flow
    const durations = this.exchange.info.verb === 'watch' ? usage.watchDurations : usage.durations
    durations.add((now - this.#began) / 1000)
    const { remarks } = this.exchange
    if (remarks) remarks['apf_execution_time'] = formatDuration(now - this.#began)
    this.#began = undefined
  }

  /** Waits for seats. Rejects with 429 after a while, and with the signal's reason when the request is given up. */
  #wait(): Promise<void> {
    const { clock } = this.#seats
    const { signal } = this.exchange
    this.#seats.waits(this.#isMutating, 1, this.arrivedAt)
    return new Promise((resolve, reject) => {
      const stop = clock.after(this.#maxWait(), () => this.#decide?.(false))
      const giveUp = () => this.#decide?.(false)
      signal.addEventListener('abort', giveUp, { once: true })
      this.#decide = (isGranted) => {
        this.#decide = undefined
        stop()
        signal.removeEventListener('abort', giveUp)
        if (isGranted) {
          this.#seats.waits(this.#isMutating, -1, this.startedAt)
          this.#begin()
          resolve()
        } else reject(this.#withdraw())
      }
      if (signal.aborted) giveUp()
    })
  }

  /** Leaves the queue; the error to answer with. */
  #withdraw(): unknown {
    const { level, usage } = this.flow
    const { signal } = this.exchange
    level.queues.cancel(this)
    this.state = 'idle'
    const now = this.#seats.clock.monotonic()
    this.#seats.waits(this.#isMutating, -1, now)
    usage.refused['time-out']++
    // As in the reference, which counts these with those that were dispatched.
    usage.waits.add((now - this.arrivedAt) / 1000)
    if (level.isLeaving && level.queues.isIdle) this.#seats.left()
    const refusal = this.#refusal()
    return signal.aborted ? signal.reason : refusal
  }

  /** A quarter of the time that the request has, at most a minute. */
  #maxWait(): number {
    const { deadline } = this.exchange
    const { clock, maxWaitWithoutDeadline } = this.#seats
    const wait = deadline === undefined ? maxWaitWithoutDeadline : Math.max(0, deadline - clock.monotonic()) / 4
    return Math.min(wait, maxWaitOfAny)
  }

  #refusal(): PlainError {
    const seconds = this.flow.level.retryAfter.refuse(this.#seats.clock.monotonic())
    return new PlainError(429, 'Too many requests, please try again later.', seconds)
  }
}
