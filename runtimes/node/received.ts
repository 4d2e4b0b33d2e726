import type { Readable } from 'node:stream'
import type { ByteSource } from '../../core/respond/byte-source.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** Bytes that are held until they are taken; then the sender is held back. */
const window = 128 * 1024

/**
 * What a stream of Node receives, as a body. Everything that has arrived is taken at once: a record of TLS has at most 16 KiB, and a write for
 * each one would cost more than its bytes.
 */
export class Received implements ByteSource {
  readonly patient = true
  readonly #stream: Readable
  #pieces: Bytes[] = []
  #size = 0
  #failure: Error | undefined
  #isOver = false
  #ready = () => {}

  constructor(stream: Readable) {
    this.#stream = stream
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
    this.#pieces.push(bytes)
    this.#size += bytes.length
    if (this.#size >= window) this.#stream.pause()
    if (this.#pieces.length === 1) this.#ready()
  }

  take(): Bytes | undefined {
    const pieces = this.#pieces
    const [first] = pieces
    if (first === undefined) {
      if (this.#failure !== undefined) throw this.#failure
      return undefined
    }
    const bytes = pieces.length === 1 ? first : joined(pieces, this.#size)
    this.#pieces = []
    this.#size = 0
    if (!this.#isOver) this.#stream.resume()
    return bytes
  }

  cancel(): void {
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
