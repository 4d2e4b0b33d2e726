/** Rows about custom resources: one of them against a config map of the same size, and many definitions of real size. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PooledFetch, tlsFetch } from '../support/tls-fetch.ts'
import { eventually } from '../support/wait.ts'
import type { Compare } from './api-rows.ts'
import { type BenchDaemon, residentMemory, startDaemon } from './daemon.ts'
import { type LoadOptions, load } from './load.ts'
import type { Row } from './row.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const text = { type: 'string' }

/** As large as those of projects that are much used: about 60 KB of JSON. */
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

const definitionOf = (plural: string, kind: string, group: string, openAPIV3Schema: object) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural, kind },
    versions: [{ name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema } }],
  },
})

const size = Math.round(JSON.stringify(largeSchema).length / 1000)
const large = (index: number) => definitionOf(`kind${index}s`, `Kind${index}`, `group${index % 20}.example.com`, largeSchema)

const widgets = definitionOf('widgets', 'Widget', 'bench.example.com', {
  type: 'object',
  properties: { data: { type: 'object', additionalProperties: text } },
})

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

/** Each request against the same one of config maps. */
async function pairs(compare: Compare<Row>, seconds: number, daemon: BenchDaemon, client: PooledFetch): Promise<Row[]> {
  await post(client, definitions, widgets)
  await established(client, widgets)
  const kinds = [
    { path: '/apis/bench.example.com/v1/namespaces/default/widgets', apiVersion: 'bench.example.com/v1', kind: 'Widget' },
    { path: '/api/v1/namespaces/default/configmaps', apiVersion: 'v1', kind: 'ConfigMap' },
  ] as const
  const objectOf = ({ apiVersion, kind }: (typeof kinds)[number], name: string) => ({
    apiVersion,
    kind,
    metadata: { name, labels: { app: 'bench' } },
    data: { text: 'x'.repeat(700) },
  })
  for (const each of kinds)
    for (let from = 0; from < 1000; from += 50)
      await Promise.all(Array.from({ length: 50 }, (_, index) => post(client, each.path, objectOf(each, `object-${from + index}`))))
  const { url, ca, cert, key } = daemon
  const measure = async (options: Omit<LoadOptions, 'seconds' | 'url'>) => {
    const { requestsPerSecond, failures } = await load({ seconds, url, ca, cert, key, ...options })
    if (failures > 0) throw new Error(`${failures} requests failed: ${options.method ?? 'GET'} ${options.path}`)
    return requestsPerSecond
  }
  const both = (request: (kind: (typeof kinds)[number]) => Omit<LoadOptions, 'seconds' | 'url'>) =>
    [() => measure(request(kinds[0])), () => measure(request(kinds[1]))] as const
  // The first requests of a kind run code that is not compiled yet.
  for (const { path } of kinds) for (let round = 0; round < 3; round++) await measure({ path: `${path}/object-1`, connections: 32 })
  const aim = '≥ 0.77'
  return [
    await compare('GET a custom resource : a config map', aim, ...both(({ path }) => ({ path: `${path}/object-1`, connections: 32 }))),
    await compare(
      'LIST 1,000 custom resources : config maps',
      aim,
      ...both(({ path }) => ({ path: `${path}?labelSelector=app%3Dbench`, connections: 8 })),
    ),
    await compare(
      'CREATE a custom resource : a config map',
      aim,
      ...both((kind) => ({
        path: kind.path,
        method: 'POST',
        body: JSON.stringify({ ...objectOf(kind, '{n}'), metadata: { generateName: 'made-' } }),
        connections: 32,
        headers: { 'content-type': 'application/json' },
      })),
    ),
  ]
}

/** How long so many definitions take, until the last one is established. */
async function establish(count: number, client: PooledFetch, aim: string): Promise<Row> {
  const began = performance.now()
  for (let from = 0; from < count; from += 4)
    await Promise.all(Array.from({ length: Math.min(4, count - from) }, (_, index) => post(client, definitions, large(from + index))))
  for (let index = 0; index < count; index++) await established(client, large(index))
  const took = (performance.now() - began) / 1000
  return { name: `${count.toLocaleString('en')} definitions of ${size} KB established`, ours: `${took.toFixed(1)} s`, limit: '', aim }
}

/** What a thousand definitions cost a server that starts where they are. */
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

/** Measures all of these rows. */
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
    const rows = await on(':memory:', (daemon, client) => pairs(compare, seconds, daemon, client))
    rows.push(await on(':memory:', (_, client) => establish(112, client, '< 10 s')))
    const empty = await on(directory, async ({ pid }) => residentMemory(pid))
    rows.push(await on(directory, (_, client) => establish(1000, client, '< 60 s')))
    return [...rows, ...(await on(directory, (daemon, client) => restart(daemon, client, empty)))]
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
