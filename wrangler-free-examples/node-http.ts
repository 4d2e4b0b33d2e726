/**
 * The API over plain HTTP on Node's server: a short adapter for programs that do not need the daemon's TLS, flags and
 * files.
 * Needs: npm install --save-dev tsx
 * Run it: npx tsx wrangler-free-examples/node-http.ts 8080
 * Then: curl http://127.0.0.1:8080/api/v1/namespaces
 */
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { createApiServer, memoryStore } from 'fetch-apiserver'

const api = await createApiServer({ store: memoryStore() })
const port = Number(process.argv[2] ?? 8080)

const server = createServer(async (incoming, outgoing) => {
  // A client that disconnects ends its watch.
  const gone = new AbortController()
  outgoing.once('close', () => gone.abort())
  const { method = 'GET', url = '/', rawHeaders } = incoming
  const headers = rawHeaders.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : []))
  const body = method === 'GET' || method === 'HEAD' ? {} : { body: Readable.toWeb(incoming) as BodyInit, duplex: 'half' }
  const response = await api.fetch(new Request(new URL(url, `http://127.0.0.1:${port}`), { method, headers, signal: gone.signal, ...body }))
  outgoing.writeHead(response.status, [...response.headers].flat())
  outgoing.flushHeaders()
  if (response.body) for await (const chunk of response.body) outgoing.write(chunk)
  outgoing.end()
})
server.listen(port, '127.0.0.1', () => console.log(`serving on http://127.0.0.1:${port}`))
