import { defaultMaxFrameSize, flags, frameHeaderLength, frameTypes, writeFrameHeader } from '../frames.ts'
import type { Holder, Holdings } from '../holdings.ts'
import { Encoder } from '../hpack/encoder.ts'
import type { Outbox } from '../outbox.ts'
import { Sender } from '../sender.ts'
import { limits } from './limits.ts'
import type { ServerStream } from './stream.ts'

const nothing = new Uint8Array(0)

/** Responses of a connection: header blocks, and bodies with flow control. */
export class Answers {
  readonly sender: Sender
  readonly #encoder = new Encoder()
  readonly #outbox: Outbox
  readonly #holdings: Holdings
  readonly #holder: Holder
  /** Unsent response bytes, and the number of their streams. */
  held = 0
  holding = 0

  constructor(outbox: Outbox, holdings: Holdings, holder: Holder) {
    this.#outbox = outbox
    this.sender = new Sender(outbox, limits.pending)
    this.#holdings = holdings
    this.#holder = holder
  }

  /** Applies the client's SETTINGS. */
  settings(payload: Buffer, open: Iterable<ServerStream>): void {
    this.sender.settings(payload, open, 1)
    this.#encoder.resize(this.sender.peer.headerTableSize)
  }

  /** Sends HEADERS, and CONTINUATION for long blocks. */
  headers(id: number, fields: readonly string[], last: boolean): void {
    const maxSize = Encoder.bound(fields)
    const buffer = this.#outbox.reserve(frameHeaderLength + maxSize)
    const start = this.#outbox.place
    const end = this.#encoder.write(buffer, start + frameHeaderLength, fields)
    const size = end - start - frameHeaderLength
    const endStream = last ? flags.endStream : 0
    if (size <= defaultMaxFrameSize) {
      writeFrameHeader(buffer, start, size, frameTypes.headers, flags.endHeaders | endStream, id)
      this.#outbox.grew(end - start)
    } else this.#split(id, Buffer.from(buffer.subarray(start + frameHeaderLength, end)), endStream)
  }

  #split(id: number, block: Buffer, endStream: number): void {
    for (let at = 0; at < block.length; at += defaultMaxFrameSize) {
      const part = block.subarray(at, at + defaultMaxFrameSize)
      const last = at + part.length === block.length ? flags.endHeaders : 0
      this.#outbox.frame(at === 0 ? frameTypes.headers : frameTypes.continuation, last | (at === 0 ? endStream : 0), id, part)
    }
  }

  /** Sends body data; what exceeds the window is queued. */
  body(stream: ServerStream, bytes: Uint8Array, last: boolean): void {
    stream.rest = bytes
    stream.last = last
    this.sender.send(stream)
    if (stream.rest.length === 0) return
    stream.held = bytes.length
    this.held += bytes.length
    this.holding++
    this.#holdings.add(this.#holder, bytes.length)
  }

  /** Queued data was sent or discarded. */
  release(stream: ServerStream): void {
    if (stream.held === 0) return
    const bytes = stream.held
    stream.held = 0
    this.held -= bytes
    this.holding--
    this.#holdings.remove(this.#holder, bytes)
  }

  forget(stream: ServerStream): void {
    this.sender.forget(stream)
    stream.rest = nothing
    this.release(stream)
  }
}
