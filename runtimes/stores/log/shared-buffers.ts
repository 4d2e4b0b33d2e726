/** Maximum size in bytes of values that share buffers. */
const maxShared = 16 * 1024
const bufferSize = 256 * 1024

/**
 * Copies values; small ones share buffers, because a separate buffer costs as much memory as a small object, and half of the time to read a
 * record. A shared buffer stays in memory while one of its values is current. It is used for values that are read at startup: their memory
 * never exceeds what it was then.
 */
export class SharedBuffers {
  readonly #allocate: (bytes: number) => ArrayBufferLike
  #buffer: ArrayBufferLike = new ArrayBuffer(0)
  #used = 0

  /** `threads`: in memory that threads can share. */
  constructor(threads = false) {
    this.#allocate = (bytes) => (threads ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes))
  }

  /** Bound, so that it can be passed as a function. */
  readonly copy = (bytes: Uint8Array): Uint8Array => {
    const { length } = bytes
    if (length > maxShared) {
      const own = new Uint8Array(this.#allocate(length))
      own.set(bytes)
      return own
    }
    if (this.#used + length > this.#buffer.byteLength) {
      this.#buffer = this.#allocate(bufferSize)
      this.#used = 0
    }
    const copy = new Uint8Array(this.#buffer, this.#used, length)
    copy.set(bytes)
    this.#used += length
    return copy
  }
}
