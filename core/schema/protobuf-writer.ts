const encoder = new TextEncoder()
/** Up to here a loop over the characters is faster than the encoder. */
const shortText = 48
const firstSize = 1_024

/**
 * Writes protobuf from its end to its start: when the length of a message is due, the message is already there. So fields are written in
 * reverse order, and of each first the value, then the length, then the tag.
 */
export class ProtobufWriter {
  #bytes = new Uint8Array(firstSize)
  /** Where what is written starts. */
  #start = firstSize

  /** Bytes written so far. */
  get length(): number {
    return this.#bytes.length - this.#start
  }

  finish(): Uint8Array {
    return this.#bytes.slice(this.#start)
  }

  /** An unsigned number below 2^32. */
  uint32(value: number): void {
    const size = value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5
    let at = this.#reserve(size)
    for (let rest = value; ; rest >>>= 7) {
      if (rest < 0x80) {
        this.#bytes[at] = rest
        return
      }
      this.#bytes[at++] = (rest & 0x7f) | 0x80
    }
  }

  /** A signed number of 64 bits; negative ones take ten bytes. */
  int64(value: bigint): void {
    let rest = BigInt.asUintN(64, value)
    const bytes: number[] = []
    for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
    bytes.push(Number(rest))
    this.raw(bytes)
  }

  double(value: number): void {
    const at = this.#reserve(8)
    new DataView(this.#bytes.buffer).setFloat64(at, value, true)
  }

  /** Bytes as they are. */
  raw(bytes: ArrayLike<number>): void {
    const at = this.#reserve(bytes.length)
    this.#bytes.set(bytes, at)
  }

  bytes(bytes: Uint8Array): void {
    this.raw(bytes)
    this.uint32(bytes.length)
  }

  string(text: string): void {
    if (text.length > shortText || !this.#ascii(text)) this.bytes(encoder.encode(text))
  }

  /** Writes a short text that has no other characters; false: it has, and nothing is written. */
  #ascii(text: string): boolean {
    const at = this.#reserve(text.length)
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code >= 0x80) {
        this.#start += text.length
        return false
      }
      this.#bytes[at + i] = code
    }
    this.uint32(text.length)
    return true
  }

  /** Makes room before what is written; returns where it begins. */
  #reserve(size: number): number {
    if (this.#start < size) {
      const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.length + size))
      const start = grown.length - this.length
      grown.set(this.#bytes.subarray(this.#start), start)
      this.#bytes = grown
      this.#start = start
    }
    this.#start -= size
    return this.#start
  }
}
