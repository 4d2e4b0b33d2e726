import type { ApiObject } from '../resources/definition.ts'
import { type Name, textAt } from '../schema/json-scan.ts'
import type { Codec, Labels } from './codec.ts'
import type { FormBytes } from './form-bytes.ts'
import type { ServedBytes } from './served-bytes.ts'

/** Bytes that are valid until a time, in milliseconds since the epoch. */
export interface Form {
  readonly bytes: Uint8Array
  readonly until: number
}

function frozen<T extends object>(value: T): T {
  for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) frozen(member)
  return Object.freeze(value)
}

/** A stored value that is served with only a resourceVersion added, and shared with the store's memory. */
export interface StoredValue {
  readonly stored: Uint8Array
  readonly from: Served
}

/** Reads a field of an object as text. `path`: it is the scalar there, which is found without parsing the object. */
export interface FieldReader {
  (object: ApiObject): string
  readonly path?: readonly Name[]
}

/** Computes served bytes from stored values. */
export interface Served {
  readonly kept: ServedBytes
  serve(key: string, stored: Uint8Array, revision: number): Uint8Array
  /** Decodes a new object from a stored value. */
  decode(key: string, stored: Uint8Array, revision: number): ApiObject
  /** As `decode`, for callers that only read. */
  view(key: string, stored: Uint8Array, revision: number): ApiObject
  /** As `serve`, in pieces to be joined. */
  pieces(stored: Uint8Array, revision: number): readonly Uint8Array[]
}

/** One stored object at one revision: served bytes, decoded on demand, other encodings memoized. */
export class Entry {
  readonly key: string
  readonly revision: number
  /** Served bytes; for a stored value only while in use (ServedBytes). */
  #bytes: Uint8Array | undefined
  readonly #stored: Uint8Array | undefined
  readonly #from: Served | undefined
  readonly #codec: Codec
  readonly #isStale: (() => boolean) | undefined
  #fields: { [field: string]: string } | undefined
  #labels: Labels | undefined
  #forms: Map<string, Form> | undefined
  /** Of the cache that holds the entry. */
  #room: FormBytes | undefined
  #sizes: { [form: string]: number } | undefined
  #object: ApiObject | undefined
  #wasRead = false
  /** The bytes are known to be those that a write of the decoded object stores. */
  isCanonical = false

  /** `bytes`: served bytes, or the stored value, so that memory holds the object only once. */
  constructor(key: string, revision: number, bytes: Uint8Array | StoredValue, codec: Codec, isStale?: () => boolean) {
    this.key = key
    this.revision = revision
    const isServed = bytes instanceof Uint8Array
    this.#bytes = isServed ? bytes : undefined
    this.#stored = isServed ? undefined : bytes.stored
    this.#from = isServed ? undefined : bytes.from
    this.#codec = codec
    this.#isStale = isStale
  }

