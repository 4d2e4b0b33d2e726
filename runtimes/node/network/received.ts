import type { Readable } from 'node:stream'
import type { ByteSource } from '../../../core/answers/byte-source.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** Bytes that are held until they are taken; then the sender is held back. */
const window = 128 * 1024
/** Pieces up to so many bytes are copied into blocks: each one by itself takes hundreds of bytes of memory. */
const small = 256
const block = 8 * 1024

/**
 * What a stream of Node receives, as a body. Everything that has arrived is taken at once: a record of TLS has at most 16 KiB, and a write for
 * each one would cost more than its bytes.
 */
export class Received implements ByteSource {
  readonly isDeferrable = true
  readonly #stream: Readable
  #pieces: Bytes[] = []
  /** The block that small pieces are copied into, if it is the last piece; the bytes of it that are used. */
  #block: Bytes | undefined
  #used = 0
  #size = 0
  readonly #arrived: (size: number) => void
  #failure: Error | undefined
  #isOver = false
  #ready = () => {}

  /** `arrived`: called with the size of each piece. */
  constructor(stream: Readable, arrived: (size: number) => void = () => {}) {
    this.#stream = stream
    this.#arrived = arrived
    const over = (failure?: Error) => {
      if (this.#isOver) return
      this.#isOver = true
      this.#failure = failure
      this.#ready()
    }
    stream.once('end', () => over())
    stream.on('error', over)
    stream.once('close', () => over(new Error('the connection was closed')))
  }

  /** Adds what has been received already. Call it before `open`. */
  give(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#receive(bytes as Bytes)
  }

  get ended(): boolean {
    return this.#isOver && this.#failure === undefined && this.#size === 0
  }

  open(ready: () => void): void {
    this.#ready = ready
    this.#stream.on('data', (bytes: Buffer) => this.#receive(bytes as Bytes))
    this.#stream.resume()
  }

  #receive(bytes: Bytes): void {
    const isFirst = this.#pieces.length === 0
    if (bytes.length <= small && !isFirst) this.#gather(bytes)
    else {
      this.#endBlock()
      this.#pieces.push(bytes)
    }
    this.#size += bytes.length
    this.#arrived(bytes.length)
    if (this.#size >= window) this.#stream.pause()
    if (isFirst) this.#ready()
  }

  #gather(bytes: Uint8Array): void {
    if (this.#block !== undefined && this.#used + bytes.length > block) this.#endBlock()
    if (this.#block === undefined) {
      this.#block = Buffer.allocUnsafeSlow(block) as Bytes
      this.#pieces.push(this.#block)
    }
    this.#block.set(bytes, this.#used)
    this.#used += bytes.length
  }

  #endBlock(): void {
    if (this.#block === undefined) return
    this.#pieces[this.#pieces.length - 1] = this.#block.subarray(0, this.#used)
    this.#block = undefined
    this.#used = 0
  }

  take(): Bytes | undefined {
    const pieces = this.#pieces
    const [first] = pieces
    if (first === undefined) {
      if (this.#failure !== undefined) throw this.#failure
      return undefined
    }
    this.#endBlock()
    const bytes = pieces.length === 1 ? first : joined(pieces, this.#size)
    this.#pieces = []
    this.#size = 0
    if (!this.#isOver) this.#stream.resume()
    return bytes
  }

  cancel(): void {
    this.#block = undefined
    this.#used = 0
    this.#pieces = []
    this.#size = 0
    this.#stream.destroy()
  }
}

function joined(pieces: readonly Bytes[], size: number): Bytes {
  // From no pool, which others would keep in memory.
  const all = Buffer.allocUnsafeSlow(size) as Bytes
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}
