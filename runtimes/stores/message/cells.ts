/**
 * Numbers in shared memory. A reader that sees a revision, and then the number of events that were sent, knows how many it has to receive until
 * it has all events up to that revision: the store's end counts events before it advances the revision.
 */

/** The memory of one message store. */
export interface Cells {
  /** The same for all message stores of a store. */
  readonly revision: SharedArrayBuffer
  readonly events: SharedArrayBuffer
}

/** The store's current revision. */
export class SharedRevision {
  readonly buffer: SharedArrayBuffer
  readonly #cell: BigInt64Array

  constructor(buffer = new SharedArrayBuffer(8)) {
    this.buffer = buffer
    this.#cell = new BigInt64Array(buffer)
  }

  get value(): number {
    return Number(Atomics.load(this.#cell, 0))
  }

  /** Only the thread that owns the store calls this. */
  advance(to: number): void {
    if (to > this.value) Atomics.store(this.#cell, 0, BigInt(to))
  }
}

const [sent, received] = [0, 1]

/** Numbers of events that were sent and received; they wrap around after 2^32. */
export class EventCounter {
  readonly buffer: SharedArrayBuffer
  readonly #cells: Int32Array

  constructor(buffer = new SharedArrayBuffer(8)) {
    this.buffer = buffer
    this.#cells = new Int32Array(buffer)
  }

  get sent(): number {
    return Atomics.load(this.#cells, sent)
  }

  /** Call before the events are visible in any other way. */
  send(count: number): void {
    Atomics.add(this.#cells, sent, count)
  }

  /** `upTo`: a value that `sent` had. */
  receive(upTo: number): void {
    Atomics.store(this.#cells, received, upTo)
  }

  /** Whether everything has been received that was sent when `sent` was `upTo`. */
  hasReceived(upTo: number): boolean {
    return ((Atomics.load(this.#cells, received) - upTo) | 0) >= 0
  }

  /** Number of events that were sent and not received. */
  get unread(): number {
    return (this.sent - Atomics.load(this.#cells, received)) | 0
  }
}
