import type { ByteSource } from '../../answers/byte-source.ts'
import type { Slices } from '../../common/slices.ts'
import type { ByteStream, Clock } from '../../ports.ts'
import { FrameReader, frame, opcodes, type Piece, WebSocketError } from './frames.ts'

const normalClosure = 1000
const protocolError = 1002

/** Milliseconds until the client must have closed, too. */
const closeTimeout = 5_000

/** Bytes that are written at once. */
const pieceSize = 64 * 1024

/** The server's end of an open WebSocket. */
export class WebSocketEnd {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>
  readonly #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>
  readonly #clock: Pick<Clock, 'after' | 'monotonic'>
  readonly #slices: Slices
  #closed = false
  /** When something was last sent or received. */
  #moved = 0
  #stopIdle = () => {}

  /** `slices`: of the time in which frames are read. */
  constructor(stream: ByteStream, clock: Pick<Clock, 'after' | 'monotonic'>, slices: Slices) {
    this.#clock = clock
    this.#slices = slices
    this.#reader = stream.readable.getReader()
    this.#writer = stream.writable.getWriter()
    this.#writer.closed.catch(() => undefined)
  }

  /** Breaks the connection when nothing is sent or received for so many milliseconds. */
  endWhenIdle(limit: number): void {
    this.#moved = this.#clock.monotonic()
    const check = () => {
      const left = this.#moved + limit - this.#clock.monotonic()
      if (left > 0) {
        this.#stopIdle = this.#clock.after(left, check)
        return
      }
      this.abort(new Error('the connection was idle'))
    }
    check()
  }

  /** Breaks the connection. */
  abort(reason: unknown): void {
    this.#closed = true
    void this.#reader.cancel(reason).catch(() => undefined)
    void this.#writer.abort(reason).catch(() => undefined)
  }

  /** Sends a message; resolves when the client can take more. Rejects when the connection has broken. */
  async send(opcode: number, ...parts: readonly Uint8Array[]): Promise<void> {
    if (this.#closed) return
    await this.#writer.ready
    this.#moved = this.#clock.monotonic()
    this.#writer.write(frame(opcode, ...parts)).catch(() => undefined)
  }

  /**
   * Sends the frames that the source is made of, then closes. Breaks the connection when the client takes less than 64 KiB of what waits in
   * `writeTimeout` milliseconds. Cancel the source when `receive` ends: nothing else tells that the client has left.
   */
  async sendAll(source: ByteSource, writeTimeout: number): Promise<void> {
    let wake = () => {}
    source.open(() => wake())
    try {
      while (!this.#closed) {
        const bytes = source.take()
        if (bytes !== undefined) await this.#sendFrames(bytes, writeTimeout)
        else if (source.ended) break
        else
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
      await this.#within(writeTimeout, this.close())
    } finally {
      source.cancel()
    }
  }

  /** All at once, so that the frame of an answer to a ping does not get between them. */
  async #sendFrames(bytes: Uint8Array<ArrayBuffer>, writeTimeout: number): Promise<void> {
    const written: Promise<void>[] = []
    for (let at = 0; at < bytes.length; at += pieceSize) written.push(this.#writer.write(bytes.subarray(at, at + pieceSize)))
    this.#moved = this.#clock.monotonic()
    for (const each of written) each.catch(() => undefined)
    for (const each of written) await this.#within(writeTimeout, each)
  }

  /** Breaks the connection when the promise takes longer. */
  async #within(writeTimeout: number, sent: Promise<void>): Promise<void> {
    const forget = this.#clock.after(writeTimeout, () => this.abort(new Error('the client does not read')))
    await sent.finally(forget)
  }

  /**
   * Gives the pieces of all messages to `take`, which holds the client back until it resolves; resolves when the client has closed. Rejects when the
   * connection breaks, or the client violates the protocol.
   */
  async receive(take: (piece: Piece) => Promise<void> | void): Promise<void> {
    const frames = new FrameReader()
    const slices = this.#slices
    try {
      for (;;) {
        const { done, value } = await this.#reader.read()
        if (done) return
        this.#moved = this.#clock.monotonic()
        slices.proceed()
        for (const piece of frames.push(value)) {
          // What has arrived may be ten thousands of frames.
          if (slices.over) await slices.next()
          if (piece.opcode === opcodes.close) return await this.close()
          if (piece.opcode === opcodes.ping) await this.send(opcodes.pong, piece.bytes)
          else if (piece.opcode !== opcodes.pong) await take(piece)
        }
        slices.rest()
      }
    } catch (error) {
      if (error instanceof WebSocketError) await this.close(protocolError)
      throw error
    } finally {
      this.#stopIdle()
    }
  }

  /** Sends a close frame, and ends this direction; the other one soon after. Never rejects. */
  async close(code = normalClosure): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#stopIdle()
    const end = frame(opcodes.close, Uint8Array.of(code >> 8, code & 0xff))
    this.#writer.write(end).catch(() => undefined)
    await this.#writer.close().catch(() => undefined)
    this.#clock.after(closeTimeout, () => void this.#reader.cancel().catch(() => undefined))
  }
}
