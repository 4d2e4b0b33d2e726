/** The server under workerd, without controllers that put objects of their own into namespaces. */
import { type ApiServer, createApiServer, memoryStore } from '../../runtimes/web/index.ts'

interface Context {
  waitUntil(work: Promise<unknown>): void
}

/** Milliseconds that what a request set in motion, such as the emptying of a namespace, goes on after its answer. */
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
    // What says that it is compressed is compressed already.
    return new Response(body, { status, headers, encodeBody: 'manual' } as ResponseInit)
  },
}
