/** Messages of gRPC in the bytes of a stream (gRPC's PROTOCOL-HTTP2.md, Length-Prefixed-Message). */
import { CallError } from '../../../core/ports.ts'
import { internal, resourceExhausted } from './codes.ts'

/** Length of a message's prefix: compression flag and four bytes of length. */
const prefixLength = 5

/** A message with its prefix, not compressed. */
export function framed(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(prefixLength + message.length)
  frame[0] = 0
  frame.writeUInt32BE(message.length, 1)
  frame.set(message, prefixLength)
  return frame
}

/** Splits incoming bytes into messages of at most `largest` bytes. */
export class Messages {
  readonly #largest: number
  #chunks: Buffer[] = []
  #length = 0
  /** Bytes missing to complete the message, or its prefix. */
  #wanted = prefixLength

  constructor(largest: number) {
    this.#largest = largest
  }

  /** Complete messages; an error for a compressed one (not negotiated) or one that is too large. */
  take(bytes: Buffer): Buffer[] | CallError {
    this.#chunks.push(bytes)
    this.#length += bytes.length
    const found: Buffer[] = []
    while (this.#length >= this.#wanted) {
      const [first = bytes, ...others] = this.#chunks
      const all = others.length === 0 ? first : Buffer.concat(this.#chunks, this.#length)
      if (all[0] !== 0) return new CallError(internal, 'the response is compressed')
      const length = all.readUInt32BE(1)
      if (length > this.#largest) return new CallError(resourceExhausted, `the response has ${length} bytes`)
      const end = prefixLength + length
      const whole = all.length >= end
      if (whole) found.push(all.subarray(prefixLength, end))
      const rest = whole ? all.subarray(end) : all
      this.#chunks = rest.length > 0 ? [rest] : []
      this.#length = rest.length
      this.#wanted = whole ? prefixLength : end
    }
    return found
  }

  /** True when a message is incomplete. */
  get cut(): boolean {
    return this.#length > 0
  }

  /** Bytes of an incomplete message with its prefix; undefined: there is none, or its length has not come. */
  get announced(): number | undefined {
    return this.#wanted > prefixLength ? this.#wanted : undefined
  }

  /** Bytes that have come of an incomplete message. */
  get held(): number {
    return this.#length
  }
}
