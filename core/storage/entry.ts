import type { KeyValue } from '../ports.ts'
import type { ApiObject } from '../resources/definition.ts'
import type { Codec } from './codec.ts'

/** One stored object at one revision: served bytes, decoded only when asked, other encodings memoized. */
export class Entry {
  readonly key: string
  readonly revision: number
  /** JSON with kind, apiVersion and resourceVersion, in the storage version. */
  readonly bytes: Uint8Array
  readonly #codec: Codec
  #labels: { readonly [key: string]: string } | undefined
  #forms: Map<string, Uint8Array> | undefined

  constructor(key: string, revision: number, bytes: Uint8Array, codec: Codec) {
    this.key = key
    this.revision = revision
    this.bytes = bytes
    this.#codec = codec
  }

  static of(kv: KeyValue, codec: Codec): Entry {
    return new Entry(kv.key, kv.modRevision, codec.serve(kv.value, kv.modRevision), codec)
  }

  /** The same content under another revision: what a deletion shows. */
  at(revision: number): Entry {
    const { canonical, print, serve } = this.#codec
    return new Entry(this.key, revision, serve(print(canonical(this.decode())), revision), this.#codec)
  }

  /** A fresh object each time; the caller may change it. */
  decode(): ApiObject {
    return this.#codec.decode(this.bytes)
  }

  get labels(): { readonly [key: string]: string } {
    this.#labels ??= this.decode().metadata.labels ?? {}
    return this.#labels
  }

  /** Another encoding of this object, made once. */
  form(name: string, make: () => Uint8Array): Uint8Array {
    this.#forms ??= new Map()
    let bytes = this.#forms.get(name)
    if (bytes === undefined) {
      bytes = make()
      this.#forms.set(name, bytes)
    }
    return bytes
  }
}
