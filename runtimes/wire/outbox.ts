import type { Duplex } from 'node:stream'
import { Buffers, largeBuffer, smallBuffer } from './buffers.ts'
import { calmError } from './errors.ts'
import { frameHeaderLength, writeFrameHeader } from './frames.ts'
import type { OutputScheduler, Writer } from './output-scheduler.ts'

const maxReplies = 10_000
/** Size in bytes of a write before the socket's speed is known, and milliseconds in which it must complete for the next one to be larger. */
const firstWrite = 64 * 1024
const quick = 250

export interface OutboxOptions {
  /** Maximum turns of the event loop to delay a write while each adds more data. Default 0: write at the end of the current turn. */
  readonly turnsToWait?: number
  /** Bytes at which data is written without waiting for the end of the turn. Default: never. */
  readonly highWater?: number
  /** Pool of buffers, shared by the connections of a listener. Default: a new one. */
  readonly buffers?: Buffers
  /** Schedules the connections of a listener. Default: each writes at the end of a turn of the event loop. */
  readonly turns?: OutputScheduler
  /** Called when the socket has taken all data. */
  readonly drained?: () => void
}

/** A partly filled buffer. */
interface Filled {
  readonly buffer: Buffer
  readonly end: number
}

/**
 * Batches output: all frames of one turn of the event loop are sent in one socket write, because a write costs more than its frames.
 * Everything is copied once, into one buffer per write, because TLS would join several buffers with one more copy. At most one write is in
 * progress; later frames wait here, where their size is known. The size of a write adapts to the speed of the socket, so that the speed of
 * slow ones can be measured.
 */
export class Outbox implements Writer {
  readonly #socket: Duplex
  readonly #options: OutboxOptions
  readonly #buffers: Buffers
  /** Buffers ready to write, oldest first; bytes already written of the first. */
  readonly #filled: Filled[] = []
  #from = 0
  #buffer: Buffer | undefined
  #end = 0
  /** Bytes in all buffers. */
  #waiting = 0
  /** Bytes not yet taken by the socket, and since when. */
  #writing = 0
  #since = 0
  #largestWrite = firstWrite
  #written = 0
  /** Bytes of memory of all buffers. */
  #capacity = 0
  #scheduled = false
  #ending = false
  /** Callbacks for this connection's next turn. */
  #fillers: (() => void)[] = []
  /** Buffers that the peer may not have received. */
  #replies = 0

  constructor(socket: Duplex, options: OutboxOptions = {}) {
    this.#socket = socket
    this.#options = options
    this.#buffers = options.buffers ?? new Buffers()
  }

  /** Bytes not yet taken by the socket. */
  get pending(): number {
    return this.#waiting + this.#writing
  }

  /** Bytes of memory for what is pending: buffers, and what the socket copies while it writes. */
  get held(): number {
    return this.#capacity + this.#writing
  }

  /** Total bytes taken by the socket. */
  get written(): number {
    return this.#written
  }

