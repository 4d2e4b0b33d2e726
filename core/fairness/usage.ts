import { estimateBounds, queueLengthBounds, secondsBounds, watchBounds } from './bounds.ts'
import { Distribution } from './distribution.ts'

/** What the requests of one flow schema did at one level. Plain numbers, which metrics read. */
export class Usage {
  running = 0
  seats = 0
  waiting = 0
  seatsWaiting = 0
  dispatched = 0
  /** Times that the next request did not fit. */
  unaccommodated = 0
  /** Whether any request has ever been queued. */
  queues = false
  readonly refused = { 'concurrency-limit': 0, 'queue-full': 0, 'time-out': 0 }
  readonly queueLengths = new Distribution(queueLengthBounds)
  /** Seconds until a request was dispatched. */
  readonly waits = new Distribution(secondsBounds)
  /** Seconds until a request was refused. */
  readonly waitsInVain = new Distribution(secondsBounds)
  /** Seconds of requests, and of watches until they had sent their initial events. */
  readonly durations = new Distribution(secondsBounds)
  readonly watchDurations = new Distribution(secondsBounds)
  readonly watchCounts = new Distribution(watchBounds)
  readonly estimatedSeats = new Distribution(estimateBounds)

  enqueued(seats: number, length: number): void {
    this.queues = true
    this.waiting++
    this.seatsWaiting += seats
    this.queueLengths.add(length)
  }

  dequeued(seats: number): void {
    this.waiting--
    this.seatsWaiting -= seats
  }
}
