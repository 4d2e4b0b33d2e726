/**
 * The API as the handler of Bun.serve. The core is a fetch handler, so no adapter is needed.
 * Bun sends response headers with the first bytes of the body, so a watch shows nothing before its first event.
 * Needs: npm install --global bun
 * Run it: bun wrangler-free-examples/bun-serve.ts [database] 8080
 * A database is a file of SQLite, in which the API remembers everything. Without one it keeps everything in memory.
 */
import { createApiServer, memoryStore, type SqliteConnection, sqliteDatabase, sqlStore } from 'fetch-apiserver'

declare const Bun: {
  readonly argv: readonly string[]
  serve(options: { port: number; hostname: string; idleTimeout: number; fetch(request: Request): Promise<Response> }): {
    readonly port: number
  }
}

const [port = '8080', file] = Bun.argv.slice(2).toReversed()

/** With the types of Bun: `import { Database } from 'bun:sqlite'`. */
async function open(path: string): Promise<SqliteConnection> {
  const { Database } = (await import('bun:sqlite' as string)) as { Database: new (path: string) => SqliteConnection }
  return new Database(path)
}

const store = file === undefined ? memoryStore() : sqlStore({ database: sqliteDatabase(await open(file)) })
const api = await createApiServer({ store })

// A watch may be silent for long, so there is no idle timeout.
Bun.serve({ port: Number(port), hostname: '127.0.0.1', idleTimeout: 0, fetch: (request) => api.fetch(request) })
console.log(`serving on http://127.0.0.1:${port}`)
