import {
  type Clock,
  type Guard,
  type KeyValueStore,
  type ListOptions,
  StoreError,
  type StoreWatcher,
  type SwapResult,
} from '../../core/ports.ts'
import { CommitQueue } from './commit.ts'
import type { Change, Versions } from './history.ts'
import { type Lease, Leases } from './leases.ts'
import { Watchers } from './watchers.ts'

/** Maximum value size in bytes: etcd's default for a whole request. */
const valueLimit = 1.5 * 1024 * 1024

/**
 * Makes commits durable. Calls to `append` never overlap. If `append` rejects, its changes are not committed; but if the process ends before
 * the journal has removed what it wrote of them, they may reappear after a restart.
 */
export interface Journal {
  append(changes: readonly Change[]): Promise<void>
  /** Stores a lease. */
  grant(lease: Lease): Promise<void>
  /** Removes a lease whose keys are deleted. */
  endLease(id: bigint): Promise<void>
  /** Compaction: `oldest` is now the first readable revision. */
  compact(oldest: number): Promise<void>
  /** Size in bytes on disk. */
  size(): number
  close(): Promise<void>
}

export interface MvccOptions {
  readonly clock: Clock
  readonly history: Versions
  /** Maximum bytes of replaced and deleted values. Beyond it, the oldest are compacted down to half of it. Default 256 MiB. */
  readonly pastBytes?: number
  /** Absent: in memory only. */
  readonly journal?: Journal
  /** Leases to restore. */
  readonly leases?: readonly Lease[]
  /** Lease ID by key, for keys with a lease. */
  readonly attached?: ReadonlyMap<string, bigint>
}

/**
 * A store with the data model of etcd v3 over a history in memory. With a journal, a change is committed (visible to reads, sent to watches,
 * confirmed to its caller) only after the journal has written it.
 */
export function createMvcc(options: MvccOptions): KeyValueStore {
  const { clock, history, pastBytes = 256 * 1024 * 1024, journal, leases: kept = [], attached = new Map() } = options
  const watchers = new Watchers(history)
  const leases: Leases = new Leases(clock, (id) => void expire(id))
  const append = journal && ((changes: readonly Change[]) => journal.append(changes))
  const queue = new CommitQueue({ history, watchers, leases, committed: boundPast, ...(append && { append }) })
  let compaction: Promise<void> = Promise.resolve()
  let cutting = false
  let closing: Promise<void> | undefined

  for (const lease of kept) leases.start(lease)
  for (const [key, id] of attached) leases.attach(key, id)

  const isClosed = () => new StoreError('unavailable', 'the store is closed')
  function open(): void {
    if (closing) throw isClosed()
  }

  function boundPast(): void {
    if (cutting || history.past <= pastBytes) return
    cutting = true
    void compact(history.cut(pastBytes / 2))
      .catch(() => {})
      .finally(() => {
        cutting = false
      })
  }

  function compact(revision: number): Promise<void> {
    const next = compaction.then(async () => {
      open()
      const before = history.oldest
      history.compact(revision)
      if (history.oldest > before) await journal?.compact(history.oldest)
    })
    compaction = next.catch(() => {})
    return next
  }

  async function expire(id: bigint): Promise<void> {
    if (closing) return
    try {
      await queue.expire(id)
      await journal?.endLease(id)
    } catch {
      // The journal failed, such as on a full disk; the keys stay until a retry succeeds.
      clock.after(1000, () => void expire(id))
    }
  }

  return {
    holdsValues: true,

    async get(key: string, revision?: number) {
      open()
      const kv = history.get(key, revision)
      return { ...(kv && { kv }), revision: revision || history.revision }
    },

    async list(options: ListOptions) {
      open()
      return history.list(options)
    },

    async count(prefix: string) {
      open()
      return history.count(prefix)
    },

    async size() {
      open()
      return journal?.size() ?? history.bytes
    },

    put(key: string, value: Uint8Array, expected: number, lease = 0n, guards: readonly Guard[] = []): Promise<SwapResult> {
      if (closing) return Promise.reject(isClosed())
      if (value.byteLength > valueLimit) return Promise.reject(tooLarge(value))
      // A view is copied: it would keep the rest of its buffer alive.
      const kept = value.byteLength === value.buffer.byteLength ? value : new Uint8Array(value)
      return queue.swap({ key, value: kept, expected, lease, guards })
    },

    delete(key: string, expected: number): Promise<SwapResult> {
      if (closing) return Promise.reject(isClosed())
      return queue.swap({ key, expected, lease: 0n, guards: [] })
    },

    watch(prefix: string, afterRevision: number, watcher: StoreWatcher) {
      if (!closing) return watchers.watch(prefix, afterRevision, watcher)
      queueMicrotask(() => watcher.end(isClosed()))
      return { close() {}, requestProgress() {} }
    },

    currentRevision: () => (closing ? Promise.reject(isClosed()) : history.revision),

    compact,

    async grantLease(seconds: number) {
      open()
      const lease = { id: randomId(), expires: clock.now() + seconds * 1000 }
      await journal?.grant(lease)
      leases.start(lease)
      return lease.id
    },

    close() {
      closing ??= (async () => {
        leases.close()
        await Promise.all([queue.idle(), compaction])
        watchers.close()
        await journal?.close()
      })()
      return closing
    },
  }
}

const tooLarge = ({ byteLength }: Uint8Array) => new StoreError('too-large', `value of ${byteLength} bytes, the limit is ${valueLimit}`)

function randomId(): bigint {
  return (crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n) >> 1n || 1n
}
