/**
 * What a test of a controller can do: go back to a prepared snapshot before each case, and advance the clock instead of
 * waiting.
 * Needs: npm install --save-dev tsx
 * Run it: npx tsx wrangler-free-examples/harness.ts
 */
import { startTestServer } from 'fetch-apiserver/testing'

const server = await startTestServer()
await server.load(`
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: prices, namespace: shop}
data: {tea: "3"}
`)
const prepared = server.snapshot()
const prices = '/api/v1/namespaces/shop/configmaps/prices'

await server.fetch(prices, { method: 'DELETE' })
console.log('after the delete:', (await server.fetch(prices)).status)
await server.restore(prepared)
console.log('after the restore:', (await server.fetch(prices)).status)

const event = { metadata: { name: 'sold', namespace: 'shop' }, involvedObject: { namespace: 'shop' } }
const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(event) }
await server.fetch('/api/v1/namespaces/shop/events', post)
await server.clock.advance(2 * 3600_000)
console.log('event two hours later:', (await server.fetch('/api/v1/namespaces/shop/events/sold')).status)
await server.close()
