/** A store with encrypted values, which is transparent to its users. */

import { ApiError } from '../answers/status.ts'
import { untilAbortedLate } from '../common/abort.ts'
import { append } from '../common/lists.ts'
import { type Clock, type Context, type KeyValue, type KeyValueStore, StoreError, type SwapResult } from '../ports.ts'
import { messageOf } from '../schema/message-of.ts'
import { sharedDecryption } from './shared.ts'
import type { Transformer } from './transformer.ts'
import { type EventOpener, watchDecrypted } from './watch.ts'

/** Maximum concurrent decryptions per list. */
const atATime = 64

/** A value can't be encrypted: nothing was written. */
export class EncryptionError extends ApiError {
  constructor(why: string) {
    super('InternalError', `Internal error occurred: ${why}`, { causes: [{ message: why }] })
  }
}

/** A decrypted value. */
class ReadableValue implements KeyValue {
  readonly key: string
  readonly value: Uint8Array
  readonly createRevision: number
  readonly modRevision: number
  readonly #isStale: () => boolean

  constructor({ key, createRevision, modRevision }: KeyValue, value: Uint8Array, isStale: () => boolean) {
    this.key = key
    this.value = value
    this.createRevision = createRevision
    this.modRevision = modRevision
    this.#isStale = isStale
  }

  get isStale(): () => boolean {
    return this.#isStale
  }
}

/** A value that can't be decrypted: its key and revision are available, reading `value` throws. */
class UnreadableValue implements KeyValue {
  readonly key: string
  readonly createRevision: number
  readonly modRevision: number
  readonly why: string

  constructor({ key, createRevision, modRevision }: KeyValue, why: string) {
    this.key = key
    this.createRevision = createRevision
    this.modRevision = modRevision
    this.why = why
  }

  get value(): Uint8Array {
    throw new StoreError('corrupt', this.why)
  }
}

/**
 * `transformerOf` selects the transformer of a key; undefined: values pass through unchanged, synchronously. It is called every time, so its
 * result may change. A value that can't be decrypted does not fail its list: reading its `value` throws a StoreError `corrupt`. A write that
 * can't be encrypted fails with 500. `failed` receives the errors of single reads and writes.
 */
export function encryptedStore(
  store: KeyValueStore,
  transformerOf: (key: string) => Transformer | undefined,
  clock: Pick<Clock, 'after'>,
  failed: (key: string, why: string) => void = () => {},
): KeyValueStore {
  const encoder = new TextEncoder()
  /** Writes in progress, which `close` awaits. */
  const writing = new Set<Promise<SwapResult>>()

  async function encrypt(key: string, value: Uint8Array, transformer: Transformer): Promise<Uint8Array> {
    try {
      return await transformer.toStored(value, encoder.encode(key))
    } catch (error) {
      failed(key, messageOf(error))
      throw new EncryptionError(messageOf(error))
    }
  }

  async function decrypt(kv: KeyValue, transformer: Transformer): Promise<KeyValue> {
    const { key } = kv
    try {
      const { bytes, isStale } = await transformer.fromStored(kv.value, encoder.encode(key))
      return new ReadableValue(kv, bytes, () => transformerOf(key) !== transformer || isStale())
    } catch (error) {
      return new UnreadableValue(kv, messageOf(error))
    }
  }

  const isEncrypted = ({ key }: { readonly key: string }) => transformerOf(key) !== undefined

  const shared = sharedDecryption(decrypt, (kv) => kv instanceof ReadableValue)

  async function open(kv: KeyValue, how = decrypt): Promise<KeyValue> {
    const transformer = transformerOf(kv.key)
    return transformer ? how(kv, transformer) : kv
  }

  /** A call of a plugin goes on when a read is given up: others use the key that it answers with. */
  const waitFor = <T>(opened: Promise<T>, context: Context | undefined) => (context ? untilAbortedLate(opened, context, clock) : opened)

  async function openAll(items: readonly KeyValue[], context: Context | undefined): Promise<readonly KeyValue[]> {
    if (!items.some(isEncrypted)) return items
    const opened: KeyValue[] = []
    for (let at = 0; at < items.length; at += atATime) {
      if (at > 0) context?.signal.throwIfAborted()
      append(opened, await waitFor(Promise.all(items.slice(at, at + atATime).map((kv) => open(kv))), context))
    }
    return opened
  }

  async function openSwap(result: SwapResult): Promise<SwapResult> {
    return result.ok || result.current === undefined ? result : { ...result, current: await open(result.current) }
  }

  const opener: EventOpener = {
    isEncrypted: (event) => isEncrypted(event.type === 'put' ? event.kv : event),
    async open(event) {
      const previous = event.previous && (await open(event.previous, shared))
      const after = event.type === 'put' ? { ...event, kv: await open(event.kv, shared) } : event
      return previous ? { ...after, previous } : after
    },
  }

  return {
    async get(key, revision, context) {
      const found = await store.get(key, revision, context)
      const transformer = found.kv && transformerOf(key)
      if (found.kv === undefined || transformer === undefined) return found
      const kv = await waitFor(decrypt(found.kv, transformer), context)
      if (kv instanceof UnreadableValue) failed(key, kv.why)
      return { ...found, kv }
    },

    async list(options, context) {
      const page = await store.list(options, context)
      return { ...page, items: await openAll(page.items, context) }
    },

    async put(key, value, expected, lease, guards, context) {
      const transformer = transformerOf(key)
      if (transformer === undefined) return store.put(key, value, expected, lease, guards, context)
      const write = encrypt(key, value, transformer).then((stored) => {
        // Encryption may wait for a plugin: nothing is stored for a request that has ended meanwhile.
        context?.signal.throwIfAborted()
        context?.span?.event('TransformToStorage succeeded')
        return store.put(key, stored, expected, lease, guards, context)
      })
      writing.add(write)
      try {
        return openSwap(await write)
      } finally {
        writing.delete(write)
      }
    },

    delete: async (key, expected, context) => openSwap(await store.delete(key, expected, context)),

    watch: (prefix, afterRevision, watcher, options) => watchDecrypted(store, prefix, afterRevision, watcher, opener, options),
    count: (prefix) => store.count(prefix),
    size: () => store.size(),
    currentRevision: (context) => store.currentRevision(context),
    compact: (revision) => store.compact(revision),
    grantLease: (seconds) => store.grantLease(seconds),
    async close() {
      await Promise.allSettled(writing)
      await store.close()
    },
  }
}
