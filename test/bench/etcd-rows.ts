/** Rows with etcd as the store: durable writes against etcd's own client, reads against the same server on its store in memory, fan-out. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Etcd3 } from 'etcd3'
import { startEtcd } from '../support/etcd.ts'
import { tlsFetch } from '../support/tls-fetch.ts'
import type { Compare } from './api-rows.ts'
import { startBare } from './bare.ts'
import { type BenchDaemon, startDaemon } from './daemon.ts'
import { type LoadOptions, load } from './load.ts'
import type { Row } from './row.ts'
import { fanOut } from './watchers.ts'

const writers = 32
const objects = 1_000
/** Where `fanOut` looks. */
const many = '/api/v1/namespaces/many/configmaps'
const created = '/api/v1/namespaces/default/configmaps'
const configMap = (name: string) => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name, labels: { app: 'bench' } },
  data: { text: 'x'.repeat(700) },
})

interface Puts {
  readonly server: string
  readonly seconds: number
  readonly bytes: number
  /** Keys to write again and again; 0: a new one each time. */
  readonly keys: number
}

/** Puts a second by etcd's client, in a process of its own, as many at a time as there are writers. */
function clientPuts(puts: Puts): Promise<number> {
  const child = fork(fileURLToPath(import.meta.url), ['--etcd-worker'], { execArgv: ['--import', 'tsx'] })
  return new Promise((resolve, reject) => {
    child.once('message', (rate: number) => resolve(rate))
    child.once('exit', (code) => reject(new Error(`etcd client exited with ${code}`)))
    child.send(puts)
  })
}

async function put({ server, seconds, bytes, keys }: Puts): Promise<number> {
  const client = new Etcd3({ hosts: server })
  const value = Buffer.alloc(bytes, 'x')
  const run = async (milliseconds: number) => {
    const end = performance.now() + milliseconds
    let count = 0
    const write = async () => {
      while (performance.now() < end) {
        const n = count++
        await client.put(`/bench/${process.pid}/${keys > 0 ? n % keys : n}`).value(value)
      }
    }
    await Promise.all(Array.from({ length: writers }, write))
    return count
  }
  await run(500)
  const began = performance.now()
  const count = await run(seconds * 1000)
  client.close()
  return (count * 1000) / (performance.now() - began)
}

async function fill(daemon: BenchDaemon): Promise<void> {
  const { fetch, close } = tlsFetch(daemon.url, daemon)
  const create = async (path: string, object: object) => {
    const response = await fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(object) })
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`)
    await response.arrayBuffer()
  }
  await create('/api/v1/namespaces', { metadata: { name: 'many' } })
  for (let from = 0; from < objects; from += 50)
    await Promise.all(Array.from({ length: 50 }, (_, i) => create(many, configMap(`object-${from + i}`))))
  close()
}

/** Measures all of these rows. */
export async function etcdRows(compare: Compare<Row>, seconds: number, port: number): Promise<Row[]> {
  const etcd = await startEtcd()
  const [server = ''] = etcd.servers
  const onEtcd = await startDaemon(port, [`--kvstore-servers=${server}`])
  const inMemory = await startDaemon(port + 1, ['--data-dir=:memory:'])
  const { cert, key } = onEtcd
  const bare = await startBare({ cert, key, answers: {} })
  const measure = async (daemon: BenchDaemon, options: Omit<LoadOptions, 'seconds' | 'url'>) => {
    const { url, ca, cert, key } = daemon
    const { requestsPerSecond, failures } = await load({ seconds, sleeps: true, url, ca, cert, key, ...options })
    if (failures > 0) throw new Error(`${failures} requests failed: ${options.method ?? 'GET'} ${options.path}`)
    return requestsPerSecond
  }
  try {
    await Promise.all([fill(onEtcd), fill(inMemory)])
    const body = JSON.stringify(configMap('{n}'))
    const json = { 'content-type': 'application/json' }
    const create = { method: 'POST', path: created, body, connections: writers, headers: json }
    const merge = { 'content-type': 'application/merge-patch+json' }
    const patch = JSON.stringify({ data: { changed: '{n}' } })
    const update = { method: 'PATCH', path: `${many}/object-{k}`, body: patch, connections: writers, headers: merge }
    const bytes = Buffer.byteLength(body)
    const read = (name: string, path: string, connections: number) =>
      compare(
        `${name}, on etcd : in memory`,
        '',
        () => measure(onEtcd, { path, connections }),
        () => measure(inMemory, { path, connections }),
      )
    return [
      await compare(
        `CREATE, ${writers} writers, durable on etcd`,
        "≥ 0.8 of etcd's client",
        () => measure(onEtcd, create),
        () => clientPuts({ server, seconds, bytes, keys: 0 }),
      ),
      await compare(
        `UPDATE, ${writers} writers, durable on etcd`,
        "≥ 0.8 of etcd's client",
        () => measure(onEtcd, update),
        () => clientPuts({ server, seconds, bytes, keys: objects }),
      ),
      await read('GET one config map', `${many}/object-1`, 32),
      await read('LIST 1,000', `${many}?labelSelector=app%3Dbench`, 8),
      await fanOut(inMemory, bare, { watchers: 1_000, events: 100, rounds: 1 }),
    ]
  } finally {
    bare.stop()
    await Promise.all([onEtcd.stop(), inMemory.stop()])
    await etcd.stop()
  }
}

if (process.argv.includes('--etcd-worker'))
  process.once('message', async (puts: Puts) => {
    const rate = await put(puts)
    process.send?.(rate, () => process.exit(0))
  })
