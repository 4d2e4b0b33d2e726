/**
 * The API on an edge runtime: a worker with its store in memory, which is lost when the runtime evicts the worker.
 * Timers and random numbers exist only while a request is served, so the first request creates the server, and each one drives its clock.
 * Needs: npm install --save-dev tsx esbuild workerd
 * Run it: npx tsx wrangler-free-examples/workerd-run.ts 8080   (bundles this file and starts workerd)
 */
import { type ApiServer, createApiServer, memoryStore } from 'fetch-apiserver'
import { RequestClock } from 'fetch-apiserver/edge'

interface Context {
  waitUntil(work: Promise<unknown>): void
}

/** Milliseconds for which background work of a request, such as deleting a namespace's objects, may continue after the response. */
const afterwards = 5_000
const clock = new RequestClock()
let api: Promise<ApiServer> | undefined

export default {
  async fetch(request: Request, _bindings: unknown, context: Context): Promise<Response> {
    context.waitUntil(new Promise((resolve) => setTimeout(resolve, afterwards)))
    clock.drive()
    // workerd notices that a client has left when it sends something: a bookmark, or the end of a watch.
    const watches = { repeatBookmarks: true, minRequestTimeout: 150 }
    api ??= createApiServer({ store: memoryStore({ clock }), clock, ...watches })
    const { status, headers, body } = await (await api).fetch(request)
    // The body is already compressed if its headers say so.
    return new Response(body, { status, headers, encodeBody: 'manual' } as ResponseInit)
  },
}
