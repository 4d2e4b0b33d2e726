/** The state that a write of a group commit is decided against: the history, and the earlier changes of the same commit. */
import type { KeyValue } from '../../core/ports.ts'
import type { Change, KeyRange, KeyState, Versions } from './history.ts'
import type { Head } from './version.ts'

/** The changes of one group commit, which no read sees yet. */
export class Draft {
  readonly #history: Pick<Versions, 'revision' | 'head'>
  readonly #changes: Change[] = []
  /** The keys changed so far. */
  readonly #latest = new Map<string, Head>()
  /** Bytes of values. */
  bytes = 0
  /** Revision of the last decided write. */
  #revision: number

  constructor(history: Pick<Versions, 'revision' | 'head'>) {
    this.#history = history
    this.#revision = history.revision
  }

  get changes(): readonly Change[] {
    return this.#changes
  }

  get revision(): number {
    return this.#revision
  }

  get(key: string): KeyValue | undefined {
    return this.#head(key)?.kv
  }

  state(key: string): KeyState | undefined {
    return stateOf(this.#head(key))
  }

  /** The states of keys of a range, of which `committed` has those in the history. In byte order, if the keys are. */
  range({ from, to }: KeyRange, committed: readonly KeyState[]): readonly KeyState[] {
    const changed = [...this.#latest.keys()].filter((key) => key >= from && (to === undefined || key < to))
    if (changed.length === 0) return committed
    const kept = committed.filter(({ key }) => !this.#latest.has(key))
    const states = [...kept, ...changed.map((key) => this.state(key)).filter((state) => state !== undefined)]
    return states.sort((a, b) => (a.key < b.key ? -1 : 1))
  }

  /** Begins a transaction: its changes have one revision, if there are any. */
  begin(): Transaction {
    const revision = this.#revision + 1
    return {
      revision,
      put: (key, value, lease) => {
        const before = this.#head(key)
        const createRevision = before?.kv?.createRevision ?? revision
        const kv = { key, value, createRevision, modRevision: revision }
        this.#latest.set(key, { kv, version: (before?.version ?? 0) + 1, lease })
        this.#add({ key, value, revision, createRevision, lease })
      },
      delete: (key) => {
        const createRevision = this.get(key)?.createRevision ?? 0
        this.#latest.set(key, deleted)
        this.#add({ key, revision, createRevision, lease: 0n })
      },
    }
  }

  #head(key: string): Head | undefined {
    return this.#latest.get(key) ?? this.#history.head(key)
  }

  #add(change: Change): void {
    this.#changes.push(change)
    this.#revision = change.revision
    this.bytes += change.value?.byteLength ?? 0
  }
}

export interface Transaction {
  /** Revision of its changes. */
  readonly revision: number
  put(key: string, value: Uint8Array, lease: bigint): void
  delete(key: string): void
}

const deleted: Head = { kv: undefined, version: 0, lease: 0n }

function stateOf(head: Head | undefined): KeyState | undefined {
  if (head?.kv === undefined) return undefined
  const { key, value, createRevision, modRevision } = head.kv
  return { key, createRevision, modRevision, version: head.version, lease: head.lease, value }
}
