/**
 * The API on an edge runtime: a worker whose memory is the store, so it forgets when the runtime drops it.
 * Timers and random numbers exist only while a request is served, so the server is made by the first one.
 * Run it: npx tsx wrangler-free-examples/workerd-run.ts 8080   (bundles this file, and starts workerd on it)
 */
import { type ApiServer, createApiServer, memoryStore } from 'apiserver'

interface Context {
  waitUntil(work: Promise<unknown>): void
}

/** Milliseconds that what a request set in motion, such as the emptying of a namespace, goes on after its answer. */
const afterwards = 5_000
let api: Promise<ApiServer> | undefined

export default {
  async fetch(request: Request, _bindings: unknown, context: Context): Promise<Response> {
    context.waitUntil(new Promise((resolve) => setTimeout(resolve, afterwards)))
    api ??= createApiServer({ store: memoryStore() })
    const { status, headers, body } = await (await api).fetch(request)
    // What says that it is compressed is compressed already.
    return new Response(body, { status, headers, encodeBody: 'manual' } as ResponseInit)
  },
}
