/** The SQLite of the runtime that runs the tests. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock, KeyValueStore } from '../../../core/ports.ts'
import { installed } from '../../../runtimes/locate.ts'
import { type SqliteConnection, sqliteDatabase } from '../../../runtimes/stores/sql/sqlite.ts'
import { type SqlStoreOptions, sqlStore } from '../../../runtimes/stores/sql.ts'
import { hostClock } from './helpers.ts'

type Connect = (path: string) => SqliteConnection
type Class = new (path: string) => SqliteConnection

const from = (type: Class): Connect => {
  const Connection = type
  return (path) => new Connection(path)
}

/** Imports a module that not every runtime has. */
const load = async (name: string) => (await import(name)) as { readonly [name: string]: unknown }

/** Path of better-sqlite3: its directory as BETTER_SQLITE3 says, or where npm installs it. */
const better = process.env['BETTER_SQLITE3'] ?? installed('better-sqlite3')

const loaders: readonly { readonly name: string; readonly load: () => Promise<unknown> }[] = [
  { name: 'bun:sqlite', load: async () => (await load('bun:sqlite'))['Database'] },
  { name: 'node:sqlite', load: async () => (await load('node:sqlite'))['DatabaseSync'] },
  {
    name: 'better-sqlite3',
    load: async () => {
      if (better === undefined || !existsSync(better)) throw new Error('not installed')
      return (await load(join(better, 'lib/index.js')))['default']
    },
  },
]

/** `connect`: absent when there is none. */
export interface Engine {
  readonly name: string
  readonly connect?: Connect
}

/** The first engine that this runtime has; with BETTER_SQLITE3 that one. */
async function firstEngine(): Promise<Engine> {
  for (const { name, load } of process.env['BETTER_SQLITE3'] ? loaders.slice(-1) : loaders) {
    const type = await load().catch(() => undefined)
    if (type !== undefined) return { name, connect: from(type as Class) }
  }
  return { name: 'no SQLite' }
}

export const engine = await firstEngine()

/** Value for the `skip` option of a test: false, or the reason. */
export const withoutSql = engine.connect ? (false as const) : 'no SQLite in this runtime: Node 22.13 has it, or the package better-sqlite3'

export function connect(path: string): SqliteConnection {
  if (!engine.connect) throw new Error('no SQLite')
  return engine.connect(path)
}

/** Name of the database in a test's directory. */
export const databaseIn = (directory: string) => join(directory, 'store.db')

export function openSql(directory: string, clock: Clock = hostClock, options: Omit<SqlStoreOptions, 'database'> = {}): KeyValueStore {
  return sqlStore({ database: sqliteDatabase(connect(databaseIn(directory))), clock, ...options })
}
