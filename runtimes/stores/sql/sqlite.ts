import type { SqlDatabase, SqlRow, SqlValue } from './database.ts'

interface Statement {
  all(...values: SqlValue[]): readonly unknown[]
  iterate?(...values: SqlValue[]): Iterable<unknown>
  run(...values: SqlValue[]): unknown
  /** Bun keeps a file locked until all of its statements are ended. */
  finalize?(): void
}

/** What the packages have in common: `node:sqlite` of Node and Deno, `bun:sqlite`, `better-sqlite3`. */
export interface SqliteConnection {
  prepare(sql: string): Statement
  exec(sql: string): unknown
  close(): unknown
}

/**
 * An open connection of `node:sqlite` (`new DatabaseSync(path)`), `bun:sqlite` or `better-sqlite3` (`new Database(path)`) for `sqlStore`, which
 * closes it. A transaction is durable when it returns: the write-ahead log is synced. Another process can't use the file meanwhile.
 */
export function sqliteDatabase(connection: SqliteConnection): SqlDatabase {
  const statements = new Map<string, Statement>()
  const statement = (sql: string): Statement => {
    const known = statements.get(sql)
    if (known) return known
    const made = connection.prepare(sql)
    statements.set(sql, made)
    return made
  }
  const rows = (query: string, ...values: SqlValue[]) => {
    const prepared = statement(query)
    return (prepared.iterate?.(...values) ?? prepared.all(...values)) as Iterable<SqlRow>
  }
  const pragma = (name: string) => Number([...rows(`PRAGMA ${name}`)][0]?.[name])

  return {
    open: () => void connection.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL'),
    rows,
    run: (sql, ...values) => void statement(sql).run(...values),
    transaction(work) {
      connection.exec('BEGIN IMMEDIATE')
      try {
        work()
        connection.exec('COMMIT')
      } catch (error) {
        rollBack(connection)
        throw error
      }
    },
    size: () => pragma('page_count') * pragma('page_size'),
    close() {
      for (const each of statements.values()) each.finalize?.()
      connection.close()
    },
  }
}

/** SQLite rolls back by itself after some errors, and then has no transaction to roll back. The first error says what happened. */
function rollBack(connection: SqliteConnection): void {
  try {
    connection.exec('ROLLBACK')
  } catch {}
}
