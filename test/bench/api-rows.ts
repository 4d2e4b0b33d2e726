/** Rows for patches, applies, tables and protobuf. The store is in memory, so that the disk does not count. */
import { createPlatform } from '../../core/platform.ts'
import { bind } from '../../core/resources/bind.ts'
import { builtInResources } from '../../core/resources/group-versions.ts'
import { listSchemaOf } from '../../core/resources/list.ts'
import type { JsonObject, Message } from '../../core/schema/model.ts'
import { decodeProtobuf, encodeProtobuf } from '../../core/schema/protobuf/protobuf.ts'
import { tlsFetch } from '../support/tls-fetch.ts'
import { type BareAnswer, startBare } from './bare.ts'
import { startDaemon } from './daemon.ts'
import { type LoadOptions, load } from './load.ts'

/** Alternates between two measurements in operations per second, and makes a row of their ratio. */
export type Compare<Row> = (name: string, aim: string, ours: () => Promise<number>, limit: () => Promise<number>) => Promise<Row>

const namespace = '/api/v1/namespaces/pods'
const labels = { app: 'bench', 'pod-template-hash': '7d4b9c6f5' }

/** A pod as created for a deployment. */
const pod = (name: string) => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name, labels, annotations: { 'example.com/checksum': 'c0ffee'.repeat(8) } },
  spec: {
    containers: ['web', 'side'].map((container) => ({
      name: container,
      image: `registry.example.com/team/${container}:v1.2.3`,
      ports: [{ name: 'http', containerPort: 8080 }],
      env: [
        { name: 'MODE', value: 'production' },
        { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
      ],
      resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
      readinessProbe: { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 5 },
      volumeMounts: [{ name: 'data', mountPath: '/data' }],
    })),
    volumes: [{ name: 'data', emptyDir: {} }],
    tolerations: [{ key: 'example.com/spot', operator: 'Exists', effect: 'NoSchedule' }],
  },
})

const deployment = {
  kind: 'Deployment',
  apiVersion: 'apps/v1',
  metadata: { name: 'web' },
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod('web').spec } },
}
const changed = { metadata: { annotations: { changed: '{n}' } } }
const container = { name: 'web', image: 'registry.example.com/team/web:{n}' }
const strategic = { spec: { template: { spec: { containers: [container] } } } }
const applied = {
  kind: 'Deployment',
  apiVersion: 'apps/v1',
  ...changed,
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } },
}

interface Case {
  readonly name: string
  readonly aim: string
  readonly path: string
  readonly connections: number
  readonly method?: string
  readonly headers: Record<string, string>
  readonly body?: string
}

const protobuf = createPlatform().protobufType
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json'
const web = '/apis/apps/v1/namespaces/pods/deployments/web'
const cases: readonly Case[] = [
  {
    name: 'PATCH (strategic) a deployment',
    aim: '',
    path: web,
    connections: 8,
    method: 'PATCH',
    headers: { 'content-type': 'application/strategic-merge-patch+json' },
    body: JSON.stringify(strategic),
  },
  {
    name: 'server-side apply of a deployment',
    aim: '',
    path: `${web}?fieldManager=bench&force=true`,
    connections: 8,
    method: 'PATCH',
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: JSON.stringify(applied),
  },
  { name: 'LIST 1,000 pods as Table', aim: '', path: `${namespace}/pods?a=table`, connections: 8, headers: { accept: table } },
  { name: 'GET a pod, protobuf', aim: '', path: `${namespace}/pods/pod-0`, connections: 32, headers: { accept: protobuf } },
  { name: 'LIST 1,000 pods, protobuf', aim: '', path: `${namespace}/pods?a=protobuf`, connections: 8, headers: { accept: protobuf } },
]

/** Calls of a function per second. */
async function rate(seconds: number, run: () => unknown): Promise<number> {
  const end = performance.now() + seconds * 1000
  const began = performance.now()
  let count = 0
  for (; performance.now() < end; count++) run()
  return (count * 1000) / (performance.now() - began)
}

