import type { Pace } from '../pace.ts'
import type { Outgoing } from '../sender.ts'
import type { ConnectionIntake } from './intake.ts'

const nothing = new Uint8Array(0)

/** Events of a stream, for the handler of its request. */
export interface StreamUser {
  /** A chunk of the body, valid only during the call. `consumed` reopens the window. */
  data(bytes: Buffer): void
  /** The body is complete. */
  end(): void
  /** All written data is sent; more can be written. */
  sent(): void
  /** The stream is closed. `error`: the client cancelled, or the connection closed, before the response was sent. */
  closed(error?: Error): void
  /** True while the handler waits for the body. */
  readonly reading: boolean
}

/** The connection, as a stream uses it. */
export interface StreamOwner {
  readonly intake: ConnectionIntake
  respond(stream: ServerStream, fields: readonly string[], body: Uint8Array | undefined, last: boolean): void
  inform(stream: ServerStream, status: string): void
  write(stream: ServerStream, bytes: Uint8Array, last: boolean): void
  end(stream: ServerStream, trailers: readonly string[]): void
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
  /** Fields that end the response after its data; undefined: there are none. */
  trailers: readonly string[] | undefined
  window: number
  sentEnd = false
  /** Response bytes held in memory for this stream. */
  held = 0
  /** Bytes sent. */
  moved = 0
  answered = false
  /** Carries another protocol: half-closed after the response has ended, and paused as long as its peer likes. */
  tunnel = false
  download: Pace | undefined

  // ── Request ─────────────────────────────────────────────────────────────────────────────
  /** Bytes of the header list. */
  readonly head: number
  /** END_STREAM was received. */
  ended: boolean
  /** Receive window in bytes. */
  receiveWindow: number
  /** Bytes received and not consumed. */
  unread = 0
  /** Bytes consumed since the last WINDOW_UPDATE. */
  owed = 0
  received = 0
  /** content-length, when sent. */
  readonly expected: number | undefined
  upload: Pace | undefined

  /** Closed: further calls have no effect. */
  closed = false

  constructor(
    owner: StreamOwner,
    id: number,
    { window, receiveWindow, head, ended, expected }: Pick<ServerStream, 'window' | 'receiveWindow' | 'head' | 'ended' | 'expected'>,
  ) {
    this.#owner = owner
    this.id = id
    this.window = window
    this.receiveWindow = receiveWindow
    this.head = head
    this.ended = ended
    this.expected = expected
  }

  /** The account of the connection. */
  get intake(): ConnectionIntake {
    return this.#owner.intake
  }

  /**
   * Sends a response. `fields`: names in lower case and values, alternating, `:status` first. `last`: nothing follows `body`.
   * @throws TypeError for a field that can't be encoded; another response may be sent then.
   */
  respond(fields: readonly string[], body: Uint8Array | undefined, last: boolean): void {
    if (!this.closed) this.#owner.respond(this, fields, body, last)
  }

  /** Sends an informational response, such as `100` (RFC 9110 15.2). */
  inform(status: string): void {
    if (!this.closed && !this.answered) this.#owner.inform(this, status)
  }

  /** Writes body data, one chunk at a time; `user.sent` is called when it is sent. */
  write(bytes: Uint8Array, last: boolean): void {
    if (!this.closed) this.#owner.write(this, bytes, last)
  }

  /** Ends a response with trailers (RFC 9113, section 8.1), after the data that is written. Fields as of `respond`. */
  end(trailers: readonly string[]): void {
    if (!this.closed) this.#owner.end(this, trailers)
  }

  /** Calls back when it is the connection's turn to write. */
  later(write: () => void): void {
    if (!this.closed) this.#owner.later(write)
  }

  reset(code: number): void {
    if (!this.closed) this.#owner.reset(this, code)
  }

  /** Consumes bytes of the body, which reopens the window. */
  consumed(bytes: number): void {
    if (bytes > 0) this.#owner.consumed(this, bytes)
  }

  /** The request's handler has finished. */
  handled(): void {
    this.#owner.handled()
  }

  /** Asks the client, with GOAWAY, to use another connection. */
  drain(): void {
    this.#owner.drain()
  }

  /** Called by the sender when the data is written. */
  sent(): void {
    this.#owner.sent(this)
  }
}
