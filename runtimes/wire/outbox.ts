import type { Socket } from 'node:net'
import { calmError } from './errors.ts'
import { frameHeaderLength, writeFrameHeader } from './frames.ts'

const smallestBuffer = 4 * 1024
const largestBuffer = 64 * 1024
const mostReplies = 10_000

export interface OutboxOptions {
  /** Turns of the event loop that a write is put off at most, as long as each brings more than there was before. Default 0: the end of this one. */
  readonly patience?: number
  /** So many bytes are written without waiting for the end of a turn. Default: never. */
  readonly enough?: number
  /** Everything up to now was taken by the socket. */
  readonly drained?: () => void
}

/**
 * Collects what is to be written: what is pushed in one turn of the event loop goes out in one write, which costs more than all its frames.
 * Everything is copied here, once, so that a write is one buffer: TLS would put several together with one more copy. There is one write at a
 * time; what is pushed meanwhile waits here, where it can be seen. Only what is long takes several buffers, and so several writes.
 */
export class Outbox {
  readonly #socket: Socket
  readonly #options: OutboxOptions
  /** Those that are ready, oldest first. */
  #full: Buffer[] = []
  #buffer: Buffer | undefined
  #end = 0
  /** Bytes in all buffers. */
  #waiting = 0
  /** Bytes that the socket has not taken yet. */
  #writing = 0
  #written = 0
  #scheduled = false
  #ending = false
  /** About as many bytes as a write has: the next one is likely to be alike. */
  #usual = smallestBuffer
  /** Those that the peer may not have taken. */
  #replies = 0

  constructor(socket: Socket, options: OutboxOptions = {}) {
    this.#socket = socket
    this.#options = options
  }

  /** Bytes that the socket has not taken. */
  get pending(): number {
    return this.#waiting + this.#writing
  }

  /** Bytes that the socket has taken ever. */
  get written(): number {
    return this.#written
  }

  frame(type: number, frameFlags: number, stream: number, payload: Uint8Array): void {
    const buffer = this.room(frameHeaderLength + payload.length)
    const at = writeFrameHeader(buffer, this.#end, payload.length, type, frameFlags, stream)
    buffer.set(payload, at)
    this.grew(frameHeaderLength + payload.length)
  }

  push(...pieces: readonly Uint8Array[]): void {
    for (const piece of pieces) {
      this.room(piece.length).set(piece, this.#end)
      this.grew(piece.length)
    }
  }

  /**
   * An answer to what the peer asks.
   * @throws ConnectionError when it does not take the answers.
   */
  reply(type: number, frameFlags: number, stream: number, payload: Uint8Array): void {
    if (this.#writing === 0) this.#replies = 0
    if (++this.#replies > mostReplies) throw calmError('the peer does not read the answers')
    this.frame(type, frameFlags, stream, payload)
  }

  /** Where the next byte goes in the buffer that `room` returns. */
  get place(): number {
    return this.#end
  }

  /** A buffer with room for so many bytes from `place` on; `grew` says how many of them were written. */
  room(size: number): Buffer {
    const buffer = this.#buffer
    if (buffer !== undefined && buffer.length - this.#end >= size) return buffer
    if (buffer !== undefined) this.#usual = Math.min(2 * this.#usual, largestBuffer)
    this.#seal()
    this.#buffer = Buffer.allocUnsafeSlow(Math.max(size, this.#usual))
    return this.#buffer
  }

  grew(by: number): void {
    this.#end += by
    this.#waiting += by
    if (this.#waiting >= (this.#options.enough ?? Number.POSITIVE_INFINITY)) this.flush()
    else if (!this.#scheduled) {
      this.#scheduled = true
      setImmediate(this.#wait, 0, this.#options.patience ?? 0)
    }
  }

  readonly #wait = (before: number, turns: number): void => {
    const waiting = this.#waiting
    if (waiting > before && turns > 0) setImmediate(this.#wait, waiting, turns - 1)
    else {
      this.#scheduled = false
      this.flush()
    }
  }

  flush(): void {
    if (this.#writing > 0 || this.#waiting === 0 || !this.#socket.writable) return
    if (this.#full.length === 0) {
      this.#usual = Math.min(Math.max(this.#end, smallestBuffer), largestBuffer)
      this.#seal()
    }
    const buffer = this.#full.shift() as Buffer
    this.#writing = buffer.length
    this.#waiting -= buffer.length
    this.#socket.write(buffer, this.#taken)
  }

  /** The current buffer is ready to be written. */
  #seal(): void {
    if (this.#buffer !== undefined && this.#end > 0) this.#full.push(this.#buffer.subarray(0, this.#end))
    this.#buffer = undefined
    this.#end = 0
  }

  readonly #taken = (): void => {
    this.#written += this.#writing
    this.#writing = 0
    if (!this.#ending) this.#options.drained?.()
    this.flush()
    if (this.#ending && this.#writing === 0) this.#socket.end()
  }

  /** Ends the socket when all is written. */
  end(): void {
    this.#ending = true
    this.flush()
    if (this.#writing === 0) this.#socket.end()
  }
}
