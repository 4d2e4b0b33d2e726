/**
 * `npm run bench:etcd [-- ROW…]`: the embedded store with etcd's API beside etcd, on the same disk, alternately: calls of 32 clients and
 * deliveries to watches per second, processor time of each, memory. ROUNDS sets the number of rounds, SCALE multiplies the calls of a round,
 * SERVER is another command line of the server, such as `build/apiserver etcd`.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from '../../support/free-port.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { eventually } from '../../support/wait.ts'
import { processorSeconds, residentMemory } from '../daemon.ts'
import { type Load, run, watches } from './load.ts'

const rounds = Number(process.env['ROUNDS'] ?? 5)
const scale = Number(process.env['SCALE'] ?? 1)
const own = process.env['SERVER']?.split(' ') ?? [process.execPath, 'dist/bin/bin.js', 'etcd']

interface Row {
  readonly name: string
  readonly operation: Load['operation']
  readonly count: number
  /** What is counted for each of them. */
  readonly each: number
}

const rows: readonly Row[] = [
  { name: 'put', operation: 'put', count: 20_000, each: 1 },
  { name: 'get', operation: 'get', count: 30_000, each: 1 },
  { name: 'range of 1,000', operation: 'range', count: 600, each: 1 },
  { name: 'txn', operation: 'txn', count: 20_000, each: 1 },
  { name: `watch, ${watches} watches: deliveries`, operation: 'watch', count: 800, each: watches },
]

interface Server {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

async function start([program = '', ...first]: readonly string[]): Promise<Server> {
  const directory = temporaryDirectory('bench-etcd')
  const [port, peerPort] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${port}`
  const peer = `http://127.0.0.1:${peerPort}`
  const flags = [`--data-dir=${directory.path}/data`, `--listen-client-urls=${url}`, `--advertise-client-urls=${url}`]
  const peers = [`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`, `--initial-cluster=default=${peer}`]
  const child: ChildProcess = spawn(program, [...first, ...flags, ...peers, '--log-level=error'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  await eventually('the server is healthy', async () => {
    if (child.exitCode !== null) throw new Error(`${program} ended`)
    return (await fetch(`${url}/health`).catch(() => undefined))?.ok
  })
  return {
    url,
    pid: child.pid ?? 0,
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      directory.remove()
    },
  }
}

interface Figures {
  readonly perSecond: number
  /** Microseconds of processor time of the server. */
  readonly processor: number
}

async function measure({ url, pid }: Server, { operation, count, each }: Row): Promise<Figures> {
  const calls = Math.ceil(count * scale)
  const before = processorSeconds(pid)
  const milliseconds = await run({ url, operation, count: calls })
  // With those of the warm-up, a fifth more.
  const processor = ((processorSeconds(pid) - before) * 1e6) / (calls * each * 1.2)
  return { perSecond: (calls * each * 1000) / milliseconds, processor }
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
const least = (values: readonly number[]) => Math.min(...values)
const ratio = (values: readonly number[]) =>
  `${median(values).toFixed(2)} (${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)})`
const count = (value: number) => Math.round(value).toLocaleString('en')

const wanted = process.argv.slice(2)
const servers = { ours: await start(own), etcd: await start(['etcd']) }
try {
  for (const { url } of Object.values(servers)) await run({ url, operation: 'put', count: 2_000 })
  console.log('| | ratio (range) | ours | etcd | processor time: ours | etcd |\n| --- | --- | --- | --- | --- | --- |')
  for (const row of rows) {
    if (wanted.length > 0 && !wanted.some((word) => row.name.startsWith(word))) continue
    const pairs: (readonly [Figures, Figures])[] = []
    for (let round = 0; round < rounds; round++) pairs.push([await measure(servers.ours, row), await measure(servers.etcd, row)])
    const ratios = pairs.map(([a, b]) => a.perSecond / b.perSecond)
    const [ours, etcd] = ([0, 1] as const).map((at) => ({
      perSecond: median(pairs.map((pair) => pair[at].perSecond)),
      processor: least(pairs.map((pair) => pair[at].processor)),
    }))
    const cells = [ours, etcd].map((each) => `${count(each?.perSecond ?? 0)}/s`)
    const processor = [ours, etcd].map((each) => `${each?.processor.toFixed(1)} µs`)
    console.log(`| ${[row.name, ratio(ratios), ...cells, ...processor].join(' | ')} |`)
  }
  const [ours, etcd] = [servers.ours, servers.etcd].map(({ pid }) => residentMemory(pid))
  console.log(`\nResident memory at the end: ${ours?.toFixed(0)} MiB, of etcd ${etcd?.toFixed(0)} MiB`)
} finally {
  await Promise.all(Object.values(servers).map(({ stop }) => stop()))
}
