import type { Socket } from 'node:net'
import { ConnectionError, errorCodes } from './errors.ts'

/** Up to so many bytes it is cheaper to copy the pieces than to write them one by one. */
const largestCopy = 64 * 1024
/** So many bytes are written at once: the peer can begin with them while the next calls are made. */
const enough = 24 * 1024
const mostReplies = 10_000
/** Turns of the event loop that a write is put off at most. */
const mostTurns = 4

/** Collects what is to be written: one write costs more than all the frames that some turns of the event loop make. */
export class Outbox {
  readonly #socket: Socket
  #pieces: Uint8Array[] = []
  #length = 0
  /** Those that the peer may not have taken. */
  #replies = 0

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /** The pieces must not change any more. */
  push(...pieces: readonly Uint8Array[]): void {
    // After all that has come by now was looked at: one write for the calls of many requests.
    if (this.#pieces.length === 0) setImmediate(() => this.#wait(0, mostTurns))
    for (const piece of pieces) {
      this.#pieces.push(piece)
      this.#length += piece.length
    }
    if (this.#length >= enough) this.flush()
  }

  /**
   * An answer to what the peer asks.
   * @throws ConnectionError when it does not take the answers.
   */
  reply(...pieces: readonly Uint8Array[]): void {
    if (this.#socket.writableLength === 0) this.#replies = 0
    if (++this.#replies > mostReplies) throw new ConnectionError(errorCodes.enhanceYourCalm, 'the member does not read the answers')
    this.push(...pieces)
  }

  /** Lets turns of the event loop pass as long as each brings more than there was before. */
  #wait(before: number, turns: number): void {
    const length = this.#length
    if (length > before && turns > 0) setImmediate(() => this.#wait(length, turns - 1))
    else this.flush()
  }

  flush(): void {
    const [pieces, length] = [this.#pieces, this.#length]
    this.#pieces = []
    this.#length = 0
    if (length === 0 || !this.#socket.writable) return
    if (length <= largestCopy) {
      this.#socket.write(Buffer.concat(pieces, length))
      return
    }
    this.#socket.cork()
    for (const piece of pieces) this.#socket.write(piece)
    this.#socket.uncork()
  }
}
