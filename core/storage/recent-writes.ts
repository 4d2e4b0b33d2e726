import { sameBytes } from '../schema/bytes.ts'
import type { Codec, Printed } from './codec.ts'

const mostKept = 64
/** Characters of a printed object. */
const largestKept = 16_384

interface Write {
  readonly stored: Uint8Array
  readonly printed: Printed
  served?: { readonly revision: number; readonly bytes: Uint8Array }
}

/** What was written last: a store tells of each write in its answer and again in its watch, and the bytes to serve are made once for both. */
export class RecentWrites {
  readonly #codec: Codec
  /** By key, oldest first. */
  readonly #writes = new Map<string, Write>()

  constructor(codec: Codec) {
    this.#codec = codec
  }

  /** A printed object is about to be written as this value. */
  note(key: string, stored: Uint8Array, printed: Printed): void {
    this.#writes.delete(key)
    if (printed.json.length > largestKept) return
    this.#writes.set(key, { stored, printed })
    if (this.#writes.size > mostKept) for (const oldest of this.#writes.keys()) return void this.#writes.delete(oldest)
  }

  /**
   * The bytes that clients get for a stored value.
   * @throws StoreError `corrupt` when it can't be read.
   */
  serve(key: string, value: Uint8Array, revision: number): Uint8Array {
    const write = this.#writes.get(key)
    if (write === undefined || !sameBytes(write.stored, value)) return this.#codec.serve(value, revision)
    if (write.served?.revision !== revision) write.served = { revision, bytes: this.#codec.show(write.printed, revision) }
    return write.served.bytes
  }
}
