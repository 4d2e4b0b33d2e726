/** Patches of every type, and server-side apply, against large objects. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { faultsOf, type Prepare } from '../support/growth.ts'
import { type Bench, openBench } from './bench.ts'

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: Math.ceil(count) }, (_, index) => make(index))
const record = (count: number, make: (index: number) => unknown, key = 'k') =>
  Object.fromEntries(times(count, (index) => [`${key}${index}`, make(index)]))

const collections = {
  configmaps: '/api/v1/namespaces/default/configmaps',
  pods: '/api/v1/namespaces/default/pods',
  deployments: '/apis/apps/v1/namespaces/default/deployments',
}

const pod = (containers: unknown[], spec: object = {}) => ({ containers: [{ name: 'main', image: 'any' }, ...containers], ...spec })
const deployment = (containers: unknown[], metadata: object = {}, spec: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'patched', ...metadata },
  spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: pod(containers, spec) } },
})
const configMap = (data: object, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'patched', ...metadata },
  data,
})
const env = (count: number, value = 'v') => times(count, (index) => ({ name: `e${index}`, value }))
const tolerations = (count: number) => times(count, (index) => ({ key: `k${index}`, operator: 'Exists', effect: 'NoSchedule' }))
const managers = (count: number, each = 1) =>
  times(count, (index) => ({
    manager: `m${index}`,
    operation: index % 2 === 0 ? 'Apply' : 'Update',
    apiVersion: 'v1',
    time: '2026-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': record(each, () => ({}), `f:k${index}-`) },
  }))

interface Case {
  /** What is stored before; made for the size. */
  readonly stored: (bytes: number) => { kind: 'configmaps' | 'deployments'; object: object }
  readonly patch: (bytes: number) => unknown
  readonly type: 'json-patch+json' | 'merge-patch+json' | 'strategic-merge-patch+json' | 'apply-patch+yaml'
}

const small = () => ({ kind: 'configmaps', object: configMap({ a: 'b' }) }) as const
const largeMap = (bytes: number) => ({ kind: 'configmaps', object: configMap(record(Math.min(bytes, 600_000) / 16, () => 'v')) }) as const
const largeList = (bytes: number) =>
  ({ kind: 'deployments', object: deployment([{ name: 'second', image: 'any', env: env(Math.min(bytes, 600_000) / 30) }]) }) as const
const finalizers = (bytes: number) =>
  ({
    kind: 'configmaps',
    object: configMap({}, { finalizers: times(Math.min(bytes, 600_000) / 12, (index) => `e.com/${index}`) }),
  }) as const
const managed = (each: number) => (bytes: number) =>
  ({
    kind: 'configmaps',
    object: configMap({ a: 'b' }, { managedFields: managers(Math.min(bytes, 600_000) / (130 + 14 * each), each) }),
  }) as const

/** Operations until they have so many bytes; there may be 10,000. */
const operations = (bytes: number, make: (index: number) => object) =>
  times(Math.min(9_999, bytes / JSON.stringify(make(100)).length), make)
const secondEnv = '/spec/template/spec/containers/1/env'

const jsonPatches: { [name: string]: Omit<Case, 'type'> } = {
  'adds of members': {
    stored: small,
    patch: (bytes) => operations(bytes, (index) => ({ op: 'add', path: `/data/k${index}`, value: 'v' })),
  },
  'one large value': { stored: small, patch: (bytes) => [{ op: 'add', path: '/data', value: record(bytes / 14, () => 'v') }] },
  tests: { stored: largeMap, patch: (bytes) => operations(bytes, (index) => ({ op: 'test', path: `/data/k${index % 100}`, value: 'v' })) },
  'tests of a large value': { stored: largeMap, patch: (bytes) => operations(bytes, () => ({ op: 'test', path: '/data', value: {} })) },
  'copies of a large value': {
    stored: largeMap,
    patch: (bytes) => operations(bytes, (index) => ({ op: 'copy', from: '/data', path: `/x${index}` })),
  },
  'copies of copies': {
    stored: small,
    patch: (bytes) => operations(bytes, (index) => ({ op: 'copy', from: '/data', path: `/data/c${index}` })),
  },
  'a chain of moves': {
    stored: largeMap,
    patch: (bytes) => operations(bytes, (index) => ({ op: 'move', from: index === 0 ? '/data' : `/x${index - 1}`, path: `/x${index}` })),
  },
  'inserts at the front': {
    stored: finalizers,
    patch: (bytes) => operations(bytes, () => ({ op: 'add', path: '/metadata/finalizers/0', value: 'e.com/x' })),
  },
  'removals from the front': {
    stored: finalizers,
    patch: (bytes) => operations(bytes, () => ({ op: 'remove', path: '/metadata/finalizers/0' })),
  },
  'moves within a list': {
    stored: largeList,
    patch: (bytes) => operations(bytes, () => ({ op: 'move', from: `${secondEnv}/0`, path: `${secondEnv}/-` })),
  },
  'long paths': { stored: small, patch: (bytes) => [{ op: 'add', path: '/a'.repeat(bytes / 2), value: 1 }] },
  'escapes in paths': { stored: small, patch: (bytes) => [{ op: 'add', path: `/data/${'~1~0'.repeat(bytes / 4)}`, value: 'v' }] },
}

