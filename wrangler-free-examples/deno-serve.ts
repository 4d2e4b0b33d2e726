/**
 * The API as the handler of Deno.serve. The core is a fetch handler, so no adapter is needed but for the signal: Deno's own aborts after each
 * response, too, and Deno warns about it.
 * Needs: npm install --global deno
 * Run it: deno run -A wrangler-free-examples/deno-serve.ts [database] 8080
 * A database is a file of SQLite, in which the API remembers everything. Without one it keeps everything in memory.
 */
import { createApiServer, memoryStore, type SqliteConnection, sqliteDatabase, sqlStore } from 'fetch-apiserver'

interface Handled {
  /** Rejects when the client leaves before it has the whole response. */
  readonly completed: Promise<void>
}

declare const Deno: {
  readonly args: readonly string[]
  serve(
    options: { port: number; hostname: string; onListen?(): void },
    handler: (request: Request, handled: Handled) => Promise<Response>,
  ): unknown
}

const [port = '8080', file] = Deno.args.toReversed()

/** With the types of Node 22 or newer: `import { DatabaseSync } from 'node:sqlite'`. */
async function open(path: string): Promise<SqliteConnection> {
  const { DatabaseSync } = (await import('node:sqlite' as string)) as { DatabaseSync: new (path: string) => SqliteConnection }
  return new DatabaseSync(path)
}

const store = file === undefined ? memoryStore() : sqlStore({ database: sqliteDatabase(await open(file)) })
const api = await createApiServer({ store })

/** The request with a signal that aborts when the client leaves. */
function untilGone({ url, method, headers, body }: Request, { completed }: Handled): Request {
  const gone = new AbortController()
  completed.catch(() => gone.abort())
  const init = { method, headers, body, signal: gone.signal, duplex: 'half' }
  return new Request(url, init)
}

const onListen = () => console.log(`serving on http://127.0.0.1:${port}`)
Deno.serve({ port: Number(port), hostname: '127.0.0.1', onListen }, (request, handled) => api.fetch(untilGone(request, handled)))
