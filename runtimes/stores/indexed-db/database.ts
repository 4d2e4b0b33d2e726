/** A database of IndexedDB (https://www.w3.org/TR/IndexedDB-3), as far as a store needs it. */
import type { Change } from '../history.ts'
import type { Lease } from '../leases.ts'

/** A change, in the order of its key in the object store. */
export interface Row {
  /** The key's change before this one: what a compaction deletes. Absent: there is none, or it was a deletion. */
  readonly previous?: number | undefined
  readonly change: Change
}

/** When a transaction counts as complete: when the operating system has it, or when the disk has it. */
export type Durability = 'relaxed' | 'strict'

/** First revision of a store: an empty one, as in etcd. */
const firstRevision = 1
/** Rows that are read at once. */
const batch = 2_000

const stores = { changes: 'changes', leases: 'leases', state: 'state' } as const
/** The key in `state` of the oldest readable revision. */
const oldestKey = 'oldest'

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

/** What the database has of a store. */
export interface Stored {
  readonly oldest: number
  readonly rows: readonly (readonly [place: number, row: Row])[]
  readonly leases: readonly Lease[]
}

export class Database {
  readonly #database: IDBDatabase
  readonly #durability: Durability

  private constructor(database: IDBDatabase, durability: Durability) {
    this.#database = database
    this.#durability = durability
  }

  /** Opens the database, and creates it when there is none. `lost` is called when the browser closes it, as when the user deletes its data. */
  static async open(name: string, durability: Durability, lost: () => void): Promise<Database> {
    const request = indexedDB.open(name, 1)
    request.onupgradeneeded = () => {
      for (const store of Object.values(stores)) request.result.createObjectStore(store)
      request.transaction?.objectStore(stores.state).put(firstRevision, oldestKey)
    }
    const database = await resultOf(request)
    database.onclose = lost
    database.onversionchange = () => {
      database.close()
      lost()
    }
    return new Database(database, durability)
  }

  async load(): Promise<Stored> {
    const transaction = this.#database.transaction(Object.values(stores))
    const [oldest, leases] = await Promise.all([
      resultOf<unknown>(transaction.objectStore(stores.state).get(oldestKey)),
      resultOf<Lease[]>(transaction.objectStore(stores.leases).getAll()),
    ])
    const changes = transaction.objectStore(stores.changes)
    const rows: (readonly [number, Row])[] = []
    for (let last = -1; ; ) {
      const range = IDBKeyRange.lowerBound(last, true)
      const [places, found] = await Promise.all([resultOf(changes.getAllKeys(range, batch)), resultOf<Row[]>(changes.getAll(range, batch))])
      for (const [index, row] of found.entries()) rows.push([Number(places[index]), row])
      if (found.length < batch) return { oldest: Number(oldest), rows, leases }
      last = Number(places.at(-1))
    }
  }

  insertChanges(rows: readonly (readonly [place: number, row: Row])[]): Promise<void> {
    return this.#write(stores.changes, (changes) => {
      for (const [place, row] of rows) changes.add(row, place)
    })
  }

  insertLease(lease: Lease): Promise<void> {
    return this.#write(stores.leases, (leases) => leases.add(lease, String(lease.id)))
  }

  deleteLease(id: bigint): Promise<void> {
    return this.#write(stores.leases, (leases) => leases.delete(String(id)))
  }

  /** Deletes what only revisions before `oldest` need. `from` and `to`: places of the changes since the oldest readable revision so far. */
  compact(oldest: number, from: number, to: number): Promise<void> {
    return this.#write([stores.changes, stores.state], (changes, state) => {
      const request = changes.openCursor(IDBKeyRange.bound(from, to, false, true))
      request.onsuccess = () => {
        const cursor = request.result
        if (cursor === null) return
        const { previous, change } = cursor.value as Row
        if (previous !== undefined) changes.delete(previous)
        if (change.value === undefined) cursor.delete()
        cursor.continue()
      }
      state?.put(oldest, oldestKey)
    })
  }

  close(): void {
    this.#database.close()
  }

  /** Runs a transaction, of which the database keeps all changes or, when this rejects, none. */
  #write(names: string | string[], work: (first: IDBObjectStore, second?: IDBObjectStore) => unknown): Promise<void> {
    return new Promise((resolve, reject) => {
      const transaction = this.#database.transaction(names, 'readwrite', { durability: this.#durability })
      transaction.oncomplete = () => resolve()
      transaction.onabort = () => reject(transaction.error ?? new Error('the transaction was aborted'))
      const [first, second] = [names].flat().map((name) => transaction.objectStore(name))
      if (first !== undefined) work(first, second)
    })
  }
}