const mergePatches: { [name: string]: Omit<Case, 'type'> } = {
  'new members': { stored: small, patch: (bytes) => ({ data: record(bytes / 14, () => 'v') }) },
  'changed members': { stored: largeMap, patch: (bytes) => ({ data: record(bytes / 14, () => 'w') }) },
  'removed members': { stored: largeMap, patch: (bytes) => ({ data: record(bytes / 14, () => null) }) },
  'a list': { stored: finalizers, patch: (bytes) => ({ metadata: { finalizers: times(bytes / 12, (index) => `f.com/${index}`) } }) },
  'unknown fields': { stored: small, patch: (bytes) => record(bytes / 14, () => ({ a: null })) },
  'managed fields': { stored: largeMap, patch: (bytes) => ({ metadata: { managedFields: managers(bytes / 180, 4) } }) },
}

const inContainers = (containers: unknown, spec: object = {}) => ({ spec: { template: { spec: { containers, ...spec } } } })
const inEnv = (items: unknown[], more: object = {}) => inContainers([{ name: 'second', env: items, ...more }])
const strategicPatches: { [name: string]: Omit<Case, 'type'> } = {
  'changed items': { stored: largeList, patch: (bytes) => inEnv(env(bytes / 28, 'w')) },
  'deleted items': { stored: largeList, patch: (bytes) => inEnv(times(bytes / 34, (index) => ({ name: `e${index}`, $patch: 'delete' }))) },
  'replaced items': { stored: largeList, patch: (bytes) => inEnv([...env(bytes / 28), { $patch: 'replace' }]) },
  'an order of items': {
    stored: largeList,
    patch: (bytes) => inEnv([], { '$setElementOrder/env': times(bytes / 16, (index) => ({ name: `e${bytes - index}` })) }),
  },
  'an order and items': {
    stored: largeList,
    patch: (bytes) =>
      inEnv(env(bytes / 50, 'w'), {
        '$setElementOrder/env': times(bytes / 50, (index) => ({ name: `e${Math.ceil(bytes / 50) - 1 - index}` })),
      }),
  },
  'repeated items': { stored: largeList, patch: (bytes) => inEnv(times(bytes / 28, () => ({ name: 'e1', value: 'w' }))) },
  containers: { stored: largeList, patch: (bytes) => inContainers(times(bytes / 30, (index) => ({ name: `c${index}`, image: 'any' }))) },
  'values deleted from a list': {
    stored: finalizers,
    patch: (bytes) => ({ metadata: { '$deleteFromPrimitiveList/finalizers': times(bytes / 12, (index) => `e.com/${index}`) } }),
  },
  'values added to a list': {
    stored: finalizers,
    patch: (bytes) => ({ metadata: { finalizers: times(bytes / 12, (index) => `f.com/${index}`) } }),
  },
  'retained keys': {
    stored: largeList,
    patch: (bytes) => ({ spec: { strategy: { $retainKeys: times(bytes / 8, (index) => `k${index}`) } } }),
  },
  'an atomic list': { stored: largeList, patch: (bytes) => ({ spec: { template: { spec: { tolerations: tolerations(bytes / 60) } } } }) },
}

const applies: { [name: string]: Omit<Case, 'type'> } = {
  members: { stored: small, patch: (bytes) => configMap(record(bytes / 14, () => 'v')) },
  'members that others own': { stored: largeMap, patch: (bytes) => configMap(record(bytes / 14, () => 'w')) },
  'items with keys': { stored: largeList, patch: (bytes) => deployment([{ name: 'second', image: 'any', env: env(bytes / 28, 'w') }]) },
  containers: { stored: largeList, patch: (bytes) => deployment(times(bytes / 30, (index) => ({ name: `c${index}`, image: 'any' }))) },
  'repeated items': {
    stored: largeList,
    patch: (bytes) => deployment([{ name: 'second', env: times(bytes / 28, () => ({ name: 'e1', value: 'w' })) }]),
  },
  sets: { stored: finalizers, patch: (bytes) => configMap({}, { finalizers: times(bytes / 12, (index) => `e.com/${index}`) }) },
  'an atomic list': { stored: largeList, patch: (bytes) => deployment([], {}, { tolerations: tolerations(bytes / 60) }) },
  'beside many managers': { stored: managed(1), patch: (bytes) => configMap(record(bytes / 14, () => 'v')) },
  'beside managers of many fields': { stored: managed(400), patch: (bytes) => configMap(record(bytes / 14, () => 'v')) },
}

const cases = (type: Case['type'], rows: { [name: string]: Omit<Case, 'type'> }) =>
  Object.entries(rows).map(([name, row]): [string, Case] => [`${type}: ${name}`, { ...row, type }])

const all = [
  ...cases('json-patch+json', jsonPatches),
  ...cases('merge-patch+json', mergePatches),
  ...cases('strategic-merge-patch+json', strategicPatches),
  ...cases('apply-patch+yaml', applies),
]

for (const [name, { stored, patch, type }] of all)
  test(name, async () => {
    const prepare: Prepare = async (bytes) => {
      const { kind, object } = stored(bytes)
      const own = `${collections[kind]}/patched`
      await bench.send('PATCH', own, '{"metadata":{"finalizers":null}}', { 'content-type': 'application/merge-patch+json' })
      await bench.send('DELETE', own)
      const created = await bench.send('POST', collections[kind], JSON.stringify(object))
      assert.equal(created.status, 201, created.text.slice(0, 300))
      const body = JSON.stringify(patch(bytes))
      const query = type === 'apply-patch+yaml' ? 'dryRun=All&fieldManager=finder&force=true' : 'dryRun=All'
      return {
        // Both are read: the patch, and the object that it changes.
        bytes: body.length + JSON.stringify(object).length,
        work: () => bench.send('PATCH', `${own}?${query}`, body, { 'content-type': `application/${type}` }),
      }
    }
    assert.deepEqual(await faultsOf([[name, prepare]]), [])
  })
