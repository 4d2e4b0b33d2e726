/**
 * The API as the handler of Deno.serve. The core is a fetch handler, so no adapter is needed.
 * Needs: npm install --global deno
 * Run it: deno run -A wrangler-free-examples/deno-serve.ts 8080
 */
import { createApiServer, memoryStore } from 'fetch-apiserver'

declare const Deno: {
  readonly args: readonly string[]
  serve(options: { port: number; hostname: string; onListen?(): void }, handler: (request: Request) => Promise<Response>): unknown
}

const api = await createApiServer({ store: memoryStore() })
const port = Number(Deno.args[0] ?? 8080)

Deno.serve({ port, hostname: '127.0.0.1', onListen: () => console.log(`serving on http://127.0.0.1:${port}`) }, (request) =>
  api.fetch(request),
)
