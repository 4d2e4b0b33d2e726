/** Load of others' pace: idle watches, many connections, many requests in flight, and clients that never read. */

import { Client, type Connections, json } from './cluster/client.ts'
import { Http2Connection, literals, noBody } from './cluster/http2.ts'
import { inParallel } from './cluster/pace.ts'
import { type MeasuredServer, startServer } from './cluster/servers.ts'
import { residentMemory } from './daemon.ts'
import type { Row } from './row.ts'

const [watches, connections, inFlight] = [10_000, 2_000, 1_000]
/** Share of the connections that never read. */
const deaf = 0.01
/** Streams of a connection that the server allows. */
const perConnection = 100
/** Handshakes at a time. */
const opening = 32
/** Responses that a client asks for and does not read, of about 1 MiB each. */
const unread = 10
const collection = '/api/v1/namespaces/default/configmaps'
const objects = 1_000

/** Connections of which each is used by itself, as `Connections` for one client. */
const only = (connection: Http2Connection, authority: string) =>
  ({ authority, request: (head, body, receiver) => void connection.request(head, body, receiver) }) as Connections

async function opened(url: URL, count: number): Promise<Http2Connection[]> {
  const all: Http2Connection[] = []
  await inParallel(count, opening, async () => {
    const connection = new Http2Connection(url)
    all.push(connection)
    await connection.ready
  })
  return all
}

interface Outcome {
  readonly requests: number
  readonly failures: Map<string, number>
  /** Resident MiB with idle connections and watches, and at most. */
  readonly before: number
  readonly most: number
  readonly slowest: number
  /** MiB of heap after a collection of garbage, by the minute. */
  readonly heap: readonly number[]
}

/** Minutes until a server has all caches that a load fills. */
const settled = 10

/** Whether memory grows after the tenth minute: the mean of the last quarter is compared, as collections leave some garbage. */
function growthRow(heap: readonly number[]): Row[] {
  const later = heap.slice(settled)
  const [first] = later
  if (first === undefined || later.length < 2) return []
  const last = later.slice(-Math.ceil(later.length / 4))
  const mean = last.reduce((sum, each) => sum + each, 0) / last.length
  const limit = `${first.toFixed(0)} MiB after minute ${settled}`
  return [{ name: `heap in the end (minute ${heap.length})`, ours: `${mean.toFixed(0)} MiB`, limit, ratio: mean / first, aim: '≤ 1.05' }]
}

async function run(server: MeasuredServer, seconds: number): Promise<Outcome> {
  const url = new URL(server.url)
  const pid = server.processes[0]!.pid
  const failures = new Map<string, number>()
  const fail = (what: string) => void failures.set(what, (failures.get(what) ?? 0) + 1)
  const all = await opened(url, connections)
  const clientOf = (connection: Http2Connection) => new Client(only(connection, url.host), server)
  const admin = clientOf(all.at(-1)!)
  const body = (name: string, version = 0) => ({ metadata: { name }, data: { text: 'x'.repeat(800), version: String(version) } })
  await inParallel(objects, opening, (index) => admin.need('POST', collection, { body: body(`object-${index}`) }))

  const watching = all.slice(0, watches / perConnection)
  const head = (path: string) =>
    literals({
      ':method': 'GET',
      ':path': path,
      ':scheme': 'https',
      ':authority': url.host,
      authorization: `Bearer ${server.token}`,
      accept: json,
    })
  await inParallel(watches, opening, (index) => {
    const path = `/api/v1/namespaces/quiet/secrets?fieldSelector=metadata.name%3Dname-${index}&watch=true&resourceVersion=1`
    return new Promise<void>((resolve) => {
      watching[index % watching.length]!.request(head(path), noBody, {
        head: (status) => (status === 200 ? resolve() : fail(`watch: ${status}`)),
        data() {},
        end: (error) => fail(`watch: ${error?.message ?? 'ended'}`),
      })
    })
  })
  const before = residentMemory(pid)

  const silent = all.slice(watching.length, watching.length + connections * deaf)
  for (const connection of silent) {
    connection.stall()
    // What becomes of these is the server's choice.
    for (let count = 0; count < unread; count++) connection.request(head(collection), noBody, { head() {}, data() {}, end() {} })
  }
  const clients = all.slice(watching.length + silent.length).map(clientOf)
  let [requests, most, slowest, next] = [0, before, 0, 0]
  const until = performance.now() + seconds * 1000
  const timer = setInterval(() => {
    most = Math.max(most, residentMemory(pid))
  }, 200)
  const heap: number[] = []
  const minutes = setInterval(async () => heap.push(((await server.probe?.memory())?.heapUsed ?? 0) / 2 ** 20), 60_000)
  const kinds = [
    (client: Client, index: number) => client.need('GET', `${collection}/object-${index % objects}`),
    (client: Client, index: number) =>
      client.need('PUT', `${collection}/object-${index % objects}`, { body: body(`object-${index % objects}`, index) }),
    (client: Client) => client.need('GET', `${collection}?limit=50`),
  ]
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (performance.now() < until) {
        const index = next++
        const began = performance.now()
        await kinds[index % kinds.length]!(clients[index % clients.length]!, index).catch((error: Error) =>
          fail(error.message.slice(0, 120)),
        )
        slowest = Math.max(slowest, performance.now() - began)
        requests++
      }
    }),
  )
  clearInterval(timer)
  clearInterval(minutes)
  const outcome = { requests, failures: new Map(failures), before, most, slowest, heap }
  for (const connection of all) connection.close()
  return outcome
}

/** Measures all rows of this file, for MINUTES, by default for 15 times as long as others. */
export async function paceRows(_compare: unknown, seconds: number): Promise<Row[]> {
  const minutes = process.env['MINUTES']
  const duration = minutes === undefined ? 15 * seconds : 60 * Number(minutes)
  const server = await startServer('this')
  try {
    const { requests, failures, before, most, slowest, heap } = await run(server, duration)
    const failed = [...failures].map(([what, count]) => `${count} × ${what}`)
    const name = `${watches} idle watches, ${connections} connections, ${inFlight} requests in flight, ${connections * deaf} clients that never read`
    return [
      { name: `${name}: errors of the others`, ours: failed.join('; ') || 'none', limit: `of ${requests}`, aim: 'none' },
      { name: 'memory: at most', ours: `${most.toFixed(0)} MiB`, limit: `${before.toFixed(0)} MiB before the load`, aim: '≤ 512 MiB more' },
      { name: 'the slowest request', ours: `${slowest.toFixed(0)} ms`, limit: `${(requests / duration).toFixed(0)}/s`, aim: '' },
      ...growthRow(heap),
    ]
  } finally {
    await server.stop()
  }
}
