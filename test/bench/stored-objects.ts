/** Data directories with many objects, written directly to the store. */

import { builtInRows } from '../../core/objects/registry/built-in.ts'
import { createObjectStore } from '../../core/objects/storage/object-store.ts'
import { createPlatform } from '../../core/platform.ts'
import { hubOf } from '../../core/resources/converter.ts'
import type { ApiObject, ResourceDefinition } from '../../core/resources/definition.ts'
import { builtInResources } from '../../core/resources/group-versions.ts'
import { nodeClock, nodeLogger } from '../../runtimes/node/start/ports.ts'
import { openDurableStore } from '../../runtimes/stores/durable.ts'
import { minimalObject } from '../support/minimal-objects.ts'

/** One definition for each stored kind, in its storage version. */
const storedRows: readonly ResourceDefinition[] = builtInRows(builtInResources, createPlatform()).filter(
  (row) => hubOf(row) === undefined && row.storageKey !== '',
)

export interface StoredObject {
  readonly row: ResourceDefinition
  readonly object: object
}

const rowOf = (kind: string): ResourceDefinition => {
  const row = storedRows.find((each) => each.kind === kind && each.group === '')
  if (row === undefined) throw new Error(`no ${kind}`)
  return row
}

const metadata = (row: ResourceDefinition, name: string) => ({
  name,
  ...(row.namespaced && { namespace: 'default' }),
  uid: crypto.randomUUID(),
  creationTimestamp: '2026-01-01T00:00:00Z',
  labels: { app: 'bench', 'pod-template-hash': '7d4b9c6f5' },
})

/** About 0.4 kB each. */
export function* configMaps(count: number): Generator<StoredObject> {
  const row = rowOf('ConfigMap')
  for (let index = 0; index < count; index++)
    yield { row, object: { metadata: metadata(row, `config-${index}`), data: { text: 'x'.repeat(130) } } }
}

/** About 1 kB each. */
export function* pods(count: number): Generator<StoredObject> {
  const row = rowOf('Pod')
  const container = {
    name: 'web',
    image: 'registry.example.com/team/web:v1.2.3',
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    env: Array.from({ length: 5 }, (_, index) => ({ name: `SETTING_${index}`, value: `value-${index}` })),
    resources: { limits: { memory: '128Mi' }, requests: { cpu: '100m', memory: '64Mi' } },
    readinessProbe: { httpGet: { path: '/ready', port: 8080, scheme: 'HTTP' }, periodSeconds: 5 },
  }
  for (let index = 0; index < count; index++) {
    const spec = { nodeName: `node-${index % 1000}`, containers: [container], restartPolicy: 'Always', schedulerName: 'default-scheduler' }
    const status = { phase: 'Running', podIP: '10.1.2.3', startTime: '2026-01-01T00:00:00Z' }
    yield { row, object: { metadata: metadata(row, `pod-${index}`), spec, status } }
  }
}

/** This many objects of each built-in kind except definitions, which have their own rows. */
export function* ofEveryKind(each: number): Generator<StoredObject> {
  for (const row of storedRows) {
    if (row.kind === 'CustomResourceDefinition') continue
    for (let index = 0; index < each; index++) {
      const name = `bench-${index}`
      yield { row, object: { ...minimalObject(row, name), metadata: metadata(row, name) } }
    }
  }
}

/** Number of concurrent writers. */
const atATime = 32

/** Writes objects into a new data directory. Resolves to their number and mean size in bytes. */
export async function writeObjects(directory: string, objects: Iterable<StoredObject>): Promise<{ count: number; size: number }> {
  const store = await openDurableStore({ directory, clock: nodeClock, logger: nodeLogger(0) })
  const stores = new Map(storedRows.map((row) => [row, createObjectStore(store, row, '/registry')]))
  let [count, bytes] = [0, 0]
  let waiting: Promise<unknown>[] = []
  for (const { row, object } of objects) {
    const { canonical, print, put } = stores.get(row) ?? createObjectStore(store, row, '/registry')
    const { kind, group, version } = row
    const printed = print(canonical({ kind, apiVersion: group ? `${group}/${version}` : version, ...object } as ApiObject))
    const { namespace = '', name = '' } = printed.object.metadata
    waiting.push(put({ namespace, name }, printed, 0))
    count++
    bytes += printed.bytes.length
    if (waiting.length < atATime) continue
    await Promise.all(waiting)
    waiting = []
  }
  await Promise.all(waiting)
  await store.close()
  return { count, size: bytes / count }
}
