import type { ApiObject } from '../../resources/definition.ts'
import { sameBytes } from '../../schema/bytes.ts'
import { holdsEmpties } from '../../schema/json/given-empty.ts'
import { asStored } from '../../schema/json/members.ts'
import type { Json } from '../../schema/model.ts'
import type { Codec, Printed } from './codec.ts'

/** Maximum writes: more than are in flight to a store that takes long. They are searched linearly, and each holds a parsed object. */
const maxKept = 64
/** Maximum characters of one printed object, and of all together. */
const largestKept = 16_384
const maxCharacters = 16 * largestKept

/** Number of hashes of keys. */
const hashes = 256

/** A hash of the characters at the end of a key, in which keys of a resource differ. */
function hashOf(key: string): number {
  const last = key.length - 1
  return (key.charCodeAt(last) ^ (key.charCodeAt(last - 1) << 2) ^ (key.charCodeAt(last - 2) << 4) ^ last) & (hashes - 1)
}

class Write {
  readonly key: string
  readonly stored: Uint8Array
  readonly printed: Printed
  served: { readonly revision: number; readonly bytes: Uint8Array } | undefined
  #object: ApiObject | undefined

  constructor(key: string, stored: Uint8Array, printed: Printed) {
    this.key = key
    this.stored = stored
    this.printed = printed
  }

  /** Made when it is first asked for: most objects are not written again while their write is kept. */
  get object(): ApiObject {
    const { object } = this.printed
    this.#object ??= holdsEmpties(object) ? (asStored(object as Json) as ApiObject) : object
    return this.#object
  }
}

/**
 * Cache of recent writes. The store reports each write in its response and again in its watch: both share the served bytes, and the next
 * writer of the object need not parse it.
 */
export class RecentWrites {
  readonly #codec: Codec
  /** A ring buffer, not a Map: constant deletion and insertion makes a Map rehash, and minor collections keep what the abandoned tables hold. */
  readonly #writes: (Write | undefined)[] = new Array<undefined>(maxKept).fill(undefined)
  /** Number of writes by the hash of their key: nearly all others are not searched for. A map of keys would take longer to maintain. Made at the first write. */
  #counts: Uint8Array | undefined
  /** Position of the oldest write. */
  #oldest = 0
  #count = 0
  #characters = 0

  constructor(codec: Codec) {
    this.#codec = codec
  }

  /** Call before a printed object is written as this value. The object must not be changed afterwards. */
  note(key: string, stored: Uint8Array, printed: Printed): void {
    const { length } = printed.json
    if (length > largestKept) return
    this.#characters += length
    while (this.#count === maxKept || this.#characters > maxCharacters) this.#dropOldest()
    this.#writes[(this.#oldest + this.#count++) % maxKept] = new Write(key, stored, printed)
    this.#counts ??= new Uint8Array(hashes)
    this.#counts[hashOf(key)]!++
  }

  #dropOldest(): void {
    const { key, printed } = this.#writes[this.#oldest] as Write
    this.#characters -= printed.json.length
    this.#writes[this.#oldest] = undefined
    this.#counts![hashOf(key)]!--
    this.#oldest = (this.#oldest + 1) % maxKept
    this.#count--
  }

  /** Searches the newest writes first: their results and events are still to come. */
  #find(key: string, matches: (write: Write) => boolean): Write | undefined {
    if (!this.#counts?.[hashOf(key)]) return undefined
    for (let back = 1; back <= this.#count; back++) {
      const write = this.#writes[(this.#oldest + this.#count - back) % maxKept]
      if (write?.key === key && matches(write)) return write
    }
    return undefined
  }

  /**
   * The served bytes of a stored value.
   * @throws StoreError `corrupt` when it can't be read.
   */
  serve(key: string, value: Uint8Array, revision: number): Uint8Array {
    const write = this.#find(key, (each) => sameBytes(each.stored, value))
    if (write === undefined) return this.#codec.serve(value, revision)
    if (write.served?.revision !== revision) write.served = { revision, bytes: this.#codec.show(write.printed, revision) }
    return write.served.bytes
  }

  /** Whether this server has just written the value. */
  has(key: string, value: Uint8Array): boolean {
    return this.#find(key, (each) => sameBytes(each.stored, value)) !== undefined
  }

  /** The written object of a value, stored or served: canonical, without resourceVersion; must not be changed. */
  written(key: string, bytes: Uint8Array): ApiObject | undefined {
    return this.#find(key, (each) => each.served?.bytes === bytes || sameBytes(each.stored, bytes))?.object
  }
}
