import type { KeyValue, StoreEvent } from '../../../core/ports.ts'

const isShared = ({ buffer }: Uint8Array) => buffer instanceof SharedArrayBuffer

/** A copy in memory that threads share; it is freed when none of them refers to it. */
export function sharedCopy(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.byteLength))
  copy.set(bytes)
  return copy
}

/** Values in shared memory: those of a store that are not there are copied once, however many threads get them. */
export class SharedValues {
  readonly #copies = new WeakMap<Uint8Array, Uint8Array>()

  readonly kv = (kv: KeyValue): KeyValue => {
    const { key, value, createRevision, modRevision } = kv
    return { key, value: this.#shared(value), createRevision, modRevision }
  }

  event(event: StoreEvent, withoutPrevious: boolean): StoreEvent {
    const rest = event.previous && !withoutPrevious ? { previous: this.kv(event.previous) } : {}
    if (event.type === 'put') return { type: 'put', kv: this.kv(event.kv), ...rest }
    return { type: 'delete', key: event.key, revision: event.revision, ...rest }
  }

  #shared(value: Uint8Array): Uint8Array {
    if (isShared(value)) return value
    const known = this.#copies.get(value)
    if (known) return known
    const copy = sharedCopy(value)
    this.#copies.set(value, copy)
    return copy
  }
}
