/**
 * The API as the handler of Bun.serve. The core is a fetch handler, so no adapter is needed.
 * Bun sends response headers with the first bytes of the body, so a watch shows nothing before its first event.
 * Needs: npm install --global bun
 * Run it: bun wrangler-free-examples/bun-serve.ts 8080
 */
import { createApiServer, memoryStore } from 'fetch-apiserver'

declare const Bun: {
  readonly argv: readonly string[]
  serve(options: { port: number; hostname: string; idleTimeout: number; fetch(request: Request): Promise<Response> }): {
    readonly port: number
  }
}

const api = await createApiServer({ store: memoryStore() })
const port = Number(Bun.argv[2] ?? 8080)

// A watch may be silent for long, so there is no idle timeout.
Bun.serve({ port, hostname: '127.0.0.1', idleTimeout: 0, fetch: (request) => api.fetch(request) })
console.log(`serving on http://127.0.0.1:${port}`)
