import type { Slices } from '../../common/slices.ts'
import type { ByteStream, Clock } from '../../ports.ts'
import { controlFrame, dataFrame, fin, headerBlock, SpdyReader, types } from './frames.ts'

/** Receives what the server sends on a stream. */
export interface SpdyReceiver {
  /** Holds the connection back until it resolves. */
  data(bytes: Uint8Array<ArrayBuffer>): Promise<void> | void
  /** Nothing follows. */
  end(): void
}

interface Opened {
  readonly receiver: SpdyReceiver
  replied(): void
  refused(error: Error): void
  ended: boolean
}

/** Milliseconds between pings, which keep idle connections alive. */
const pingInterval = 5_000
/** Milliseconds until the server must have accepted a stream. */
const replyTimeout = 30_000
/** Status RST_STREAM CANCEL. */
const cancel = 5

/** The client's end of a SPDY/3.1 connection. The protocol has no flow control here: a receiver that waits holds all streams back. */
export class SpdyClient {
  readonly #stream: ByteStream
  readonly #clock: Pick<Clock, 'after'>
  readonly #slices: Slices
  readonly #writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>
  readonly #streams = new Map<number, Opened>()
  #nextId = 1
  #nextPing = 1
  #stopPings = () => {}

  /** `slices`: of the time in which frames are read. */
  constructor(stream: ByteStream, clock: Pick<Clock, 'after'>, slices: Slices) {
    this.#stream = stream
    this.#clock = clock
    this.#slices = slices
    this.#writer = stream.writable.getWriter()
    this.#writer.closed.catch(() => undefined)
  }

  /** Opens a stream; resolves to its number when the server has accepted it. */
  async open(headers: Readonly<Record<string, string>>, receiver: SpdyReceiver): Promise<number> {
    const id = this.#nextId
    this.#nextId += 2
    const accepted = new Promise<void>((resolve, reject) => {
      const stop = this.#clock.after(replyTimeout, () => reject(new Error('Timed out waiting for stream')))
      const settle = (then: () => void) => {
        stop()
        then()
      }
      this.#streams.set(id, {
        receiver,
        replied: () => settle(resolve),
        refused: (error) => settle(() => reject(error)),
        ended: false,
      })
    })
    // Ends with the connection, too.
    accepted.catch(() => undefined)
    // Number of the stream, no associated one, highest priority.
    await this.#send(controlFrame(types.synStream, 0, id, 0, new Uint8Array(2), headerBlock(headers, id === 1)))
    await accepted
    return id
  }

  /** Resolves when the server can take more. */
  write(id: number, bytes: Uint8Array): Promise<void> {
    return bytes.length === 0 ? Promise.resolve() : this.#send(dataFrame(id, 0, bytes))
  }

  /** Ends this direction of a stream. */
  end(id: number): Promise<void> {
    return this.#send(dataFrame(id, fin, new Uint8Array(0)))
  }

  /** Reads until the connection ends, which ends all streams. Never rejects. */
  async serve(): Promise<void> {
    const frames = new SpdyReader()
    const reader = this.#stream.readable.getReader()
    const slices = this.#slices
    this.#ping()
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        slices.proceed()
        for (const piece of frames.push(value)) {
          // What has arrived may be ten thousands of frames.
          if (slices.over) await slices.next()
          if (piece.kind === 'control') await this.#control(piece.type, piece.flags, piece.payload)
          else await this.#data(piece.stream, piece.bytes, piece.last)
        }
        slices.rest()
      }
    } catch {
      // The streams end below.
    } finally {
      this.#stopPings()
      reader.releaseLock()
      for (const opened of this.#streams.values()) {
        opened.refused(new Error('the connection has ended'))
        this.#ended(opened)
      }
    }
  }

  /** Resets the streams, and ends the connection. Never rejects. */
  async close(): Promise<void> {
    this.#stopPings()
    for (const [id, { ended }] of this.#streams)
      if (!ended) await this.#send(controlFrame(types.reset, 0, id, cancel)).catch(() => undefined)
    await this.#send(controlFrame(types.goAway, 0, 0, 0)).catch(() => undefined)
    await this.#writer.close().catch(() => undefined)
  }

  async #send(frame: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.#writer.ready
    this.#writer.write(frame).catch(() => undefined)
  }

  #ping(): void {
    this.#stopPings = this.#clock.after(pingInterval, () => {
      this.#send(controlFrame(types.ping, 0, this.#nextPing)).catch(() => undefined)
      this.#nextPing += 2
      this.#ping()
    })
  }

  #ended(opened: Opened): void {
    if (opened.ended) return
    opened.ended = true
    opened.receiver.end()
  }

  async #data(id: number, bytes: Uint8Array<ArrayBuffer>, last: boolean): Promise<void> {
    const opened = this.#streams.get(id)
    if (opened === undefined || opened.ended) return
    if (bytes.length > 0) await opened.receiver.data(bytes)
    if (last) this.#ended(opened)
  }

  async #control(type: number, flags: number, payload: Uint8Array): Promise<void> {
    const number = payload.length < 4 ? 0 : new DataView(payload.buffer, payload.byteOffset).getUint32(0)
    const opened = this.#streams.get(number)
    if (type === types.synReply) {
      opened?.replied()
      if (opened !== undefined && (flags & fin) !== 0) this.#ended(opened)
    } else if (type === types.reset && opened !== undefined) {
      opened.refused(new Error('the stream was refused'))
      this.#ended(opened)
    }
    // The server's own pings have even numbers.
    else if (type === types.ping && number % 2 === 0) await this.#send(controlFrame(types.ping, 0, number))
    else if (type === types.synStream) await this.#send(controlFrame(types.reset, 0, number, cancel))
  }
}