  frame(type: number, frameFlags: number, stream: number, payload: Uint8Array): void {
    const buffer = this.reserve(frameHeaderLength + payload.length)
    const at = writeFrameHeader(buffer, this.#end, payload.length, type, frameFlags, stream)
    buffer.set(payload, at)
    this.grew(frameHeaderLength + payload.length)
  }

  push(...pieces: readonly Uint8Array[]): void {
    for (const piece of pieces) {
      this.reserve(piece.length).set(piece, this.#end)
      this.grew(piece.length)
    }
  }

  /**
   * Sends a frame that the peer requested, such as an acknowledgement.
   * @throws ConnectionError when too many of them are unsent, because the peer does not read.
   */
  reply(type: number, frameFlags: number, stream: number, payload: Uint8Array): void {
    if (this.#writing === 0) this.#replies = 0
    if (++this.#replies > maxReplies) throw calmError('the peer does not read')
    this.frame(type, frameFlags, stream, payload)
  }

  /** Offset of the next byte in the buffer that `reserve` returns. */
  get place(): number {
    return this.#end
  }

  /** A buffer with space for this many bytes from `place` on; report the bytes written with `grew`. */
  reserve(size: number): Buffer {
    const before = this.#buffer
    if (before !== undefined && before.length - this.#end >= size) return before
    const moved = before?.length === smallBuffer && this.#end + size <= largeBuffer ? this.#end : 0
    const buffer = this.#buffers.take(before === undefined ? size : Math.max(size, largeBuffer))
    this.#capacity += buffer.length
    if (before !== undefined && this.#end > moved) this.#seal(before)
    else if (before !== undefined) {
      before.copy(buffer, 0, 0, moved)
      this.#capacity -= before.length
      this.#buffers.give(before)
    }
    this.#buffer = buffer
    return buffer
  }

  grew(by: number): void {
    this.#end += by
    this.#waiting += by
    if (this.#waiting >= (this.#options.highWater ?? Number.POSITIVE_INFINITY)) this.flush()
    else if (!this.#scheduled) {
      this.#scheduled = true
      if (this.#options.turns !== undefined) this.#options.turns.soon(this)
      else setImmediate(this.#wait, 0, this.#options.turnsToWait ?? 0)
    }
  }

  /** Calls back on this connection's turn, once the socket has taken earlier data. */
  later(fill: () => void): void {
    this.#fillers.push(fill)
    if (this.#options.turns !== undefined) this.#options.turns.later(this)
    else this.grew(0)
  }

  /** Runs this connection's turn. */
  write(): void {
    this.#scheduled = false
    this.flush()
  }

  readonly #wait = (before: number, turns: number): void => {
    const waiting = this.#waiting
    if (waiting > before && turns > 0) setImmediate(this.#wait, waiting, turns - 1)
    else this.write()
  }

  flush(): void {
    if (this.#writing > 0 || !this.#socket.writable) return
    if (this.#fillers.length > 0) this.#fill()
    if (this.#writing > 0 || this.#waiting === 0) return
    if (this.#filled.length === 0 && this.#buffer !== undefined) this.#seal(this.#buffer)
    const { buffer, end } = this.#filled[0] as Filled
    const bytes = buffer.subarray(this.#from, Math.min(end, this.#from + this.#largestWrite))
    this.#writing = bytes.length
    this.#waiting -= bytes.length
    if (bytes.length === this.#largestWrite) this.#since = performance.now()
    this.#socket.write(bytes, this.#taken)
  }

  /** Collects pushes during the call; the caller writes them. */
  #fill(): void {
    const fillers = this.#fillers
    this.#fillers = []
    const scheduled = this.#scheduled
    this.#scheduled = true
    for (const fill of fillers) fill()
    this.#scheduled = scheduled
  }

  /** Queues the current buffer for writing. */
  #seal(buffer: Buffer): void {
    this.#filled.push({ buffer, end: this.#end })
    this.#buffer = undefined
    this.#end = 0
  }

  readonly #taken = (error?: Error | null): void => {
    const { buffer, end } = this.#filled[0] as Filled
    if (this.#writing === this.#largestWrite)
      this.#largestWrite = performance.now() - this.#since < quick ? Math.min(2 * this.#largestWrite, largeBuffer) : firstWrite
    this.#written += this.#writing
    this.#from += this.#writing
    this.#writing = 0
    if (this.#from === end) {
      this.#filled.shift()
      this.#from = 0
      this.#capacity -= buffer.length
      if (!error) this.#buffers.give(buffer)
    }
    if (!this.#ending) this.#options.drained?.()
    this.flush()
    if (this.#ending && this.#writing === 0) this.#socket.end()
  }

  /** Ends the socket when everything is written. */
  end(): void {
    this.#ending = true
    this.flush()
    if (this.#writing === 0) this.#socket.end()
  }
}
