import { limits } from '../../wire/server/limits.ts'

/** High-water mark in bytes: beyond it the transport applies back pressure. */
const highWater = limits.uploadWindow
/** Maximum bytes to allocate on the strength of a content-length alone. */
const maxGuess = 16 * 1024

/** Tells the transport that the reader consumed this many bytes. */
export type Consumed = (bytes: number) => void

/**
 * The body of a request. The transport pushes chunks; the handler reads them once, as a stream or as a whole. Chunks are copied together,
 * so that a client can't make the server hold many small buffers, or a large buffer for a few bytes.
 */
export class RequestBody {
  readonly #consumed: Consumed
  #buffer: Uint8Array<ArrayBuffer>
  #length = 0
  #ended = false
  #error: Error | undefined
  #stream: ReadableStream<Uint8Array<ArrayBuffer>> | undefined
  #collecting = false
  /** Buffered bytes, and whether the body has ended. */
  #most = Number.POSITIVE_INFINITY
  #tooLarge = false
  #discarding = false
  #teed = false
  #taken = false
  /** Readers waiting for data or the end. */
  #wake: (() => void) | undefined

  /** `expected`: content-length, when the client sent one. */
  constructor(consumed: Consumed, expected = 0) {
    this.#consumed = consumed
    this.#buffer = Buffer.allocUnsafe(Math.min(expected, maxGuess))
  }

  // ── For the transport ─────────────────────────────────────────────────────────────────────────

  /** Adds a chunk, which is copied. Returns false for back pressure, until data is consumed. */
  push(bytes: Uint8Array): boolean {
    if (this.#discarding) {
      this.#consumed(bytes.length)
      return true
    }
    const length = this.#length + bytes.length
    if (this.#collecting && length > this.#most) {
      this.#exceed(bytes.length)
      return true
    }
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#length))
      larger.set(this.#buffer.subarray(0, this.#length))
      this.#buffer = larger
    }
    this.#buffer.set(bytes, this.#length)
    this.#length = length
    if (this.#collecting) this.#consumed(bytes.length)
    else this.#wake?.()
    return this.#collecting || length <= highWater
  }

  end(): void {
    this.#ended = true
    this.#wake?.()
  }

  /** The client disconnected, or violated the protocol. */
  fail(error: Error): void {
    if (this.#ended) return
    this.#error ??= error
    this.#wake?.()
  }

  /** True while a reader waits. */
  get reading(): boolean {
    return this.#collecting || this.#wake !== undefined
  }

  get ended(): boolean {
    return this.#ended
  }

  /** Discards the rest: no reader wants it. */
  discard(): void {
    this.#discarding = true
    this.#consumed(this.#length)
    this.#length = 0
  }

  // ── For the reader ────────────────────────────────────────────────────────────────────────────

  /** True when reading has started. */
  get used(): boolean {
    return this.#collecting || this.#taken
  }

  /** The body as a stream, with back pressure to the client. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    if (this.#stream === undefined) {
      this.#stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
        { pull: (controller) => this.#pull(controller), cancel: () => this.discard() },
        { highWaterMark: 0 },
      )
      // Read as a whole: the stream of a used body is locked.
      if (this.#collecting) this.#stream.getReader()
    }
    return this.#stream
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): Promise<void> {
    this.#taken = true
    if (this.#length === 0 && !this.#ended && this.#error === undefined) await this.#more()
    if (this.#length > 0) controller.enqueue(this.#take())
    else if (this.#ended) controller.close()
    else if (this.#error !== undefined) controller.error(this.#error)
  }

  /** A copy for a second reader. Data that only one of them has read stays in memory. */
  tee(): ReadableStream<Uint8Array<ArrayBuffer>> {
    const [own, other] = this.stream().tee()
    this.#stream = own
    this.#teed = true
    return other
  }

  /** The whole body. Rejects when the client disconnects before the end, or when the body was already read. */
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return (await this.within(Number.POSITIVE_INFINITY)) as Uint8Array<ArrayBuffer>
  }

  async within(most: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    if (this.#teed && this.#stream !== undefined && !this.#collecting && !this.#stream.locked) return this.#collectCopy(this.#stream, most)
    if (this.used || this.#stream?.locked) throw new TypeError('Body is unusable: it has been read already')
    this.#collecting = true
    this.#most = most
    this.#stream?.getReader()
    this.#consumed(this.#length)
    if (this.#length > most) this.#exceed(0)
    while (!this.#ended && !this.#tooLarge) {
      if (this.#error !== undefined) throw this.#error
      await this.#more()
    }
    return this.#tooLarge ? undefined : this.#take()
  }

  whole(): Uint8Array<ArrayBuffer> | undefined {
    if (!this.#ended || this.used || this.#stream !== undefined) return undefined
    this.#collecting = true
    this.#consumed(this.#length)
    return this.#take()
  }

  /** Discards the rest, of which this many bytes are buffered. */
  #exceed(bytes: number): void {
    this.#tooLarge = true
    this.#discarding = true
    this.#consumed(bytes)
    this.#buffer = new Uint8Array(0)
    this.#length = 0
    this.#wake?.()
  }

  async #collectCopy(own: ReadableStream<Uint8Array<ArrayBuffer>>, most: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    this.#collecting = true
    const chunks: Uint8Array[] = []
    let length = 0
    for await (const chunk of own) {
      chunks.push(chunk)
      length += chunk.length
      if (length > most) return undefined
    }
    return Buffer.concat(chunks)
  }

  #take(): Uint8Array<ArrayBuffer> {
    const bytes = this.#buffer.subarray(0, this.#length)
    if (!this.#collecting) this.#consumed(this.#length)
    this.#buffer = new Uint8Array(0)
    this.#length = 0
    return bytes
  }

  /** Resolves when there is more data, or the end is reached. */
  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined
        resolve()
      }
    })
  }
}
