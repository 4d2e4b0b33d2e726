import type { ApiObject } from '../../resources/definition.ts'
import { sameBytes, withoutLineFeed } from '../../schema/bytes.ts'
import { clone } from '../../schema/json/members.ts'
import { type Name, textAt } from '../../schema/json/scan.ts'
import type { Json, JsonObject } from '../../schema/model.ts'
import type { Codec, Labels, Printed } from './codec.ts'
import type { DerivedBudget, DerivedKind } from './derived-budget.ts'
import type { ObjectRef } from './keys.ts'
import { hasMetadata } from './served-metadata.ts'
import { versionSize, withRevision } from './version-place.ts'

/** Bytes that are valid until a time, in milliseconds since the epoch. */
export interface Encoding {
  readonly bytes: Uint8Array
  readonly until: number
}

/** A cached encoding; without bytes: there was no room. */
interface Cached {
  readonly name: string
  readonly kind: DerivedKind
  readonly next: Cached | undefined
  bytes: Uint8Array | undefined
  size: number
  until: number
}

/** Served JSON up to this size is cached: to make larger ones takes little of the time of sending them. */
const maxCachedJson = 16_384
/** Memory of a decoded object, as a multiple of its bytes. */
const objectSize = 5

function frozen<T extends object>(value: T): T {
  for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) frozen(member)
  return Object.freeze(value)
}

/** Reads a field of an object as text. `path`: it is the scalar there, which is found without parsing the object. */
export interface FieldReader {
  (object: ApiObject): string
  readonly path?: readonly Name[]
}

export interface StoredObjectOptions {
  /** The bytes are those in the store, shared with its memory: served JSON but for the resourceVersion (`Codec.isServed`). */
  readonly isStored?: boolean
  /** The object was written by this server in its canonical form. Default: it is not known. */
  readonly isCanonical?: boolean
  /** Whether the next update must write the object even if nothing changes. */
  readonly isStale?: (() => boolean) | undefined
}

/**
 * One stored object at one revision. What is derived from its bytes is cached while the entry is in a watch cache, as far as the budget of that
 * cache goes: encodings at once; JSON and the object when they are read a second time, because most are read once, and would be garbage of the
 * engine's old generation.
 */
export class StoredObject implements ObjectRef {
  readonly key: string
  readonly revision: number
  readonly #bytes: Uint8Array
  readonly #codec: Codec
  readonly #isStored: boolean
  readonly #isStale: (() => boolean) | undefined
  #fields: { [field: string]: string } | undefined
  #labels: Labels | undefined
  /** Of the cache that holds the entry. */
  #budget: DerivedBudget | undefined
  /** Few: a list takes less memory than a map. */
  #encodings: Cached | undefined
  #object: ApiObject | undefined
  /** The object in other versions. */
  #versions: Map<Codec, StoredObject> | undefined
  #jsonWasRead = false
  #objectWasRead = false
  #isCanonical: boolean

  /** `bytes`: served JSON, unless `isStored`. */
  constructor(key: string, revision: number, bytes: Uint8Array, codec: Codec, options: StoredObjectOptions = {}) {
    this.key = key
    this.revision = revision
    this.#bytes = bytes
    this.#codec = codec
    this.#isStored = options.isStored ?? false
    this.#isStale = options.isStale
    this.#isCanonical = options.isCanonical ?? false
  }

  get namespace(): string {
    return this.#codec.nameOf(this.key).namespace
  }

  get name(): string {
    return this.#codec.nameOf(this.key).name
  }

  // ── Readers ───────────────────────────────────────────────────────────────────────────────────

