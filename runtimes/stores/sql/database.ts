/** What a store needs of an SQL database: SQLite, whose calls return at once. */

/** `ArrayBuffer`: how some engines return bytes. */
export type SqlValue = string | number | null | Uint8Array | ArrayBuffer

export type SqlRow = Readonly<Record<string, SqlValue>>

/** One database, which nothing else writes to. All methods may throw. */
export interface SqlDatabase {
  /** Called once, before all others. Absent: nothing has to be prepared. */
  open?(): void
  /** The rows of a query, with the values of its parameters (`?`). Read at once, before the next call. */
  rows(query: string, ...values: SqlValue[]): Iterable<SqlRow>
  /** Runs one statement that returns no rows. */
  run(statement: string, ...values: SqlValue[]): void
  /** Calls `work`, and keeps all of its changes, or none when this throws. */
  transaction(work: () => void): void
  /** Bytes of the database. */
  size(): number
  /** Resolves when every transaction is durable. Absent: a transaction is, when it returns. */
  sync?(): Promise<void>
  /**
   * Called when the store is opened and when leases change: milliseconds since the epoch at which the earliest one expires; undefined: there is
   * none. A runtime that may end at any time wakes the store then.
   */
  nextExpiry?(at: number | undefined): void
  /** Absent: the owner of the database closes it. */
  close?(): void
}
