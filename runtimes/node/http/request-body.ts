import { limits } from '../../wire/server/limits.ts'

/** High-water mark in bytes: beyond it the transport applies back pressure. */
const highWater = limits.uploadWindow
/** Sizes in bytes of blocks: a quarter of what is buffered, within these bounds. */
const [smallestBlock, largestBlock] = [1024, 64 * 1024]

type Bytes = Uint8Array<ArrayBuffer>
const nothing: Bytes = new Uint8Array(0)

/** Tells the transport that the reader consumed this many bytes. */
export type Consumed = (bytes: number) => void

/** Accounts for the memory of a body. */
export interface BodyMemory {
  /** The body takes so many bytes more, or less. */
  changed(bytes: number): void
  /** A reader wants the body. */
  asked(): void
}

/**
 * The body of a request. The transport pushes chunks; the handler reads them once, as a stream or as a whole. Chunks are copied together,
 * so that a client can't make the server hold many small buffers, or a large buffer for a few bytes. What is buffered takes at most a quarter
 * more, or 1 KiB.
 */
export class RequestBody {
  readonly #consumed: Consumed
  readonly #memory: BodyMemory | undefined
  /** Bytes that may still arrive, when the client has said how many. */
  #expected: number
  /** Full blocks, and the last one, of which so many bytes are used. */
  #full: Bytes[] = []
  #block = nothing
  #used = 0
  /** Bytes buffered, and taken for them. */
  #length = 0
  #capacity = 0
  #ended = false
  #error: Error | undefined
  #stream: ReadableStream<Uint8Array<ArrayBuffer>> | undefined
  #collecting = false
  #maxBytes = Number.POSITIVE_INFINITY
  #tooLarge = false
  #discarding = false
  #teed = false
  #taken = false
  /** Readers waiting for data or the end. */
  #wake: (() => void) | undefined

  /** `expected`: content-length, when the client sent one. */
  constructor(consumed: Consumed, expected = Number.POSITIVE_INFINITY, memory?: BodyMemory) {
    this.#consumed = consumed
    this.#expected = expected
    this.#memory = memory
  }

  // ── For the transport ─────────────────────────────────────────────────────────────────────────

  /** Adds a chunk, which is copied. Returns false for back pressure, until data is consumed. */
  push(bytes: Uint8Array): boolean {
    if (this.#discarding) {
      this.#consumed(bytes.length)
      return true
    }
    if (this.#collecting && this.#length + bytes.length > this.#maxBytes) {
      this.#exceed(bytes.length)
      return true
    }
    this.#append(bytes)
    if (this.#collecting) this.#consumed(bytes.length)
    else this.#wake?.()
    return this.#collecting || this.#length <= highWater
  }

  #append(bytes: Uint8Array): void {
    const free = this.#block.length - this.#used
    const rest = bytes.length > free ? bytes.subarray(free) : undefined
    if (free > 0) {
      this.#block.set(rest === undefined ? bytes : bytes.subarray(0, free), this.#used)
      this.#used += rest === undefined ? bytes.length : free
    }
    if (rest !== undefined) {
      if (this.#used > 0) this.#full.push(this.#block)
      this.#block = this.#newBlock(rest.length)
      this.#block.set(rest)
      this.#used = rest.length
    }
    this.#length += bytes.length
    this.#expected -= bytes.length
  }

  #newBlock(least: number): Bytes {
    const usual = Math.min(Math.max(this.#length >> 2, smallestBlock), largestBlock)
    const size = Math.max(least, Math.min(usual, this.#expected))
    this.#capacity += size
    this.#memory?.changed(size)
    return Buffer.allocUnsafe(size)
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
    this.#clear()
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
    this.#memory?.asked()
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

  async within(maxBytes: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    if (this.#teed && this.#stream !== undefined && !this.#collecting && !this.#stream.locked)
      return this.#collectCopy(this.#stream, maxBytes)
    if (this.used || this.#stream?.locked) throw new TypeError('Body is unusable: it has been read already')
    this.#collecting = true
    this.#maxBytes = maxBytes
    this.#stream?.getReader()
    this.#memory?.asked()
    this.#consumed(this.#length)
    if (this.#length > maxBytes) this.#exceed(0)
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

  /** Discards the rest, of which this many bytes are not buffered. */
  #exceed(bytes: number): void {
    this.#tooLarge = true
    this.#discarding = true
    this.#consumed(bytes)
    this.#clear()
    this.#wake?.()
  }

  async #collectCopy(own: ReadableStream<Uint8Array<ArrayBuffer>>, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    this.#collecting = true
    const chunks: Uint8Array[] = []
    let length = 0
    for await (const chunk of own) {
      chunks.push(chunk)
      length += chunk.length
      if (length > maxBytes) return undefined
    }
    return Buffer.concat(chunks)
  }

  #take(): Uint8Array<ArrayBuffer> {
    const last = this.#block.subarray(0, this.#used)
    const bytes = this.#full.length === 0 ? last : Buffer.concat([...this.#full, last], this.#length)
    if (!this.#collecting) this.#consumed(this.#length)
    this.#clear()
    return bytes
  }

  /** Gives the buffered bytes up. */
  #clear(): void {
    const capacity = this.#capacity
    this.#full = []
    this.#block = nothing
    this.#used = 0
    this.#length = 0
    this.#capacity = 0
    if (capacity > 0) this.#memory?.changed(-capacity)
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
