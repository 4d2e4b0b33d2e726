import { ConnectionError, errorCodes } from '../errors.ts'
import { frameTypes, largest31, numbersFrame } from '../frames.ts'
import type { Outbox } from '../outbox.ts'
import { defaultWindowSize } from '../settings.ts'
import { limits } from './limits.ts'
import type { ServerStream } from './stream.ts'

/** Flow control of request bodies: windows that grow as bodies are read (RFC 9113, section 5.2). */
export class Uploads {
  readonly #outbox: Outbox
  /** Receive window of the connection, and bytes consumed since the last WINDOW_UPDATE. */
  #receiveWindow: number
  #owed = 0
  #over = false

  constructor(outbox: Outbox, maxConcurrentStreams: number) {
    this.#outbox = outbox
    this.#receiveWindow = Math.min(limits.uploadWindow * maxConcurrentStreams, largest31)
  }

  /** Announces the initial window. */
  greet(): void {
    this.#outbox.push(numbersFrame(frameTypes.windowUpdate, 0, this.#receiveWindow - defaultWindowSize))
  }

  /** Counts received bytes. @throws ConnectionError when they exceed the window. */
  received(bytes: number): void {
    this.#receiveWindow -= bytes
    if (this.#receiveWindow < 0) throw new ConnectionError(errorCodes.flowControlError, 'flow control window exceeded')
  }

  /** Bytes of a stream were consumed. */
  consumed(stream: ServerStream, bytes: number): void {
    if (stream.closed) return
    stream.unread -= bytes
    stream.owed += bytes
    this.consumedByAll(bytes)
    if (stream.ended || stream.owed < limits.uploadWindow / 2) return
    this.#outbox.push(numbersFrame(frameTypes.windowUpdate, stream.id, stream.owed))
    stream.receiveWindow += stream.owed
    stream.owed = 0
  }

  /** Bytes of ended streams were consumed. */
  consumedByAll(bytes: number): void {
    this.#owed += bytes
    if (this.#owed < limits.uploadWindow / 2 || this.#over) return
    this.#outbox.push(numbersFrame(frameTypes.windowUpdate, 0, this.#owed))
    this.#receiveWindow += this.#owed
    this.#owed = 0
  }

  /** The connection has ended: no more WINDOW_UPDATEs. */
  end(): void {
    this.#over = true
  }
}
