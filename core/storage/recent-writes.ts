import type { ApiObject } from '../resources/definition.ts'
import { sameBytes } from '../schema/bytes.ts'
import { clone, set } from '../schema/members.ts'
import type { Json, JsonObject } from '../schema/model.ts'
import type { Codec, Printed } from './codec.ts'

/** Maximum writes: they are searched linearly, and each holds a parsed object. */
const mostKept = 16
/** Maximum characters of one printed object. */
const largestKept = 16_384

interface Write {
  readonly key: string
  readonly stored: Uint8Array
  readonly printed: Printed
  served?: { readonly revision: number; readonly bytes: Uint8Array }
}

/**
 * Cache of recent writes. The store reports each write in its response and again in its watch: both share the served bytes, and the next
 * writer of the object need not parse it.
 */
export class RecentWrites {
  readonly #codec: Codec
  /** A ring buffer, not a Map: constant deletion and insertion makes a Map rehash, and minor collections keep what the abandoned tables hold. */
  readonly #writes: (Write | undefined)[] = new Array<undefined>(mostKept).fill(undefined)
  /** Position of the oldest write. */
  #oldest = 0

  constructor(codec: Codec) {
    this.#codec = codec
  }

  /** Call before a printed object is written as this value. */
  note(key: string, stored: Uint8Array, printed: Printed): void {
    const known = this.#positionOf(key)
    const write = printed.json.length > largestKept ? undefined : { key, stored, printed }
    if (known >= 0) this.#writes[known] = write
    else if (write) {
      this.#writes[this.#oldest] = write
      this.#oldest = (this.#oldest + 1) % mostKept
    }
  }

  /** -1: not found. */
  #positionOf(key: string): number {
    for (let at = 0; at < mostKept; at++) if (this.#writes[at]?.key === key) return at
    return -1
  }

  /**
   * The served bytes of a stored value.
   * @throws StoreError `corrupt` when it can't be read.
   */
  serve(key: string, value: Uint8Array, revision: number): Uint8Array {
    const write = this.#writes[this.#positionOf(key)]
    if (write === undefined || !sameBytes(write.stored, value)) return this.#codec.serve(value, revision)
    if (write.served?.revision !== revision) write.served = { revision, bytes: this.#codec.show(write.printed, revision) }
    return write.served.bytes
  }

  /** Decodes a new object from served bytes; the caller may change it. */
  decode(bytes: Uint8Array): ApiObject {
    const write = this.#serving(bytes)
    if (write?.served === undefined) return this.#codec.decode(bytes)
    return withVersion(write.printed.object as JsonObject, String(write.served.revision)) as ApiObject
  }

  /** The written object itself, without resourceVersion; must not be changed. */
  canonical(bytes: Uint8Array): ApiObject | undefined {
    return this.#serving(bytes)?.printed.object
  }

  #serving(bytes: Uint8Array): Write | undefined {
    return this.#writes.find((each) => each?.served?.bytes === bytes)
  }
}

/** A copy with a resourceVersion, with members in the order of the served bytes. */
function withVersion(object: JsonObject, resourceVersion: string): JsonObject {
  const copy: JsonObject = {}
  for (const key in object)
    set(copy, key, key === 'metadata' ? copyInto({ resourceVersion }, object[key] as JsonObject) : clone(object[key] as Json))
  return copy
}

function copyInto(copy: JsonObject, members: JsonObject): JsonObject {
  for (const key in members) set(copy, key, clone(members[key] as Json))
  return copy
}
