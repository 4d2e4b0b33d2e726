/** What a branch has written: which objects, and how much memory they take. */
import { type KeyValueStore, StoreError } from '../../../core/ports.ts'

/** Bytes that an object counts as, besides its value, and what stays of one that was deleted. */
const [objectBytes, deletedBytes] = [1024, 256]

/**
 * Counts by key, so that a write costs the same however much the live server has. What expires counts until the branch ends. `T`: what is noted about
 * a key when it is first written.
 */
export class Writes<T> {
  readonly #maxBytes: number
  readonly #noteOf: (key: string) => T | undefined
  readonly #written = new Map<string, { bytes: number; note: T | undefined }>()
  #bytes = 0

  constructor(maxBytes: number, noteOf: (key: string) => T | undefined) {
    this.#maxBytes = maxBytes
    this.#noteOf = noteOf
  }

  /** Of all keys that were written, in the order of the first writes. */
  notes(): T[] {
    return [...this.#written].flatMap(([key, { note }]) => note ?? this.#noteOf(key) ?? [])
  }

  /** The store, whose writes are noted. One that would need more memory than is allowed is refused with 'no-space'. */
  noted(store: KeyValueStore): KeyValueStore {
    return {
      ...store,
      put: (key, value, expected, lease, guards, context) =>
        this.#write(key, value.byteLength + objectBytes, () => store.put(key, value, expected, lease, guards, context)),
      delete: (key, expected, context) => this.#write(key, deletedBytes, () => store.delete(key, expected, context)),
    }
  }

  async #write<R extends { readonly ok: boolean }>(key: string, bytes: number, write: () => Promise<R>): Promise<R> {
    const more = bytes - (this.#written.get(key)?.bytes ?? 0)
    // Deletions make room, and those of the live server's objects are not more than these.
    if (more > 0 && bytes > deletedBytes && this.#bytes + more > this.#maxBytes)
      throw new StoreError('no-space', `a branch has ${this.#maxBytes} bytes of memory for what it stores; delete some objects`)
    // Before the write, so that those under way count.
    this.#bytes += more
    let isDone = false
    try {
      const result = await write()
      isDone = result.ok
      return result
    } finally {
      if (isDone) this.#note(key, bytes, more)
      else this.#bytes -= more
    }
  }

  #note(key: string, bytes: number, more: number): void {
    const known = this.#written.get(key)
    // Another write of the key may have been counted meanwhile.
    this.#bytes += bytes - (known?.bytes ?? 0) - more
    if (known) known.bytes = bytes
    else this.#written.set(key, { bytes, note: this.#noteOf(key) })
  }
}
