/** Measurements over HTTP/2 as data: each row is a share of what a listener with fixed responses achieves. */
import type { Load } from './h2load.ts'

export interface WireRow {
  readonly name: string
  readonly limit: 'bare' | 'leanMany'
  /** Share of the limit. */
  readonly aim?: number
  /** Without origin and credentials. */
  readonly load: Omit<Load, 'origin'>
}

export const namespace = 'many'
/** Number of existing objects. */
export const objects = 1_000
const collection = `/api/v1/namespaces/${namespace}/configmaps`

export const configMap = (name?: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    ...(name === undefined ? { generateName: 'made-' } : { name }),
    labels: { app: 'bench', shard: String((name?.length ?? 0) % 7) },
  },
  data: { text: 'x'.repeat(800) },
})

/** This many objects, starting with number `from`. */
const some = (count: number, from: number, query = '') =>
  Array.from({ length: count }, (_, index) => `${collection}/object-${from + index}${query}`)

const patch = (name: string, from: number, type: string, body: object): WireRow => ({
  name,
  limit: 'bare',
  aim: 0.33,
  load: {
    paths: some(100, from),
    requests: 3_000,
    method: 'PATCH',
    headers: { 'content-type': `application/${type}+json` },
    body: JSON.stringify(body),
  },
})

const touched = { metadata: { annotations: { touched: 'yes' } } }
const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { labels: { applied: 'yes' } }, data: { more: '1' } }

export const wireRows: readonly WireRow[] = [
  { name: 'GET', limit: 'bare', aim: 1.5, load: { paths: some(50, 0), requests: 24_000 } },
  { name: 'LIST of 1,000', limit: 'leanMany', aim: 0.8, load: { paths: [collection], requests: 240 } },
  { name: 'LIST by label, 100', limit: 'bare', load: { paths: [`${collection}?labelSelector=shard%3D3&limit=100`], requests: 400 } },
  {
    name: 'CREATE',
    limit: 'bare',
    aim: 0.33,
    load: {
      paths: [`/api/v1/namespaces/made/configmaps`],
      requests: 4_000,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(configMap()),
    },
  },
  patch('merge PATCH', 100, 'merge-patch', touched),
  patch('strategic PATCH', 200, 'strategic-merge-patch', touched),
  patch('JSON PATCH', 300, 'json-patch', [{ op: 'add', path: '/metadata/annotations', value: touched.metadata.annotations }]),
  {
    name: 'server-side apply',
    limit: 'bare',
    aim: 0.27,
    load: {
      paths: some(100, 400, '?fieldManager=bench'),
      requests: 2_000,
      method: 'PATCH',
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: JSON.stringify(applied),
    },
  },
]
