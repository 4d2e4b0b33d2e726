import { expired } from '../../core/answers/status.ts'
import { type KeyValue, type KeyValueStore, StoreError } from '../../core/ports.ts'
import type { History } from './history.ts'

/** Bytes that an object counts as, besides its value, and a key that is not there. */
const [objectBytes, absentBytes] = [1024, 256]
/** Keys of a page. */
const pageSize = 1_000

/**
 * Reads the content of a store at one revision into a history, as far as it is asked for: a key, or all keys of a prefix, once each. When the store
 * has compacted the revision, what has not been read by then fails with an ApiError Expired; when what was read needs too much memory, with a
 * StoreError 'no-space'.
 */
export class ReadThrough {
  readonly #source: KeyValueStore
  readonly #history: History
  readonly #maxBytes: number
  #bytes = 0
  readonly #prefixes = new Set<string>()
  /** Keys that have been read, and were not there. */
  readonly #absent = new Set<string>()
  /** Why nothing more is read. */
  #end: Error | undefined
  readonly #reading = new Map<string, Promise<void>>()
  /** Operations that wait for a read. */
  readonly #waiting = new Set<Promise<unknown>>()

  constructor(source: KeyValueStore, history: History, maxBytes: number) {
    this.#source = source
    this.#history = history
    this.#maxBytes = maxBytes
  }

  /** The store over the history, which reads before each operation what that needs. */
  before(store: KeyValueStore): KeyValueStore {
    return {
      ...store,
      get: (key, revision, context) => this.#after(this.#keys([key]), () => store.get(key, revision, context)),
      list: (options, context) => this.#after(this.#prefix(options.prefix), () => store.list(options, context)),
      count: (prefix) => this.#after(this.#prefix(prefix), async () => store.count(prefix)),
      put: (key, value, expected, lease, guards = [], context) => {
        const read = this.#keys([key, ...guards.map((guard) => guard.key)])
        // The caller may write to its buffer once this has returned.
        const kept = read && value.byteLength < value.buffer.byteLength ? value.slice() : value
        return this.#after(read, () => store.put(key, kept, expected, lease, guards, context))
      },
      delete: (key, expected, context) => this.#after(this.#keys([key]), () => store.delete(key, expected, context)),
      close: async () => {
        await Promise.allSettled(this.#waiting)
        await store.close()
      },
    }
  }

  /** Does something after a read, if there is one. */
  #after<T>(read: Promise<unknown> | undefined, operation: () => Promise<T>): Promise<T> {
    if (read === undefined) return operation()
    const done = read.then(operation).finally(() => this.#waiting.delete(done))
    this.#waiting.add(done)
    return done
  }

  #keys(keys: readonly string[]): Promise<unknown> | undefined {
    const reads = keys.flatMap((key) => this.#key(key) ?? [])
    return reads.length > 0 ? Promise.all(reads) : undefined
  }

  #key(key: string): Promise<void> | undefined {
    if (this.#absent.has(key) || this.#history.head(key) || this.#isUnderRead(key)) return undefined
    return this.#once(key, async () => {
      const { kv } = await this.#source.get(key, this.#history.revision)
      if (kv) return this.#add([kv])
      this.#count(absentBytes)
      this.#absent.add(key)
    })
  }

  #prefix(prefix: string): Promise<void> | undefined {
    if (this.#isUnderRead(prefix)) return undefined
    // Not a key: no key ends with NUL.
    return this.#once(`${prefix}\0`, async () => {
      const at = { prefix, limit: pageSize, revision: this.#history.revision }
      let page = await this.#source.list(at)
      this.#add(page.items)
      while (page.more) {
        page = await this.#source.list({ ...at, from: `${(page.items.at(-1) as KeyValue).key}\0` })
        this.#add(page.items)
      }
      this.#prefixes.add(prefix)
    })
  }

  #isUnderRead(text: string): boolean {
    if (this.#prefixes.has(text)) return true
    for (let at = text.indexOf('/'); at >= 0; at = text.indexOf('/', at + 1)) if (this.#prefixes.has(text.slice(0, at + 1))) return true
    return false
  }

  #add(items: readonly KeyValue[]): void {
    for (const { key, value, createRevision, modRevision } of items) {
      if (this.#history.head(key)) continue
      this.#count(value.byteLength + objectBytes)
      this.#history.restore({ key, value, createRevision, revision: modRevision, lease: 0n })
    }
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes <= this.#maxBytes) return
    this.#end = new StoreError('no-space', `a branch has ${this.#maxBytes} bytes of memory for what it reads of its live server`)
    throw this.#end
  }

  /** Callers of the same read share it. */
  #once(name: string, read: () => Promise<void>): Promise<void> {
    if (this.#end) return Promise.reject(this.#end)
    let reading = this.#reading.get(name)
    if (reading === undefined) {
      reading = read()
        .catch((error: unknown) => {
          if (!(error instanceof StoreError && error.code === 'compacted')) throw error
          const what = `revision ${this.#history.revision}, at which the branch began, before this was read`
          this.#end = expired(`the store of the live server has compacted ${what}; make another branch`)
          throw this.#end
        })
        .finally(() => this.#reading.delete(name))
      this.#reading.set(name, reading)
    }
    return reading
  }
}
