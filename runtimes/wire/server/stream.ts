import type { Pace } from '../pace.ts'
import type { Outgoing } from '../sender.ts'

const nothing = new Uint8Array(0)

/** Events of a stream, for the handler of its request. */
export interface StreamUser {
  /** A piece of the body, to be used or copied at once. `consumed` makes room for more. */
  data(bytes: Buffer): void
  /** The body is complete. */
  end(): void
  /** Everything that was written is sent, and more may be. */
  sent(): void
  /** The stream is over. `error`: the client has cancelled, or the connection is gone, before the answer was sent. */
  closed(error?: Error): void
  /** Whether the body is waited for. */
  readonly reading: boolean
}

/** The connection, as a stream uses it. */
export interface StreamOwner {
  respond(stream: ServerStream, fields: readonly string[], body: Uint8Array | undefined, last: boolean): void
  inform(stream: ServerStream, status: string): void
  write(stream: ServerStream, bytes: Uint8Array, last: boolean): void
  later(write: () => void): void
  reset(stream: ServerStream, code: number): void
  sent(stream: ServerStream): void
  consumed(stream: ServerStream, bytes: number): void
  handled(): void
  drain(): void
}

/** One stream: request and response. The connection reads and writes the fields; the methods are for the handler. */
export class ServerStream implements Outgoing {
  readonly id: number
  readonly #owner: StreamOwner
  user: StreamUser | undefined

  // ── Response ─────────────────────────────────────────────────────────────────────────────
  rest: Uint8Array = nothing
  last = false
  window: number
  sentEnd = false
  /** Bytes of the answer that are in memory because of this stream. */
  held = 0
  /** Bytes sent. */
  moved = 0
  answered = false
  download: Pace | undefined

  // ── Request ─────────────────────────────────────────────────────────────────────────────
  /** Nothing more comes. */
  ended: boolean
  /** Bytes that the client may send. */
  room: number
  /** Bytes that were received and are not consumed. */
  unread = 0
  /** Bytes that were consumed since the last WINDOW_UPDATE. */
  owed = 0
  received = 0
  /** Bytes of the body, where the client says so. */
  readonly expected: number | undefined
  upload: Pace | undefined

  /** It is over: what is done to it has no effect. */
  closed = false

  constructor(owner: StreamOwner, id: number, window: number, room: number, ended: boolean, expected: number | undefined) {
    this.#owner = owner
    this.id = id
    this.window = window
    this.room = room
    this.ended = ended
    this.expected = expected
  }

  /**
   * Answers with a status and fields: names in lower case and values by turns, `:status` first. `last`: nothing follows the body.
   * @throws TypeError for a field that can't be sent; then another answer may be tried.
   */
  respond(fields: readonly string[], body: Uint8Array | undefined, last: boolean): void {
    if (!this.closed) this.#owner.respond(this, fields, body, last)
  }

  /** An answer before the answer, such as `100` (RFC 9110 15.2). */
  inform(status: string): void {
    if (!this.closed && !this.answered) this.#owner.inform(this, status)
  }

  /** More of the body; `user.sent` tells when it is gone. One piece at a time. */
  write(bytes: Uint8Array, last: boolean): void {
    if (!this.closed) this.#owner.write(this, bytes, last)
  }

  /** Calls back when it is the connection's turn to write. */
  later(write: () => void): void {
    if (!this.closed) this.#owner.later(write)
  }

  reset(code: number): void {
    if (!this.closed) this.#owner.reset(this, code)
  }

  /** So many bytes of the body are not needed here any more. */
  consumed(bytes: number): void {
    if (bytes > 0) this.#owner.consumed(this, bytes)
  }

  /** The handler of the request has come to its end, whatever has become of the stream. */
  handled(): void {
    this.#owner.handled()
  }

  /** Asks the client to take another connection for what follows. */
  drain(): void {
    this.#owner.drain()
  }

  /** For the sender: what was to be written is. */
  sent(): void {
    this.#owner.sent(this)
  }
}
