import type { Clock } from '../ports.ts'
import { messageOf } from '../schema/message-of.ts'
import type { AuditEvent } from './event.ts'
import type { Deliver, ReportLoss, Sink } from './sink.ts'
import type { Throttle } from './throttle.ts'

/** Settings of mode `batch`. */
export interface BatchOptions {
  /** Maximum number of waiting events. */
  readonly bufferSize: number
  /** Maximum events of a batch. */
  readonly maxSize: number
  /** Milliseconds until a batch that is not full is delivered. */
  readonly maxWait: number
  readonly throttle?: Throttle
}

interface BufferOptions extends BatchOptions {
  readonly clock: Clock
  readonly deliver: Deliver
  readonly reportLoss: ReportLoss
  /** Batches that are delivered at the same time. */
  readonly concurrency: number
  /** Batch boundaries do not matter to the receiver: all waiting events are delivered together, even more than `maxSize`. */
  readonly joins: boolean
}

const plugin = 'buffered'
/** Maximum bytes of waiting events, which the reference does not bound. */
const maxBytes = 256 * 1024 * 1024
/** Estimated bytes of an event without its objects. */
const eventSize = 2048
/** Milliseconds for which events that are delivered together whatever their number join a batch. A write of one event costs more than the event. */
const joiningTime = 20
/** Maximum milliseconds for which `close` delivers waiting events. */
const closingTime = 30_000

const sizeOf = ({ requestObject, responseObject }: AuditEvent) => eventSize + (requestObject?.length ?? 0) + (responseObject?.length ?? 0)

/** Keeps events and delivers them in batches, later. When it is full, further events are lost. */
export class EventBuffer implements Sink {
  readonly #options: BufferOptions
  readonly #throttle: Throttle
  #waiting: AuditEvent[] = []
  /** Estimated bytes of the events that wait or are being delivered. */
  #bytes = 0
  readonly #delivering = new Set<readonly AuditEvent[]>()
  /** A batch that is not full may be delivered. */
  #isDue = false
  #isRunning = false
  #isJoining = false
  #isClosed = false
  #cancelTimer: (() => void) | undefined
  /** Ends the time in which events join a batch, or a wait of the throttle. */
  #endPause: (() => void) | undefined
  #wake: (() => void) | undefined

  constructor(options: BufferOptions) {
    this.#options = options
    this.#throttle = options.throttle ?? (() => undefined)
  }

  process(event: AuditEvent): boolean {
    const { bufferSize, maxSize, maxWait, clock, reportLoss } = this.#options
    const size = sizeOf(event)
    if (this.#isClosed || this.#waiting.length >= bufferSize || this.#bytes + size > maxBytes) {
      reportLoss(plugin, this.#isClosed ? 'audit backend shut down' : 'audit buffer queue blocked', [event])
      return true
    }
    this.#waiting.push(event)
    this.#bytes += size
    if (this.#isJoining && this.#waiting.length * 2 >= bufferSize) this.#endPause?.()
    if (this.#waiting.length >= maxSize) this.#run()
    else if (this.#cancelTimer === undefined) {
      this.#cancelTimer = clock.after(maxWait, () => {
        this.#cancelTimer = undefined
        this.#isDue = true
        this.#run()
      })
    }
    return true
  }

  async close(): Promise<void> {
    const { clock, reportLoss } = this.#options
    this.#isClosed = true
    this.#cancelTimer?.()
    this.#endPause?.()
    this.#run()
    const isIdle = () => this.#waiting.length === 0 && this.#delivering.size === 0
    let isLate = false
    const cancel = clock.after(closingTime, () => {
      isLate = true
      this.#wake?.()
    })
    while (!isIdle() && !isLate) await this.#change()
    cancel()
    // What is being delivered is not known to have arrived.
    const lost = [...[...this.#delivering].flat(), ...this.#waiting.splice(0)]
    if (lost.length > 0) reportLoss(plugin, 'audit backend shut down', lost)
  }

  /** Resolves when a delivery has ended. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      const before = this.#wake
      this.#wake = () => {
        before?.()
        resolve()
      }
    })
  }

  #run(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    void this.#deliverAll()
  }

  async #deliverAll(): Promise<void> {
    const { clock, maxSize, concurrency, joins, bufferSize } = this.#options
    // Events of requests that are being answered now join the batch.
    await clock.pause?.()
    while (this.#waiting.length >= maxSize || ((this.#isDue || this.#isClosed) && this.#waiting.length > 0)) {
      if (joins && !this.#isClosed && this.#waiting.length * 2 < bufferSize) await this.#join()
      while (this.#delivering.size >= concurrency) await this.#change()
      // On close, the remaining events are not throttled.
      const turn = this.#isClosed ? undefined : this.#throttle()
      if (turn !== undefined) await this.#pause((end) => void turn.then(end))
      void this.#deliver(this.#waiting.splice(0, joins ? this.#waiting.length : maxSize))
    }
    this.#isDue = false
    this.#isRunning = false
  }

  async #join(): Promise<void> {
    let cancel = () => {}
    this.#isJoining = true
    await this.#pause((end) => {
      cancel = this.#options.clock.after(joiningTime, end)
    })
    this.#isJoining = false
    cancel()
  }

  /** Waits until the callback is called, or the buffer is closed. */
  #pause(start: (end: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      this.#endPause = resolve
      start(resolve)
    })
  }

  async #deliver(events: readonly AuditEvent[]): Promise<void> {
    const { deliver, reportLoss } = this.#options
    this.#delivering.add(events)
    try {
      await deliver(events)
    } catch (error) {
      reportLoss(plugin, messageOf(error), events)
    }
    this.#delivering.delete(events)
    for (const event of events) this.#bytes -= sizeOf(event)
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }
}
