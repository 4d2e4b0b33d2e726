import type { ApiObject } from '../resources/definition.ts'
import { sameBytes } from '../schema/bytes.ts'
import { clone, set } from '../schema/members.ts'
import type { Json, JsonObject } from '../schema/model.ts'
import type { Codec, Printed } from './codec.ts'

const mostKept = 256
/** Maximum characters of printed objects: of one, and in total. */
const largestKept = 16_384
const mostCharacters = 262_144

interface Write {
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
  /** By key, oldest first. */
  readonly #writes = new Map<string, Write>()
  /** By their served bytes. */
  readonly #served = new Map<Uint8Array, Write>()
  #characters = 0

  constructor(codec: Codec) {
    this.#codec = codec
  }

  /** Call before a printed object is written as this value. */
  note(key: string, stored: Uint8Array, printed: Printed): void {
    this.#forget(key)
    const { length } = printed.json
    if (length > largestKept) return
    this.#writes.set(key, { stored, printed })
    this.#characters += length
    for (const oldest of this.#writes.keys()) {
      if (this.#writes.size <= mostKept && this.#characters <= mostCharacters) break
      this.#forget(oldest)
    }
  }

  #forget(key: string): void {
    const write = this.#writes.get(key)
    if (write === undefined) return
    this.#writes.delete(key)
    this.#characters -= write.printed.json.length
    if (write.served) this.#served.delete(write.served.bytes)
  }

  /**
   * The served bytes of a stored value.
   * @throws StoreError `corrupt` when it can't be read.
   */
  serve(key: string, value: Uint8Array, revision: number): Uint8Array {
    const write = this.#writes.get(key)
    if (write === undefined || !sameBytes(write.stored, value)) return this.#codec.serve(value, revision)
    if (write.served?.revision === revision) return write.served.bytes
    if (write.served) this.#served.delete(write.served.bytes)
    const bytes = this.#codec.show(write.printed, revision)
    write.served = { revision, bytes }
    this.#served.set(bytes, write)
    return bytes
  }

  /** Decodes a new object from served bytes; the caller may change it. */
  decode(bytes: Uint8Array): ApiObject {
    const write = this.#served.get(bytes)
    if (write?.served === undefined) return this.#codec.decode(bytes)
    return withVersion(write.printed.object as JsonObject, String(write.served.revision)) as ApiObject
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
