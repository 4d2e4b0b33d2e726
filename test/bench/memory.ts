/**
 * Memory for 100,000 pods: `node --expose-gc --import tsx test/bench/memory.ts [count]`. Measures the watch cache alone,
 * over a store that generates its objects and keeps none; the embedded store alone; and lists by node, which use an
 * index of the cache.
 */

import { Pauses } from '../../core/common/slices.ts'
import { createCodec } from '../../core/objects/storage/codec.ts'
import { createObjectStore } from '../../core/objects/storage/object-store.ts'
import { createWatchCache } from '../../core/objects/watch/cache.ts'
import { createPlatform } from '../../core/platform.ts'
import type { KeyValue, KeyValueStore, ListOptions } from '../../core/ports.ts'
import { bind } from '../../core/resources/bind.ts'
import type { ApiObject } from '../../core/resources/definition.ts'
import { builtInResources } from '../../core/resources/group-versions.ts'
import { memoryStore } from '../../runtimes/stores/memory.ts'
import { webClock } from '../../runtimes/web/ports.ts'
import { silentLogger } from '../support/logger.ts'

const count = Number(process.argv[2] ?? 100_000)
const nodes = 1_000
const prefix = '/registry/pods/default/'
const { gc } = globalThis
if (gc === undefined) throw new Error('start it with --expose-gc')

const row = builtInResources.find(({ kind, version }) => kind === 'Pod' && version === 'v1')
if (row === undefined) throw new Error('no pods')
const definition = bind(row, createPlatform())
const codec = createCodec(definition)
const nameOf = (index: number) => `pod-${String(index).padStart(7, '0')}`
const nodeOf = (index: number) => `node-${index % nodes}`

/** A pod of about 1.5 KB of JSON. */
function pod(index: number): ApiObject {
  const container = {
    name: 'web',
    image: 'registry.example.com/team/web:v1.2.3',
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    env: Array.from({ length: 14 }, (_, i) => ({ name: `SETTING_${i}`, value: `value-${index}-${i}` })),
    resources: { limits: { memory: '128Mi' }, requests: { cpu: '100m', memory: '64Mi' } },
    readinessProbe: { httpGet: { path: '/ready', port: 8080, scheme: 'HTTP' }, periodSeconds: 5 },
    volumeMounts: [{ name: 'data', mountPath: '/data' }],
  }
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name: nameOf(index),
      namespace: 'default',
      uid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { app: `app-${index % 50}`, 'pod-template-hash': '7d4b9c6f5' },
      annotations: { 'example.com/checksum': 'c0ffee'.repeat(8) },
    },
    spec: { nodeName: nodeOf(index), containers: [container], volumes: [{ name: 'data', emptyDir: {} }], restartPolicy: 'Always' },
    status: { phase: 'Running', podIP: '10.1.2.3', startTime: '2026-01-01T00:00:00Z' },
  } as ApiObject
}

const printed = (index: number) => codec.store(codec.print(codec.canonical(pod(index))))

/** A store that generates the requested objects. */
function imaginary(): KeyValueStore {
  const kv = (index: number): KeyValue => ({
    key: prefix + nameOf(index),
    value: printed(index),
    createRevision: index + 2,
    modRevision: index + 2,
  })
  return {
    ...memoryStore(),
    currentRevision: async () => count + 1,
    watch: () => ({ close() {}, requestProgress() {} }),
    async list({ from = '', limit = count }: ListOptions) {
      const start = from.startsWith(prefix) ? Number(from.slice(prefix.length + 4, -1)) + 1 : 0
      const end = Math.min(start + limit, count)
      const items = Array.from({ length: end - start }, (_, i) => kv(start + i))
      return { items, more: end < count, remaining: count - end, revision: count + 1 }
    },
  }
}

interface Memory {
  readonly heap: number
  readonly external: number
  readonly resident: number
}

async function settled(): Promise<Memory> {
  for (let i = 0; i < 3; i++) {
    gc?.()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  return { heap: heapUsed, external, resident: rss }
}

async function grown<T>(what: string, build: () => Promise<T>): Promise<T> {
  const before = await settled()
  const built = await build()
  const after = await settled()
  const each = (of: keyof Memory) => Math.round((after[of] - before[of]) / count)
  console.log(`| ${what} | ${each('heap')} | ${each('external')} | ${each('heap') + each('external')} | ${each('resident')} |`)
  return built
}

async function timed(what: string, run: () => Promise<{ readonly entries: readonly unknown[] }>): Promise<void> {
  const began = performance.now()
  const { entries } = await run()
  console.log(`${what}: ${entries.length} of ${count} objects in ${(performance.now() - began).toFixed(2)} ms`)
}

console.log(`${count} pods of ${printed(12_345).length} bytes, node ${process.version}\n`)
console.log('| bytes for each object | heap | external | both | resident |\n| --- | --- | --- | --- | --- |')
const store = imaginary()
const cache = createWatchCache({
  objects: createObjectStore(store, definition, '/registry'),
  store,
  clock: webClock,
  logger: silentLogger,
  pauses: new Pauses(webClock),
})
await grown('watch cache', () => cache.list({ namespace: '', limit: 1 }))
const read = (object: ApiObject) => (object as { spec?: { nodeName?: string } }).spec?.nodeName ?? ''
const onNode = (value: string) => ({
  namespace: '',
  indexed: { field: 'spec.nodeName', value, read },
  matches: (entry: { field(name: string, read: (object: ApiObject) => string): string }) => entry.field('spec.nodeName', read) === value,
})
await grown('+ index by node', () => cache.list(onNode('node-1')))
await grown('+ labels looked at', () => cache.list({ namespace: '', matches: ({ labels }) => labels['app'] === 'app-1' }))
const embedded = memoryStore()
await grown('embedded store', async () => {
  for (let from = 0; from < count; from += 1_000)
    await Promise.all(
      Array.from({ length: Math.min(1_000, count - from) }, (_, i) => embedded.put(prefix + nameOf(from + i), printed(from + i), 0)),
    )
})
console.log('')
await timed('list by node, index', () => cache.list(onNode('node-7')))
const { indexed: _indexed, ...scan } = onNode('node-7')
await timed('list by node, full scan', () => cache.list(scan))
await timed('list by label, full scan', () => cache.list({ namespace: '', matches: ({ labels }) => labels['app'] === 'app-2' }))
await timed('list of all', () => cache.list({ namespace: '' }))
