/**
 * `npm run bench:workers [-- ROW…]`: processor time of an operation on the main thread and on all others, with several numbers of workers, and from
 * these parts what more cores bring: rates, and the cores that clusters of 5,000 to 65,000 nodes need. Processor time needs no machine with so many
 * cores, and other load on the machine changes it less than rates. SECONDS sets the duration of each measurement, WORKERS the numbers of workers.
 */
import { call } from './call.ts'
import { type BenchDaemon, startDaemon } from './daemon.ts'
import { type LoadOptions, load } from './load.ts'
import { deliveries } from './watchers.ts'
import { configMap, namespace, objects } from './wire-rows.ts'
import { type Cost, coresFor, costOf, maxRate } from './workers/model.ts'
import { type ThreadTimes, threadTimes, timesOfOne } from './workers/threads.ts'

const seconds = Number(process.env['SECONDS'] ?? 4)
const counts = (process.env['WORKERS'] ?? '1,2,3,4').split(',').map(Number)
const cores = [1, 2, 4, 8, 16]
/** Concurrent creates of the preparation. */
const atATime = 50

const collection = `/api/v1/namespaces/${namespace}/configmaps`
const leases = '/apis/coordination.k8s.io/v1/namespaces/made/leases'
const merge = { 'content-type': 'application/merge-patch+json' }

const requests: { readonly [row: string]: Pick<LoadOptions, 'method' | 'path' | 'headers' | 'body'> } = {
  GET: { path: `${collection}/object-{k}` },
  CREATE: {
    method: 'POST',
    path: '/api/v1/namespaces/made/configmaps',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...configMap(), metadata: { generateName: 'made-' } }),
  },
  'merge PATCH': {
    method: 'PATCH',
    path: `${collection}/object-{k}`,
    headers: merge,
    body: '{"metadata":{"annotations":{"touched":"{n}"}}}',
  },
  'renewal of a lease': { method: 'PATCH', path: `${leases}/node-{k}`, headers: merge, body: '{"spec":{"holderIdentity":"{n}"}}' },
}
const delivery = 'delivery of an event'
const fanOut = { watchers: 200, events: 1_000, connections: 10 }

/** Operations per second of a cluster with this many nodes, at the rates of `bench:cluster`: each write of a pod reaches some 10 watches. */
const loadOfNodes = (nodes: number): { readonly [row: string]: number } => {
  const pods = (nodes / 5_000) * 100
  return {
    'renewal of a lease': nodes / 10,
    CREATE: pods,
    'merge PATCH': 4 * pods + nodes / 300,
    [delivery]: 10 * 5 * pods + 3 * (nodes / 10 + nodes / 300),
    GET: (nodes / 5_000) * 50 + nodes / 300,
  }
}

async function prepare(daemon: BenchDaemon): Promise<void> {
  for (const name of [namespace, 'made']) await call(daemon, 'POST', '/api/v1/namespaces', { metadata: { name } })
  const lease = (name: string) => ({ metadata: { name }, spec: { holderIdentity: name, leaseDurationSeconds: 40 } })
  for (let from = 0; from < objects; from += atATime) {
    const numbers = Array.from({ length: atATime }, (_, index) => from + index)
    await Promise.all(numbers.map((number) => call(daemon, 'POST', collection, configMap(`object-${number}`))))
    await Promise.all(numbers.map((number) => call(daemon, 'POST', leases, lease(`node-${number}`))))
  }
}

async function measure(daemon: BenchDaemon, row: string): Promise<ThreadTimes> {
  if (row === delivery) {
    await deliveries(daemon, fanOut, 1)
    const before = threadTimes(daemon.pid)
    await deliveries(daemon, fanOut, 2)
    return timesOfOne(before, threadTimes(daemon.pid), fanOut.events * fanOut.watchers)
  }
  const { url, ca, cert, key } = daemon
  const ask = (duration: number) =>
    load({ url, ca, cert, key, protocol: 'h2', connections: 32, sleeps: true, warmupSeconds: 0, seconds: duration, ...requests[row] })
  await ask(seconds)
  const before = threadTimes(daemon.pid)
  const { requests: count } = await ask(seconds)
  return timesOfOne(before, threadTimes(daemon.pid), count)
}

// Deliveries first: their number is known from their bytes, and patches change the size of objects.
const rows = [delivery, ...Object.keys(requests)].filter((row) => process.argv.length === 2 || process.argv.slice(2).includes(row))
const measured = new Map(rows.map((row) => [row, new Map<number, ThreadTimes>()]))
const port = 20_000 + (process.pid % 20_000)
for (const count of counts) {
  const daemon = await startDaemon(port + count, ['--platform=kubernetes', `--workers=${count}`])
  try {
    await prepare(daemon)
    for (const row of rows) {
      const times = await measure(daemon, row)
      measured.get(row)?.set(count, times)
      console.error(`${count} workers, ${row}: ${times.main.toFixed(1)} + ${times.others.toFixed(1)} µs`)
    }
  } finally {
    await daemon.stop()
  }
}

const table = (heads: readonly string[], lines: readonly (readonly string[])[]) =>
  console.log(`\n| ${heads.join(' | ')} |\n|${' --- |'.repeat(heads.length)}\n${lines.map((line) => `| ${line.join(' | ')} |`).join('\n')}`)
const count = (value: number) => Math.round(value).toLocaleString('en')

table(
  ['µs of processor time: main thread + others', ...counts.map((each) => `${each} worker${each === 1 ? '' : 's'}`)],
  [...measured].map(([row, times]) => [row, ...[...times.values()].map(({ main, others }) => `${main.toFixed(1)} + ${others.toFixed(1)}`)]),
)
// With one worker nothing is divided: the main thread is the server.
const costs = new Map<string, Cost>(
  [...measured].map(([row, times]) => [row, costOf(new Map([...times].filter(([workers]) => workers > 1)))]),
)
const rateOf = (row: string, cost: Cost, number: number) => {
  const { main = 0, others = 0 } = measured.get(row)?.get(1) ?? {}
  return number === 1 ? 1e6 / (main + others) : maxRate(cost, number)
}
table(
  ['operations per second at most', ...cores.map((each) => `${each} core${each === 1 ? '' : 's'}`)],
  [...costs].map(([row, cost]) => [row, ...cores.map((each) => count(rateOf(row, cost, each)))]),
)
table(
  ['nodes', 'writes per second', 'deliveries per second', ...[2, 4, 8].map((workers) => `cores with ${workers} workers (main thread)`)],
  [5_000, 10_000, 65_000].map((nodes) => {
    const rates = loadOfNodes(nodes)
    const load = [...costs].map(([row, cost]) => ({ cost, perSecond: rates[row] ?? 0 }))
    const { GET: _reads, [delivery]: delivered = 0, ...writes } = rates
    const needed = [2, 4, 8].map((workers) => coresFor(load, workers)).map(({ main, all }) => `${all.toFixed(1)} (${main.toFixed(2)})`)
    return [count(nodes), count(Object.values(writes).reduce((sum, each) => sum + each, 0)), count(delivered), ...needed]
  }),
)
