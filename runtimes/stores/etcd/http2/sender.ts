/** What goes out on streams, as fast as the peer's windows let it (RFC 9113, section 5.2). */
import { ConnectionError, errorCodes, protocolError, StreamError } from './errors.ts'
import { flags, frameHeader, frameTypes, largest31 } from './frames.ts'
import type { Outbox } from './outbox.ts'
import { defaultWindowSize, initialSettings, readSettings } from './settings.ts'
import type { Stream } from './stream.ts'

const nothing = Buffer.alloc(0)

export class Sender {
  readonly #outbox: Outbox
  readonly #peer = initialSettings()
  /** Those that have more to send than the windows let through. */
  readonly #blocked = new Set<Stream>()
  #window = defaultWindowSize

  constructor(outbox: Outbox) {
    this.#outbox = outbox
  }

  /** How many streams may be open. */
  get most(): number {
    return this.#peer.maxConcurrentStreams
  }

  open(stream: Stream, id: number): void {
    stream.id = id
    stream.window = this.#peer.initialWindowSize
    this.#outbox.push(frameHeader(stream.head.length, frameTypes.headers, flags.endHeaders, id), stream.head)
    this.#send(stream)
  }

  /** The stream has ended. */
  forget(stream: Stream): void {
    this.#blocked.delete(stream)
  }

  /** Takes over the peer's settings; its windows apply to open streams too. */
  settings(payload: Buffer, open: Iterable<Stream>): void {
    const before = this.#peer.initialWindowSize
    readSettings(payload, this.#peer)
    for (const stream of open) {
      stream.window += this.#peer.initialWindowSize - before
      if (stream.window > largest31) throw new ConnectionError(errorCodes.flowControlError, 'a window is too large')
    }
    this.#sendBlocked()
  }

  /** The window of the whole connection grows. */
  grow(increment: number): void {
    if (increment === 0) throw protocolError('a window grows by nothing')
    this.#window += increment
    if (this.#window > largest31) throw new ConnectionError(errorCodes.flowControlError, 'a window is too large')
    this.#sendBlocked()
  }

  growStream(stream: Stream, increment: number): void {
    if (increment === 0) throw new StreamError(errorCodes.protocolError, 'a window grows by nothing')
    stream.window += increment
    if (stream.window > largest31) throw new StreamError(errorCodes.flowControlError, 'a window is too large')
    this.#send(stream)
  }

  #sendBlocked(): void {
    for (const stream of [...this.#blocked]) this.#send(stream)
  }

  #send(stream: Stream): void {
    for (;;) {
      const size = Math.min(stream.rest.length, stream.window, this.#window, this.#peer.maxFrameSize)
      if (size <= 0) break
      const whole = size === stream.rest.length
      stream.sentEnd = whole && stream.last
      this.#outbox.push(frameHeader(size, frameTypes.data, stream.sentEnd ? flags.endStream : 0, stream.id))
      this.#outbox.push(whole ? stream.rest : stream.rest.subarray(0, size))
      stream.rest = whole ? nothing : stream.rest.subarray(size)
      stream.window -= size
      this.#window -= size
    }
    if (stream.rest.length > 0) this.#blocked.add(stream)
    else this.#blocked.delete(stream)
  }
}
