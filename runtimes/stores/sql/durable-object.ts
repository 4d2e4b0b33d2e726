import type { SqlDatabase, SqlRow, SqlValue } from './database.ts'

/** The part of a Durable Object's storage with SQLite that a store uses. */
export interface DurableObjectStorage {
  readonly sql: {
    exec(query: string, ...values: SqlValue[]): Iterable<unknown>
    readonly databaseSize: number
  }
  transactionSync(work: () => void): void
  sync(): Promise<void>
}

/** The storage of a Durable Object (`context.storage`) for `sqlStore`; its class must be one of `new_sqlite_classes`. */
export const durableObjectDatabase = (storage: DurableObjectStorage): SqlDatabase => ({
  rows: (query, ...values) => storage.sql.exec(query, ...values) as Iterable<SqlRow>,
  run: (statement, ...values) => void storage.sql.exec(statement, ...values),
  transaction: (work) => storage.transactionSync(work),
  size: () => storage.sql.databaseSize,
  sync: () => storage.sync(),
})
