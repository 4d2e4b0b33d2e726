/** Values up to this size share buffers. Bytes. */
const largestShared = 4 * 1024
const bufferSize = 64 * 1024

/**
 * Copies values, small ones into buffers that they share: a buffer of its own costs as much memory as a small object, and half of the time
 * that reading a record takes. A buffer is held as long as one of its values is current, so this is for what is read at a start: however
 * little of that is left later, it takes no more than it did then.
 */
export class SharedBuffers {
  #buffer = new ArrayBuffer(0)
  #used = 0

  /** A function of its own, to be handed on. */
  readonly copy = (bytes: Uint8Array): Uint8Array => {
    const { length } = bytes
    if (length > largestShared) return new Uint8Array(bytes)
    if (this.#used + length > this.#buffer.byteLength) {
      this.#buffer = new ArrayBuffer(bufferSize)
      this.#used = 0
    }
    const copy = new Uint8Array(this.#buffer, this.#used, length)
    copy.set(bytes)
    this.#used += length
    return copy
  }
}
