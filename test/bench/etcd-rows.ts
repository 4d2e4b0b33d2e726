/** Rows with etcd as the store: durable writes compared with etcd's client, reads compared with the store in memory, fan-out. */
import { startEtcd } from '../support/etcd.ts'
import { tlsFetch } from '../support/tls-fetch.ts'
import type { Compare } from './api-rows.ts'
import { startBare } from './bare.ts'
import { type BenchDaemon, startDaemon } from './daemon.ts'
import { clientPuts, clientSwaps, startPuttingListener, warmupSeconds } from './etcd-client.ts'
import { type LoadOptions, load } from './load.ts'
import type { Row } from './row.ts'
import { fanOut } from './watchers.ts'

const writers = 32
const objects = 1_000
/** The collection used by `fanOut`. */
const many = '/api/v1/namespaces/many/configmaps'
const created = '/api/v1/namespaces/default/configmaps'
const configMap = (name: string, text = '') => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name, labels: { app: 'bench' } },
  data: { text: text.padEnd(700, 'x') },
})

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

/** Measures all rows of this file. */
export async function etcdRows(compare: Compare<Row>, seconds: number, port: number): Promise<Row[]> {
  const etcd = await startEtcd()
  const [server = ''] = etcd.servers
  // A separate etcd, because the daemon watches all writes to its own.
  const other = await startEtcd()
  const [otherServer = ''] = other.servers
  const onEtcd = await startDaemon(port, [`--kvstore-servers=${server}`])
  const inMemory = await startDaemon(port + 1, ['--data-dir=:memory:'])
  const { cert, key } = onEtcd
  const bare = await startBare({ cert, key, answers: {} })
  const putting = { cert, key, ...(await startPuttingListener({ server: otherServer, cert, key })) }
  const measure = async (target: Pick<LoadOptions, 'url' | 'ca' | 'cert' | 'key'>, options: Omit<LoadOptions, 'seconds' | 'url'>) => {
    const { url, ca, cert, key } = target
    const credentials = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) }
    const { requestsPerSecond, failures } = await load({ seconds, warmupSeconds, sleeps: true, url, ...credentials, ...options })
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
    const one = `${many}/object-{k}`
    const update = { method: 'PUT', path: one, body: JSON.stringify(configMap('object-{k}', '{n}')), connections: writers, headers: json }
    const merged = { method: 'PATCH', path: one, body: patch, connections: writers, headers: merge }
    const bytes = Buffer.byteLength(body)
    const puts = (keys: number) => () => clientPuts({ server: otherServer, writers, seconds, bytes, keys })
    const swaps = (keys: number) => () => clientSwaps({ server: otherServer, writers, seconds, bytes, keys })
    const read = (name: string, path: string, connections: number) =>
      compare(
        `${name}, on etcd : in memory`,
        '',
        () => measure(onEtcd, { path, connections }),
        () => measure(inMemory, { path, connections }),
      )
    for (const write of [create, update, merged]) await measure(onEtcd, write)
    return [
      await compare(`CREATE, ${writers} writers, durable on etcd`, "≥ 0.8 of etcd's client", () => measure(onEtcd, create), puts(0)),
      await compare(`UPDATE, ${writers} writers, durable on etcd`, "≥ 0.8 of etcd's client", () => measure(onEtcd, update), puts(objects)),
      await compare(`PATCH, ${writers} writers, durable on etcd : etcd's client`, '', () => measure(onEtcd, merged), puts(objects)),
      await compare(`CREATE, ${writers} writers, on etcd : its transactions alone`, '', () => measure(onEtcd, create), swaps(0)),
      await compare(`UPDATE, ${writers} writers, on etcd : its transactions alone`, '', () => measure(onEtcd, update), swaps(objects)),
      await compare(
        `CREATE, ${writers} writers, on etcd : bare TLS listener and etcd's client`,
        '',
        () => measure(onEtcd, create),
        () => measure(putting, create),
      ),
      await read('GET one config map (≥ 0.9)', `${many}/object-1`, 32),
      await read('LIST 1,000 (≥ 0.9)', `${many}?labelSelector=app%3Dbench`, 8),
      await fanOut(inMemory, bare, { watchers: 1_000, events: 100, rounds: 1 }),
    ]
  } finally {
    bare.stop()
    putting.stop()
    await Promise.all([onEtcd.stop(), inMemory.stop()])
    await Promise.all([etcd.stop(), other.stop()])
  }
}
