/** Sends DATA within the peer's flow-control windows and the socket's back pressure (RFC 9113, section 5.2). */
import { ConnectionError, errorCodes, protocolError, StreamError } from './errors.ts'
import { flags, frameTypes, largest31 } from './frames.ts'
import type { Outbox } from './outbox.ts'
import { defaultWindowSize, initialSettings, type PeerSettings, readSettings } from './settings.ts'

const nothing = new Uint8Array(0)
/** Bytes per stream before the next stream's turn. */
const turn = 64 * 1024

/** The sending half of a stream; the sender reads and writes its fields. */
export interface Outgoing {
  readonly id: number
  /** Unsent data. */
  rest: Uint8Array
  /** True when nothing follows `rest`. */
  last: boolean
  /** Send window in bytes. */
  window: number
  sentEnd: boolean
  /** Bytes sent so far. */
  moved: number
  /** All data was sent; `sentEnd`: including END_STREAM. */
  sent?(): void
}

export class Sender {
  readonly #outbox: Outbox
  readonly #peer = initialSettings()
  /** Streams blocked by flow control or the socket. */
  readonly #blocked = new Set<Outgoing>()
  readonly #maxPending: number
  #window = defaultWindowSize

  /** `maxPending`: bytes in the outbox beyond which streams wait until it is empty. */
  constructor(outbox: Outbox, maxPending = Number.POSITIVE_INFINITY) {
    this.#outbox = outbox
    this.#maxPending = maxPending
  }

  get peer(): Readonly<PeerSettings> {
    return this.#peer
  }

  get blocked(): ReadonlySet<Outgoing> {
    return this.#blocked
  }

  /** Removes a closed stream. */
  forget(stream: Outgoing): void {
    this.#blocked.delete(stream)
  }

  /** Applies the peer's SETTINGS; window changes apply to open streams too. */
  settings(payload: Buffer, open: Iterable<Outgoing>, largestPush: 0 | 1): void {
    const before = this.#peer.initialWindowSize
    readSettings(payload, this.#peer, largestPush)
    const change = this.#peer.initialWindowSize - before
    if (change === 0) return
    for (const stream of open) {
      stream.window += change
      if (stream.window > largest31) throw new ConnectionError(errorCodes.flowControlError, 'flow control window overflow')
    }
    this.sendBlocked()
  }

  /** WINDOW_UPDATE of the connection. */
  grow(increment: number): void {
    if (increment === 0) throw protocolError('WINDOW_UPDATE of 0')
    this.#window += increment
    if (this.#window > largest31) throw new ConnectionError(errorCodes.flowControlError, 'flow control window overflow')
    this.sendBlocked()
  }

  growStream(stream: Outgoing, increment: number): void {
    if (increment === 0) throw new StreamError(errorCodes.protocolError, 'WINDOW_UPDATE of 0')
    stream.window += increment
    if (stream.window > largest31) throw new StreamError(errorCodes.flowControlError, 'flow control window overflow')
    if (this.#blocked.has(stream)) this.send(stream)
  }

  /** Blocked streams take turns, so that a long response does not delay short ones behind it. */
  sendBlocked(): void {
    for (let moved = true; moved && this.#blocked.size > 0; ) {
      moved = false
      for (const stream of [...this.#blocked]) {
        if (this.#window <= 0 || this.#outbox.pending >= this.#maxPending) return
        const before = stream.rest.length
        this.send(stream)
        moved ||= stream.rest.length < before
      }
    }
  }

  /** Sends data up to one turn's worth; the rest is sent later. */
  send(stream: Outgoing): void {
    const { rest } = stream
    const may = Math.min(rest.length, stream.window, this.#window, this.#maxPending - this.#outbox.pending)
    const size = this.#blocked.size > 0 ? Math.min(may, turn) : may
    if (size > 0) this.#data(stream, rest, size)
    // An empty frame that ends the stream needs no window.
    else if (rest.length === 0 && stream.last && !stream.sentEnd) this.#outbox.frame(frameTypes.data, flags.endStream, stream.id, nothing)
    if (stream.rest.length > 0) this.#blocked.add(stream)
    else {
      this.#blocked.delete(stream)
      stream.sentEnd = stream.last
      stream.sent?.()
    }
  }

  #data(stream: Outgoing, rest: Uint8Array, size: number): void {
    const { maxFrameSize } = this.#peer
    for (let at = 0; at < size; ) {
      const end = Math.min(at + maxFrameSize, size)
      const whole = end === rest.length
      this.#outbox.frame(
        frameTypes.data,
        whole && stream.last ? flags.endStream : 0,
        stream.id,
        whole && at === 0 ? rest : rest.subarray(at, end),
      )
      at = end
    }
    stream.rest = size === rest.length ? nothing : rest.subarray(size)
    stream.window -= size
    stream.moved += size
    this.#window -= size
  }
}