  /** JSON with kind, apiVersion and resourceVersion, in the storage version. */
  get json(): Uint8Array {
    if (!this.#isStored) return this.#bytes
    const known = this.#find('json')?.bytes
    if (known !== undefined) return known
    const json = this.#codec.serve(this.#bytes, this.revision, this.key)
    if (this.#jsonWasRead && json.length <= maxCachedJson) this.#keep('json', 'read', json)
    this.#jsonWasRead = true
    return json
  }

  /** Bytes of `json`. */
  get jsonSize(): number {
    if (!this.#isStored) return this.#bytes.length
    return withoutLineFeed(this.#bytes).length + versionSize(this.revision)
  }

  /** As `json`, in a new array of pieces to be joined: a stored value is not copied. */
  get pieces(): Uint8Array[] {
    if (!this.#isStored) return [this.#bytes]
    const known = this.#find('json')?.bytes
    return known === undefined ? this.#codec.pieces(this.#bytes, this.revision) : [known]
  }

  /** The object, for reading: it may be shared with others, such as the writer of the object. */
  get object(): ApiObject {
    if (this.#object !== undefined) return this.#object
    const isCached = this.#objectWasRead && this.#budget?.take('read', objectSize * this.size)
    this.#objectWasRead = true
    if (!isCached) return this.#decode((written) => written)
    this.#object = frozen(this.copy())
    return this.#object
  }

  /** The object that a write starts from. It may share its parts with the writer before: it must not be changed. */
  get base(): ApiObject {
    return this.#decode((written) => written)
  }

  /** A new object, which the caller may change. */
  copy(): ApiObject {
    return this.#decode(clone)
  }

  #decode(copied: (value: Json) => Json): ApiObject {
    const written = this.written
    if (written === undefined) return this.#codec.decode(...this.pieces)
    return withRevision(written as JsonObject, String(this.revision), copied) as ApiObject
  }

  /** See `ObjectSource`. An object that is read again and again is kept, as far as the budget goes. */
  parsed(copied: (value: Json) => Json): Json | undefined {
    const wasRead = this.#objectWasRead
    this.#objectWasRead = true
    // Not stored: its resourceVersion may be any text.
    if (this.revision === 0) return undefined
    const written = this.#object === undefined ? this.written : undefined
    if (written !== undefined) return withRevision(written as JsonObject, String(this.revision), copied)
    return this.#object !== undefined || wasRead ? copied(this.object as Json) : undefined
  }

  /** The canonical form, without resourceVersion, of an object that this server has just written; must not be changed. */
  get written(): ApiObject | undefined {
    return this.#codec.written?.(this.key, this.#bytes)
  }

  /** Bytes that the entry holds apart from what is derived from them. */
  get size(): number {
    return this.#bytes.length
  }

  /** Whether the next update must write the object even if nothing changes. */
  get stale(): boolean {
    return this.#isStale?.() ?? false
  }

  get labels(): Labels {
    this.#labels ??= this.#codec.labels(this.#bytes)
    return this.#labels
  }

  /** Value of a selectable field, computed once. */
  field(name: string, read: FieldReader): string {
    const known = this.#fields?.[name]
    if (known !== undefined) return known
    const text = read.path ? textAt(this.#bytes, read.path) : read(this.object)
    this.#fields ??= {}
    this.#fields[name] = text
    return text
  }

  /** Whether the metadata has one of these members. */
  hasMetadata(names: readonly Name[]): boolean {
    return hasMetadata(this.#bytes, names)
  }

  /** Whether the bytes are known to be those that a write of the decoded object stores. */
  get isCanonical(): boolean {
    return this.#isCanonical
  }

  /** Whether the decoded object is known to be canonical, but for its resourceVersion. */
  get isDecodedCanonical(): boolean {
    return this.#isCanonical || this.written !== undefined
  }

  /** Whether a write of this object would change nothing. */
  equals(printed: Printed): boolean {
    if (this.stale || !this.#shows(printed)) return false
    this.#isCanonical = true
    return true
  }

  /** Stored bytes are compared as such: served ones are a copy of them with a resourceVersion. */
  #shows(printed: Printed): boolean {
    if (this.#isStored) return sameBytes(withoutLineFeed(this.#bytes), printed.bytes)
    return this.#codec.isShown(this.#bytes, printed, this.revision)
  }

  // ── Other entries of the object ───────────────────────────────────────────────────────────────

  /** The same content with another revision, as a deletion shows it. */
  at(revision: number): StoredObject {
    const bytes = this.#isStored ? this.#bytes : this.#codec.restamp(this.#bytes, this.revision, revision)
    return new StoredObject(this.key, revision, bytes, this.#codec, { isStored: this.#isStored })
  }

  /** The object in the version of another codec, if it was set. */
  version(codec: Codec): StoredObject | undefined {
    return this.#versions?.get(codec)
  }

  /** Sets the object in another version. `outdated`: a write would store something else. */
  setVersion(codec: Codec, json: Uint8Array, outdated: boolean): StoredObject {
    const version = new StoredObject(this.key, this.revision, json, codec, { isStale: outdated ? () => true : this.#isStale })
    this.#versions ??= new Map()
    this.#versions.get(codec)?.leave()
    this.#versions.set(codec, version)
    if (this.#budget) version.enter(this.#budget)
    return version
  }

  // ── Cache of what is derived ──────────────────────────────────────────────────────────────────

  /** A cache holds the entry from now on, for many readers. */
  enter(budget: DerivedBudget): void {
    this.#budget = budget
    for (const version of this.#versions?.values() ?? []) version.enter(budget)
  }

  /** The cache holds another entry of the object, or none: only watches that start in the past still read this one. */
  leave(): void {
    this.forget()
    this.#budget = undefined
    for (const version of this.#versions?.values() ?? []) version.leave()
  }

  /** Forgets what has been derived, apart from other versions. */
  forget(): void {
    for (let each = this.#encodings; each; each = each.next) if (each.bytes) this.#budget?.give(each.kind, each.size)
    this.#encodings = undefined
    if (this.#object) this.#budget?.give('read', objectSize * this.size)
    this.#object = undefined
  }

  #find(name: string): Cached | undefined {
    let each = this.#encodings
    while (each !== undefined && each.name !== name) each = each.next
    return each
  }

  /** Caches bytes if there is room. */
  #keep(name: string, kind: DerivedKind, bytes: Uint8Array, until = Number.POSITIVE_INFINITY): void {
    if (this.#budget === undefined) return
    const size = bytes.length
    const before = this.#find(name)
    if (before?.bytes) this.#budget.give(kind, before.size)
    const kept = { bytes: this.#budget.take(kind, size) ? bytes : undefined, size, until }
    if (before) Object.assign(before, kept)
    else this.#encodings = { name, kind, next: this.#encodings, ...kept }
  }

  /** A cached encoding that is valid at `now`, to be read at once; undefined when there is none. */
  known(name: string, now = 0): Encoding | undefined {
    const found = this.#find(name)
    return found?.bytes !== undefined && now < found.until ? (found as Encoding) : undefined
  }

  /** Size of an encoding that has been made before, and may not have been cached. */
  sizeOf(name: string): number | undefined {
    return this.#find(name)?.size
  }

  /**
   * An encoding by name. One that depends on the time is made again once `now` reaches the time that `make` passed to `changesAt`. Milliseconds since
   * the epoch.
   */
  encoding(name: string, make: (changesAt: (time: number) => void) => Uint8Array, now = 0): Encoding {
    const known = this.known(name, now)
    if (known !== undefined) return known
    let until = Number.POSITIVE_INFINITY
    const bytes = make((time) => {
      until = Math.min(until, time)
    })
    this.#keep(name, 'encoding', bytes, until)
    return { bytes, until }
  }
}