/** Protobuf against JSON in this process: a stored pod, and a list of a thousand. */
async function codecRows<Row>(compare: Compare<Row>, seconds: number, stored: JsonObject): Promise<Row[]> {
  const definition = builtInResources.find(({ kind, version }) => kind === 'Pod' && version === 'v1')
  if (definition === undefined) throw new Error('no pods')
  const bound = bind(definition, createPlatform())
  const list = { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: Array<JsonObject>(1000).fill(stored) }
  const values: readonly (readonly [what: string, schema: Message, value: JsonObject])[] = [
    ['a pod', bound.schema, stored],
    ['1,000 pods', listSchemaOf(bound), list],
  ]
  const rows: Row[] = []
  for (const [what, schema, value] of values) {
    const bytes = encodeProtobuf(schema, value)
    const text = JSON.stringify(value)
    const measure = (run: () => unknown) => () => rate(seconds, run)
    const encoders = [measure(() => encodeProtobuf(schema, value)), measure(() => JSON.stringify(value))] as const
    rows.push(await compare(`encode ${what}, protobuf : JSON`, '', ...encoders))
    const decoders = [measure(() => decodeProtobuf(schema, bytes)), measure(() => JSON.parse(text) as unknown)] as const
    rows.push(await compare(`decode ${what}, protobuf : JSON`, '', ...decoders))
  }
  return rows
}

/** Lists per second, with all objects changed before each list. */
async function changedLists(accept: string, changeAll: () => Promise<void>, list: (accept: string) => Promise<unknown>): Promise<number> {
  await changeAll()
  const began = performance.now()
  await list(accept)
  return 1000 / (performance.now() - began)
}

/** Measures all rows of this file; the limit of a request is the bare listener with the same response. */
export async function apiRows<Row>(compare: Compare<Row>, seconds: number, port: number): Promise<Row[]> {
  const daemon = await startDaemon(port, ['--data-dir=:memory:'])
  const { url, ca, cert, key } = daemon
  const { fetch, close } = tlsFetch(url, { ca, cert, key })
  const send = async (path: string, { method = 'GET', headers = {}, body }: Partial<Case>) => {
    const response = await fetch(path, { method, headers: { 'content-type': 'application/json', ...headers }, ...(body && { body }) })
    const bytes = Buffer.from(await response.arrayBuffer())
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${bytes}`)
    const { 'transfer-encoding': _, ...headersOf } = Object.fromEntries(response.headers) as Record<string, string>
    return { headers: headersOf, bytes }
  }
  const create = (path: string, object: object) => send(path, { method: 'POST', body: JSON.stringify(object) })
  const rows: Row[] = []
  try {
    await create('/api/v1/namespaces', { metadata: { name: 'pods' } })
    await create('/apis/apps/v1/namespaces/pods/deployments', deployment)
    for (let from = 0; from < 1000; from += 50)
      await Promise.all(Array.from({ length: 50 }, (_, i) => create(`${namespace}/pods`, pod(`pod-${from + i}`))))
    const answers: Record<string, BareAnswer> = {}
    for (const each of cases) {
      const { headers, bytes } = await send(each.path, each)
      answers[each.path] = { headers, body: bytes.toString('latin1'), encoding: 'latin1' }
    }
    const bare = await startBare({ cert, key, answers })
    const measure = async (options: Omit<LoadOptions, 'seconds'>) => {
      const { requestsPerSecond, failures } = await load({ seconds, cert, key, ...options })
      if (failures > 0) throw new Error(`${failures} requests failed: ${options.method ?? 'GET'} ${options.path}`)
      return requestsPerSecond
    }
    for (const { name, aim, ...request } of cases)
      rows.push(
        await compare(
          name,
          aim,
          () => measure({ ...request, url, ca }),
          () => measure({ ...request, url: bare.url }),
        ),
      )
    bare.stop()
    let change = 0
    const changeAll = async () => {
      change++
      const body = JSON.stringify({ metadata: { labels: { change: `${change}` } } })
      const headers = { 'content-type': 'application/merge-patch+json' }
      for (let from = 0; from < 1000; from += 50)
        await Promise.all(
          Array.from({ length: 50 }, (_, i) => send(`${namespace}/pods/pod-${from + i}`, { method: 'PATCH', headers, body })),
        )
    }
    const list = (accept: string) => send(`${namespace}/pods`, { headers: { accept } })
    rows.push(
      await compare(
        'LIST 1,000 changed pods, Table : JSON',
        '≥ 0.3',
        () => changedLists(table, changeAll, list),
        () => changedLists('application/json', changeAll, list),
      ),
    )
    const { bytes } = await send(`${namespace}/pods/pod-0`, {})
    rows.push(...(await codecRows(compare, seconds, JSON.parse(bytes.toString()) as JsonObject)))
  } finally {
    close()
    await daemon.stop()
  }
  return rows
}
