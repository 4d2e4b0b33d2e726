/**
 * A server inside the program, without a port.
 * Needs: npm install --save-dev tsx
 * Run it: npx tsx wrangler-free-examples/embedded.ts
 */
import { createApiServer, memoryStore } from 'fetch-apiserver'

const server = await createApiServer({ store: memoryStore() })
const url = 'http://in.process/api/v1/namespaces/default/configmaps'

const created = await server.fetch(
  new Request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ metadata: { name: 'greeting' }, data: { text: 'hello' } }),
  }),
)
console.log(created.status, await created.json())

const list = await server.fetch(new Request(url))
console.log(list.status, ((await list.json()) as { items: unknown[] }).items.length, 'config maps')

await server.close()
