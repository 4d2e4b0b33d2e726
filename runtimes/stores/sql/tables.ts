/** The tables of a store, and the statements on them. */
import { type KeyValue, StoreError } from '../../../core/ports.ts'
import type { Change, History } from '../history.ts'
import type { Lease } from '../leases.ts'
import { type Restored, restored } from '../restored.ts'
import type { SqlDatabase, SqlRow, SqlValue } from './database.ts'

/**
 * `place` is the revision and the number of the change within it, so that rows are in the order of the changes without an index. `previous`:
 * revision of the key's change before this one, 0 for none: what a compaction deletes. A value that is null is a deletion.
 * Numbers of leases
 * have 63 bits, more than a number of JavaScript: they are text. `apiserver_state` has the format, and the oldest readable revision.
 */
const definitions = [
  `CREATE TABLE IF NOT EXISTS apiserver_changes (
    place INTEGER PRIMARY KEY, key TEXT NOT NULL, created INTEGER NOT NULL, previous INTEGER NOT NULL, lease TEXT, value BLOB)`,
  'CREATE TABLE IF NOT EXISTS apiserver_leases (id TEXT PRIMARY KEY, expires INTEGER NOT NULL)',
  'CREATE TABLE IF NOT EXISTS apiserver_state (name TEXT PRIMARY KEY, value INTEGER NOT NULL)',
]
const format = 1
/** Most changes of one revision. Places stay below 2^53 for 2^37 revisions. */
const placesOfRevision = 2 ** 16
/** First revision of a store: an empty one, as in etcd. */
const firstRevision = 1

const placeOf = (revision: number) => revision * placesOfRevision
const revisionOf = (place: number) => Math.floor(place / placesOfRevision)

/** What the tables have of a store. */
export interface Loaded extends Restored {
  readonly leases: readonly Lease[]
}

/** Reads the tables, and creates them in an empty database. Throws a StoreError 'corrupt' when they are not those of a store. */
export function load(database: SqlDatabase): Loaded {
  database.transaction(() => {
    for (const definition of definitions) database.run(definition)
    const insert = 'INSERT OR IGNORE INTO apiserver_state (name, value) VALUES (?, ?)'
    database.run(insert, 'format', format)
    database.run(insert, 'oldest', firstRevision)
  })
  const state = new Map([...database.rows('SELECT name, value FROM apiserver_state')].map(({ name, value }) => [name, Number(value)]))
  if (state.get('format') !== format) throw new StoreError('corrupt', `the tables have the format ${state.get('format')}, not ${format}`)
  const oldest = state.get('oldest') ?? firstRevision
  const rows = database.rows('SELECT place, key, created, lease, value FROM apiserver_changes ORDER BY place')
  const { history, attached } = restored(oldest, changesOf(rows), (revision, key) => valueAt(database, revision, key))
  const leases = [...database.rows('SELECT id, expires FROM apiserver_leases')]
  return { history, leases: leases.map(({ id, expires }) => ({ id: BigInt(String(id)), expires: Number(expires) })), attached }
}

/** Inserts changes that follow those of the history. */
export function insertChanges(database: SqlDatabase, history: Pick<History, 'get'>, changes: readonly Change[]): void {
  const insert = 'INSERT INTO apiserver_changes (place, key, created, previous, lease, value) VALUES (?, ?, ?, ?, ?, ?)'
  /** Revisions of the keys that these changes have changed so far. */
  const latest = new Map<string, number>()
  let place = 0
  for (const { key, revision, createRevision, lease, value } of changes) {
    const previous = latest.get(key) ?? history.get(key)?.modRevision ?? 0
    latest.set(key, revision)
    place = Math.max(placeOf(revision), place + 1)
    database.run(insert, place, key, createRevision, previous, lease === 0n ? null : String(lease), valueFor(value))
  }
}

/** The newest revision in the tables. */
export function newestRevision(database: SqlDatabase): number {
  const [newest] = [...database.rows('SELECT max(place) AS place FROM apiserver_changes')]
  return Math.max(oldestRevision(database), revisionOf(Number(newest?.['place'] ?? 0)))
}

export function oldestRevision(database: SqlDatabase): number {
  const [oldest] = [...database.rows("SELECT value FROM apiserver_state WHERE name = 'oldest'")]
  return Number(oldest?.['value'])
}

/** Deletes what only revisions before `oldest` need; `before`: the oldest readable revision so far. */
export function compactTo(database: SqlDatabase, before: number, oldest: number): void {
  const first = placeOf(before + 1)
  const end = placeOf(oldest + 1)
  const between = 'place >= ? AND place < ?'
  // The previous row of a key is looked up by its place: the revision has one row, or as many as a transaction has changed keys.
  database.run(
    `DELETE FROM apiserver_changes WHERE place IN (
      SELECT old.place FROM (SELECT key, previous FROM apiserver_changes WHERE ${between} AND previous > 0) AS new
      CROSS JOIN apiserver_changes AS old
      ON old.place >= new.previous * ${placesOfRevision} AND old.place < (new.previous + 1) * ${placesOfRevision} AND old.key = new.key)`,
    first,
    end,
  )
  database.run(`DELETE FROM apiserver_changes WHERE ${between} AND value IS NULL`, first, end)
  database.run("UPDATE apiserver_state SET value = ? WHERE name = 'oldest'", oldest)
}

export const insertLease = (database: SqlDatabase, { id, expires }: Lease) =>
  database.run('INSERT INTO apiserver_leases (id, expires) VALUES (?, ?)', String(id), Math.round(expires))

export const deleteLease = (database: SqlDatabase, id: bigint) => database.run('DELETE FROM apiserver_leases WHERE id = ?', String(id))

/** Tells the database when the earliest lease expires. */
export function tellNextExpiry(database: SqlDatabase): void {
  if (database.nextExpiry === undefined) return
  const [row] = [...database.rows('SELECT min(expires) AS expires FROM apiserver_leases')]
  const expires = row?.['expires'] ?? null
  database.nextExpiry(expires === null ? undefined : Number(expires))
}

function* changesOf(rows: Iterable<SqlRow>): Iterable<Change> {
  for (const row of rows) yield changeOf(row)
}

/** The value that was written to a key at a revision. */
function valueAt(database: SqlDatabase, revision: number, key?: string): KeyValue {
  const query = 'SELECT place, key, created, lease, value FROM apiserver_changes WHERE place >= ? AND place < ?'
  for (const row of [...database.rows(query, placeOf(revision), placeOf(revision + 1))]) {
    const { value, createRevision, ...change } = changeOf(row)
    if (value && (key === undefined || change.key === key)) return { key: change.key, value, createRevision, modRevision: revision }
  }
  throw new StoreError('corrupt', `revision ${revision} is missing`)
}

function changeOf({ place, key, created, lease, value }: SqlRow): Change {
  return {
    key: String(key),
    revision: revisionOf(Number(place)),
    createRevision: Number(created),
    lease: lease === null || lease === undefined ? 0n : BigInt(String(lease)),
    ...(value !== null && value !== undefined && { value: bytesOf(value) }),
  }
}

/** Some engines bind bytes of length 0 as null, so they are an empty text. */
function valueFor(value: Uint8Array | undefined): SqlValue {
  if (value === undefined) return null
  return value.byteLength === 0 ? '' : value
}

/** Bytes as every engine returns them; as Uint8Array, not as a class derived from it. */
function bytesOf(value: SqlValue): Uint8Array {
  if (value instanceof Uint8Array) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  if (value === '') return new Uint8Array(0)
  throw new StoreError('corrupt', `a value is a ${typeof value}, not bytes`)
}
