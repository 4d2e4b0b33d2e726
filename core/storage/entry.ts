import type { ApiObject } from '../resources/definition.ts'
import type { Codec } from './codec.ts'

/** Bytes that are right until a time, in milliseconds since the epoch. */
export interface Form {
  readonly bytes: Uint8Array
  readonly until: number
}

function frozen<T extends object>(value: T): T {
  for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) frozen(member)
  return Object.freeze(value)
}

/** A stored value that is served with nothing but a resourceVersion put into it. */
export class StoredValue {
  readonly bytes: Uint8Array
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
}

/** One stored object at one revision: served bytes, decoded only when asked, other encodings memoized. */
export class Entry {
  readonly key: string
  readonly revision: number
  readonly #bytes: Uint8Array | StoredValue
  readonly #codec: Codec
  readonly #isStale: (() => boolean) | undefined
  #fields: { [field: string]: string } | undefined
  #labels: { readonly [key: string]: string } | undefined
  #forms: Map<string, Form> | undefined
  #object: ApiObject | undefined

  /** `bytes`: what is served, or what is stored, which the store may hold as well: large objects are not kept twice. */
  constructor(key: string, revision: number, bytes: Uint8Array | StoredValue, codec: Codec, isStale?: () => boolean) {
    this.key = key
    this.revision = revision
    this.#bytes = bytes
    this.#codec = codec
    this.#isStale = isStale
  }

  /** JSON with kind, apiVersion and resourceVersion, in the storage version. */
  get bytes(): Uint8Array {
    const bytes = this.#bytes
    return bytes instanceof StoredValue ? this.#codec.serve(bytes.bytes, this.revision) : bytes
  }

  /** Bytes that the entry holds. */
  get size(): number {
    const bytes = this.#bytes
    return bytes instanceof StoredValue ? bytes.bytes.length : bytes.length
  }

  /** The same content under another revision: what a deletion shows. */
  at(revision: number): Entry {
    return new Entry(this.key, revision, this.#codec.restamp(this.bytes, this.revision, revision), this.#codec)
  }

  /** The same object in other bytes, such as those of another version. `outdated`: what is stored is not what would be written now. */
  as(bytes: Uint8Array, codec: Codec, outdated: boolean): Entry {
    return new Entry(this.key, this.revision, bytes, codec, outdated ? () => true : this.#isStale)
  }

  /** A fresh object each time; the caller may change it. */
  decode(): ApiObject {
    return this.#codec.decode(this.bytes)
  }

  /** Decoded once, for those who only look: it is frozen. */
  get object(): ApiObject {
    this.#object ??= frozen(this.decode())
    return this.#object
  }

  /** Whether the next update is to write it even when it changes nothing. */
  get stale(): boolean {
    return this.#isStale?.() ?? false
  }

  get labels(): { readonly [key: string]: string } {
    this.#labels ??= this.decode().metadata.labels ?? {}
    return this.#labels
  }

  /** The text of a field, which is read once. */
  field(name: string, read: (object: ApiObject) => string): string {
    const known = this.#fields?.[name]
    if (known !== undefined) return known
    const text = read(this.decode())
    this.#fields ??= {}
    this.#fields[name] = text
    return text
  }

  /** Another encoding of this object, where it was made and is right at `now`. */
  madeForm(name: string, now = 0): Uint8Array | undefined {
    const known = this.#forms?.get(name)
    return known !== undefined && now < known.until ? known.bytes : undefined
  }

  /** Another encoding of this object, made once. */
  form(name: string, make: () => Uint8Array): Uint8Array {
    return this.formAt(name, 0, make).bytes
  }

  /** An encoding that tells time: made anew once `now` has reached what `make` said with `changesAt`. Milliseconds since the epoch. */
  formAt(name: string, now: number, make: (changesAt: (time: number) => void) => Uint8Array): Form {
    this.#forms ??= new Map()
    const known = this.#forms.get(name)
    if (known !== undefined && now < known.until) return known
    let until = Number.POSITIVE_INFINITY
    const bytes = make((time) => {
      until = Math.min(until, time)
    })
    const made = { bytes, until }
    this.#forms.set(name, made)
    return made
  }
}
