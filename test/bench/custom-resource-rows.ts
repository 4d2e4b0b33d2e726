/** Rows for custom resources: compared with a config map of the same size, and many definitions of realistic size. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PooledFetch, tlsFetch } from '../support/tls-fetch.ts'
import { eventually } from '../support/wait.ts'
import type { Compare } from './api-rows.ts'
import { type BenchRequest, definitionOf, kinds, objectOf, requestsOf, widgets } from './custom-resource-requests.ts'
import { type BenchDaemon, processorSeconds, residentMemory, startDaemon } from './daemon.ts'
import { load } from './load.ts'
import { onBundle } from './loop-bundle.ts'
import type { Row } from './row.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const text = { type: 'string' }

/** About 60 KB of JSON, as in widely used projects. */
const largeSchema = {
  type: 'object',
  properties: {
    spec: { type: 'object', properties: fields(2, 7) },
    status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
}

function fields(depth: number, width: number): object {
  const description = 'What this field says about the thing that it is a field of, in a sentence of some length.'
  const leaf = (index: number) => ({ ...text, description: `${index}: ${description}`, maxLength: 63 })
  const group = () => ({ type: 'object', description, properties: fields(depth - 1, width) })
  return Object.fromEntries(Array.from({ length: width }, (_, index) => [`field${index}`, depth === 0 ? leaf(index) : group()]))
}

const size = Math.round(JSON.stringify(largeSchema).length / 1000)
const large = (index: number) => definitionOf(`kind${index}s`, `Kind${index}`, `group${index % 20}.example.com`, largeSchema)

async function post({ fetch }: PooledFetch, path: string, object: object): Promise<void> {
  const response = await fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(object) })
  const answer = await response.text()
  if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${answer}`)
}

/** Resolves when the definition is established. */
const established = (client: PooledFetch, { metadata }: typeof widgets) =>
  eventually(
    `${metadata.name} is established`,
    async () => (await (await client.fetch(`${definitions}/${metadata.name}`)).text()).includes('"InitialNamesAccepted"'),
    120_000,
  )

/** Each request compared with the same one for config maps. */
async function pairs(compare: Compare<Row>, seconds: number, daemon: BenchDaemon, client: PooledFetch): Promise<Row[]> {
  await post(client, definitions, widgets)
  await established(client, widgets)
  for (const each of kinds)
    for (let from = 0; from < 1000; from += 50)
      await Promise.all(Array.from({ length: 50 }, (_, index) => post(client, each.path, objectOf(each, `object-${from + index}`))))
  const { url, ca, cert, key, pid } = daemon
  /** Requests per second of the server's processor time. */
  async function measure({ type, ...request }: BenchRequest): Promise<number> {
    const headers = type === undefined ? {} : { headers: { 'content-type': type } }
    const before = processorSeconds(pid)
    const { requests, failures } = await load({ seconds, warmupSeconds: 0, connections: 16, url, ca, cert, key, ...request, ...headers })
    if (failures > 0) throw new Error(`${failures} requests failed: ${request.method ?? 'GET'} ${request.path}`)
    return requests / (processorSeconds(pid) - before)
  }
  const rows: Row[] = []
  for (const [name, request] of Object.entries(requestsOf)) {
    // In the first requests of a kind code is not compiled yet.
    for (const kind of kinds) await measure(request(kind))
    const [ours, limit] = kinds.map((kind) => () => measure(request(kind))) as [() => Promise<number>, () => Promise<number>]
    rows.push(await compare(`${name} of a custom resource : of a config map, per second of processor time`, '≥ 0.77', ours, limit))
  }
  return rows
}

/** The same in one process, without sockets. */
async function inProcess(): Promise<Row[]> {
  return onBundle('test/bench/custom-resource-loop.ts', (file) => {
    const best = JSON.parse(execFileSync(process.execPath, [file], { encoding: 'utf8' })) as { [row: string]: [number, number] }
    return Object.entries(best).map(([name, [ours, limit]]) => ({
      name: `CPU of ${name} in-process: a custom resource : a config map`,
      ours: `${ours.toFixed(0)} µs`,
      limit: `${limit.toFixed(0)} µs`,
      ratio: ours / limit,
      aim: '≤ 1.3',
    }))
  })
}

/** 100,000 objects of one custom kind. */
async function many(daemon: BenchDaemon, client: PooledFetch): Promise<Row[]> {
  const count = 100_000
  await post(client, definitions, widgets)
  await established(client, widgets)
  const before = residentMemory(daemon.pid)
  const [{ path }] = kinds
  let next = 0
  const began = performance.now()
  async function writer(): Promise<void> {
    while (next < count) await post(client, path, { ...objectOf(kinds[0], `object-${next++}`), data: { text: 'x'.repeat(200) } })
  }
  await Promise.all(Array.from({ length: 32 }, writer))
  const created = performance.now()
  const grown = residentMemory(daemon.pid) - before
  const list = await (await client.fetch(path)).text()
  const listed = performance.now()
  const watch = await client.fetch(
    `${path}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1`,
  )
  const events = (await watch.text()).split('"type":"ADDED"').length - 1
  const watched = performance.now()
  const all = `${count.toLocaleString('en')} custom resources`
  const found = list.split('"kind":"Widget"').length - 1
  if (found !== count || events !== count) throw new Error(`${found} listed, ${events} events`)
  return [
    { name: `CREATE of ${all}`, ours: `${((created - began) / 1000).toFixed(1)} s`, limit: '', aim: '' },
    { name: `memory of ${all} of ${(list.length / count / 1000).toFixed(1)} kB`, ours: `${grown.toFixed(0)} MiB`, limit: '', aim: '' },
    { name: `LIST of ${all}`, ours: `${((listed - created) / 1000).toFixed(1)} s`, limit: '', aim: '' },
    { name: `initial events of a watch of 1 s of ${all}`, ours: `${((watched - listed) / 1000).toFixed(1)} s`, limit: '', aim: '' },
  ]
}

/** Time to create this many definitions, until the last one is established. */
async function establish(count: number, client: PooledFetch, aim: string): Promise<Row> {
  const began = performance.now()
  for (let from = 0; from < count; from += 4)
    await Promise.all(Array.from({ length: Math.min(4, count - from) }, (_, index) => post(client, definitions, large(from + index))))
  for (let index = 0; index < count; index++) await established(client, large(index))
  const took = (performance.now() - began) / 1000
  return { name: `${count.toLocaleString('en')} definitions of ${size} KB established`, ours: `${took.toFixed(1)} s`, limit: '', aim }
}

/** Cost of a start with a thousand definitions. */
async function restart(daemon: BenchDaemon, client: PooledFetch, before: number): Promise<Row[]> {
  const { status } = await client.fetch('/apis/group1.example.com/v1/kind1s')
  if (status !== 200) throw new Error(`not served after a restart: ${status}`)
  const grown = residentMemory(daemon.pid) - before
  const after = `1,000 definitions of ${size} KB, after a restart`
  return [
    { name: `exec to serving ${after}`, ours: `${daemon.startMilliseconds.toFixed(0)} ms`, limit: '', aim: '< 3,000 ms' },
    { name: `memory of ${after}`, ours: `${grown.toFixed(0)} MiB`, limit: '', aim: '< 150 MiB' },
  ]
}

/** Measures all rows of this file. */
export async function customResourceRows(compare: Compare<Row>, seconds: number, port: number): Promise<Row[]> {
  async function on<T>(directory: string, work: (daemon: BenchDaemon, client: PooledFetch) => Promise<T>): Promise<T> {
    const daemon = await startDaemon(port, [`--data-dir=${directory}`])
    const client = tlsFetch(daemon.url, daemon)
    try {
      return await work(daemon, client)
    } finally {
      client.close()
      await daemon.stop()
    }
  }

  const directory = mkdtempSync(join(tmpdir(), 'apiserver-bench-definitions-'))
  try {
    const rows = [...(await inProcess()), ...(await on(':memory:', (daemon, client) => pairs(compare, seconds, daemon, client)))]
    rows.push(...(await on(':memory:', many)))
    rows.push(await on(':memory:', (_, client) => establish(112, client, '< 10 s')))
    const empty = await on(directory, async ({ pid }) => residentMemory(pid))
    rows.push(await on(directory, (_, client) => establish(1000, client, '< 60 s')))
    return [...rows, ...(await on(directory, (daemon, client) => restart(daemon, client, empty)))]
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
