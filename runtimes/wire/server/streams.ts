import type { ServerStream } from './stream.ts'

/** Number of closed streams to remember. */
const remembered = 256

/** `reset`: closed by this end before the client had finished, so that frames may still arrive. `skipped`: implicitly closed by a later id. */
export type ClosedState = 'ended' | 'reset' | 'skipped'

/** Open streams of a connection, and the states of recently closed ones. */
export class Streams {
  readonly open = new Map<number, ServerStream>()
  /** Highest stream id of the client. */
  lastId = 0
  /** Ring of closed stream ids; negative: reset by this end. */
  readonly #closed = new Int32Array(remembered)
  /** Send windows of the same streams. */
  readonly #windows = new Float64Array(remembered)
  #count = 0

  /** Only clients open streams, with odd ids, each higher than the one before (RFC 9113, section 5.1.1). */
  isIdle(id: number): boolean {
    return id % 2 === 0 || id > this.lastId
  }

  close(stream: ServerStream, reset: boolean): void {
    stream.closed = true
    this.open.delete(stream.id)
    this.remember(stream.id, reset, stream.window)
  }

  remember(id: number, reset: boolean, window = 0): void {
    const at = this.#count++ % remembered
    this.#closed[at] = reset ? -id : id
    this.#windows[at] = window
  }

  /** The client has reset a closed stream: nothing follows, even if this end had reset it before. */
  endedByClient(id: number): void {
    const at = this.#closed.indexOf(-id)
    if (at !== -1) this.#closed[at] = id
  }

  /** Grows the send window of a stream that this end has reset, for which the client may still send updates. Returns the window. */
  grow(id: number, increment: number): number {
    const at = this.#closed.indexOf(-id)
    if (at === -1) return 0
    this.#windows[at] = (this.#windows[at] as number) + increment
    return this.#windows[at] as number
  }

  /** State of a stream that is neither idle nor open. */
  closedState(id: number): ClosedState {
    if (this.#closed.includes(-id)) return 'reset'
    if (this.#closed.includes(id)) return 'ended'
    // No longer remembered: treat late frames as those of a reset stream.
    return this.#count > remembered ? 'reset' : 'skipped'
  }
}
