/** The server under workerd, without controllers that create objects in namespaces. */
import { type ApiServer, createApiServer, memoryStore } from '../../runtimes/web/index.ts'

interface Context {
  waitUntil(work: Promise<unknown>): void
}

/** Milliseconds that background work of a request, such as emptying a namespace, may run after the response. */
const afterwards = 5_000
let api: Promise<ApiServer> | undefined

export default {
  async fetch(request: Request, _bindings: unknown, context: Context): Promise<Response> {
    context.waitUntil(new Promise((resolve) => setTimeout(resolve, afterwards)))
    api ??= createApiServer({
      store: memoryStore(),
      compactionInterval: 0,
      controllers: ['garbage-collector', 'namespace', 'serviceaccount'],
    })
    const { status, headers, body } = await (await api).fetch(request)
    // The body is already compressed if its headers say so.
    return new Response(body, { status, headers, encodeBody: 'manual' } as ResponseInit)
  },
}