  /** JSON with kind, apiVersion and resourceVersion, in the storage version. */
  get bytes(): Uint8Array {
    if (this.#bytes !== undefined) return this.#bytes
    const bytes = this.bytesOnce
    // Most are read once: to keep those would drive out what is read again, and leave garbage in the engine's old generation.
    if (this.#wasRead && this.#from?.kept.keeps(this, bytes.length)) this.#bytes = bytes
    this.#wasRead = true
    return bytes
  }

  /** As `bytes`, without caching, for callers that rarely ask again. */
  get bytesOnce(): Uint8Array {
    if (this.#bytes !== undefined) return this.#bytes
    return (this.#from as Served).serve(this.key, this.#stored as Uint8Array, this.revision)
  }

  /** As `bytesOnce`, in pieces to be joined: a stored value is not copied. */
  get pieces(): readonly Uint8Array[] {
    if (this.#bytes !== undefined) return [this.#bytes]
    return (this.#from as Served).pieces(this.#stored as Uint8Array, this.revision)
  }

  /** As `bytes`, with or without the resourceVersion, for searching. */
  get content(): Uint8Array {
    return this.#stored ?? this.bytesOnce
  }

  /** Drops served bytes that can be computed again. */
  release(): void {
    if (this.#stored) this.#bytes = undefined
  }

  /** Bytes of content that the entry holds. */
  get size(): number {
    return this.content.length
  }

  /** The same content with another revision, as a deletion shows it. */
  at(revision: number): Entry {
    return new Entry(this.key, revision, this.#codec.restamp(this.bytesOnce, this.revision, revision), this.#codec)
  }

  /** The same object with other bytes, such as another version's. `outdated`: a write would store something else. */
  as(bytes: Uint8Array, codec: Codec, outdated: boolean): Entry {
    return new Entry(this.key, this.revision, bytes, codec, outdated ? () => true : this.#isStale)
  }

  /** Decodes a new object; the caller may change it. */
  decode(): ApiObject {
    if (this.#bytes === undefined && this.#stored !== undefined) return (this.#from as Served).decode(this.key, this.#stored, this.revision)
    return this.#codec.decode(this.bytesOnce)
  }

  /** As `decode`, for callers that only read: the object that was just written is shared with its writer. */
  view(): ApiObject {
    if (this.#object !== undefined) return this.#object
    return this.#stored === undefined ? this.decode() : (this.#from as Served).view(this.key, this.#stored, this.revision)
  }

  /** The decoded object, frozen and cached. */
  get object(): ApiObject {
    this.#object ??= frozen(this.decode())
    return this.#object
  }

  /** Whether the next update must write the object even if nothing changes. */
  get stale(): boolean {
    return this.#isStale?.() ?? false
  }

  get labels(): Labels {
    this.#labels ??= this.#codec.labels(this.bytesOnce)
    return this.#labels
  }

  /** Value of a selectable field, computed once. */
  field(name: string, read: FieldReader): string {
    const known = this.#fields?.[name]
    if (known !== undefined) return known
    const text = read.path && this.#object === undefined ? textAt(this.bytesOnce, read.path) : read(this.view())
    this.#fields ??= {}
    this.#fields[name] = text
    return text
  }

  /** A cache holds the entry from now on, for many readers: encodings are kept as far as there is room. */
  enter(room: FormBytes): void {
    const forms = this.#forms
    this.#forms = undefined
    this.#room = room
    for (const [name, form] of forms ?? []) this.#keep(name, form)
  }

  /** The cache holds another entry of the object, or none: only watches that start in the past still read this one. */
  leave(): void {
    this.#object = undefined
    this.dropForms()
    this.#room = undefined
  }

  /** Forgets encodings. */
  dropForms(): void {
    for (const { bytes } of this.#forms?.values() ?? []) this.#room?.give(bytes.length)
    this.#forms = undefined
  }

  #keep(name: string, form: Form): void {
    const before = this.#forms?.get(name)
    if (before) this.#room?.give(before.bytes.length)
    if (this.#room?.take(form.bytes.length) !== false) {
      this.#forms ??= new Map()
      this.#forms.set(name, form)
    } else if (before) this.#forms?.delete(name)
  }

  /** A cached encoding that is valid at `now`; undefined when there is none. */
  madeForm(name: string, now = 0): Uint8Array | undefined {
    const known = this.#forms?.get(name)
    return known !== undefined && now < known.until ? known.bytes : undefined
  }

  /** Another encoding, kept by entries of a cache while there is room, by others always. */
  form(name: string, make: () => Uint8Array): Uint8Array {
    return this.formAt(name, 0, make).bytes
  }

  /** As `form`, for long lists: entries that no cache holds keep nothing. */
  sharedForm(name: string, make: () => Uint8Array): Uint8Array {
    return this.#room === undefined ? (this.madeForm(name) ?? make()) : this.form(name, make)
  }

  /** Size of an encoding that has been made before, and may not have been kept. */
  sizeOf(name: string): number | undefined {
    return this.#sizes?.[name]
  }

  /** Remembers the size of an encoding, for lists that announce their length: there is no room for all encodings of a long one. */
  keepSize(name: string, size: number): void {
    if (this.#room === undefined) return
    this.#sizes ??= {}
    this.#sizes[name] = size
  }

  /**
   * An encoding that depends on the time: computed again once `now` reaches the time that `make` passed to `changesAt`. Milliseconds since the
   * epoch.
   */
  formAt(name: string, now: number, make: (changesAt: (time: number) => void) => Uint8Array): Form {
    const known = this.#forms?.get(name)
    if (known !== undefined && now < known.until) return known
    let until = Number.POSITIVE_INFINITY
    const bytes = make((time) => {
      until = Math.min(until, time)
    })
    const made = { bytes, until }
    this.#keep(name, made)
    return made
  }
}
