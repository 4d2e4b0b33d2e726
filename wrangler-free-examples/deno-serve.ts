/**
 * The API as the handler of Deno.serve. The core is a fetch handler, so no adapter is needed.
 * Needs: npm install --global deno
 * Run it: deno run -A --unstable-no-legacy-abort wrangler-free-examples/deno-serve.ts [database] 8080
 * Without the option, `request.signal` aborts after each response, which Deno warns about.
 * A database is a file of SQLite, in which the API remembers everything. Without one it keeps everything in memory.
 */
import { createApiServer, memoryStore, type SqliteConnection, sqliteDatabase, sqlStore } from 'fetch-apiserver'

declare const Deno: {
  readonly args: readonly string[]
  serve(options: { port: number; hostname: string; onListen?(): void }, handler: (request: Request) => Promise<Response>): unknown
}

const [port = '8080', file] = Deno.args.toReversed()

/** With the types of Node 22 or newer: `import { DatabaseSync } from 'node:sqlite'`. */
async function open(path: string): Promise<SqliteConnection> {
  const { DatabaseSync } = (await import('node:sqlite' as string)) as { DatabaseSync: new (path: string) => SqliteConnection }
  return new DatabaseSync(path)
}

const store = file === undefined ? memoryStore() : sqlStore({ database: sqliteDatabase(await open(file)) })
const api = await createApiServer({ store })

Deno.serve({ port: Number(port), hostname: '127.0.0.1', onListen: () => console.log(`serving on http://127.0.0.1:${port}`) }, (request) =>
  api.fetch(request),
)
