import type { Guard, KeyValueStore, ListOptions, StoreWatch, StoreWatcher, SwapResult } from '../../core/ports.ts'
import { StoreError } from '../../core/ports.ts'
import type { Draft } from './draft.ts'
import { Engine, type EngineOptions, isClosed } from './engine.ts'
import type { History } from './history.ts'
import type { View } from './view.ts'

/** Maximum value size in bytes: etcd's default for a whole request. */
const valueLimit = 1.5 * 1024 * 1024

interface Swap {
  readonly key: string
  /** Absent: delete. */
  readonly value?: Uint8Array
  readonly expected: number
  readonly lease: bigint
  readonly guards: readonly Guard[]
}

/** A store with the data model of etcd v3 over a history in memory. */
export const createMvcc = (options: EngineOptions): KeyValueStore => keyValueStore(new Engine(options))

/** A store that keeps its content in memory. */
export interface ViewableStore extends KeyValueStore {
  /** The present content, which stays as it is until the view is closed. Takes constant time. */
  view(): View
}

/** Like `keyValueStore`. */
export const viewableStore = (engine: Engine<History>): ViewableStore => ({ ...keyValueStore(engine), view: () => engine.history.view() })

/** The store's port on an engine. */
export function keyValueStore(engine: Engine): KeyValueStore {
  const swap =
    ({ key, value, expected, lease, guards }: Swap) =>
    (draft: Draft): SwapResult => {
      if (lease !== 0n && !engine.leases.has(lease)) throw new StoreError('unavailable', `lease ${lease} not found`)
      const current = draft.get(key)
      const isGuarded = guards.every((guard) => (draft.get(guard.key)?.modRevision ?? 0) === guard.revision)
      if ((current?.modRevision ?? 0) !== expected || (!value && !current) || !isGuarded)
        return { ok: false, revision: draft.revision, ...(current && { current }) }
      const transaction = draft.begin()
      if (value) transaction.put(key, value, lease)
      else transaction.delete(key)
      return { ok: true, revision: transaction.revision }
    }

  return {
    holdsValues: true,

    async get(key: string, revision?: number) {
      const { history } = engine
      const kv = history.get(key, revision)
      return { ...(kv && { kv }), revision: revision || history.revision }
    },

    async list(options: ListOptions) {
      return engine.history.list(options)
    },

    count: (prefix: string) => engine.history.count(prefix),

    async size() {
      return engine.size
    },

    put(key: string, value: Uint8Array, expected: number, lease = 0n, guards: readonly Guard[] = []): Promise<SwapResult> {
      if (engine.closed) return Promise.reject(isClosed())
      if (value.byteLength > valueLimit) return Promise.reject(tooLarge(value))
      // A view is copied: it would keep the rest of its buffer alive.
      const kept = value.byteLength === value.buffer.byteLength ? value : new Uint8Array(value)
      return engine.commit(swap({ key, value: kept, expected, lease, guards }))
    },

    delete: (key: string, expected: number): Promise<SwapResult> => engine.commit(swap({ key, expected, lease: 0n, guards: [] })),

    watch: (prefix: string, afterRevision: number, watcher: StoreWatcher): StoreWatch => engine.watch(prefix, afterRevision, watcher),

    currentRevision: () => (engine.closed ? Promise.reject(isClosed()) : engine.history.revision),

    compact: (revision: number) => engine.compact(revision),

    async grantLease(seconds: number) {
      const lease = { id: randomLeaseId(), expires: engine.clock.now() + seconds * 1000 }
      await engine.grant(lease)
      return lease.id
    },

    close: () => engine.close(),
  }
}

const tooLarge = ({ byteLength }: Uint8Array) => new StoreError('too-large', `value of ${byteLength} bytes, the limit is ${valueLimit}`)

/** A positive number of 63 bits. */
export function randomLeaseId(): bigint {
  return (crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n) >> 1n || 1n
}
