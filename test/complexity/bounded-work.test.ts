/** Requests that once kept the server busy for seconds, or ended the process: each is answered in bounded time, in bounded bytes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BinaryWriter } from '@bufbuild/protobuf/wire'
import type { Status } from '../../core/answers/status.ts'
import { bindFieldSelector, parseFieldSelector } from '../../core/request/field-selector.ts'
import { parseLabelSelector } from '../../core/request/label-selector.ts'
import { encodeEnvelope } from '../../core/schema/protobuf/protobuf.ts'
import { type Answer, configMap } from '../support/api.ts'
import { processorTime, slowness } from '../support/cost.ts'
import { serverForTests } from '../support/in-process.ts'

/** Milliseconds of processor time; the requests took from two seconds to minutes. */
const limit = 1_000
const largestAnswer = 512 * 1024

const api = serverForTests({ controllers: [], admissionPlugins: { disable: ['ServiceAccount'] } })

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index))

/** The answer, which must have come within the limit. */
async function quickly<T>(send: () => Promise<Answer<T>>): Promise<Answer<T>> {
  const { result, milliseconds } = await processorTime(send)
  assert.ok(
    milliseconds < (milliseconds < limit ? limit : limit * (await slowness())),
    `took ${Math.round(milliseconds)} ms of processor time`,
  )
  assert.ok(JSON.stringify(result.body).length < largestAnswer, `answered ${JSON.stringify(result.body).length} characters`)
  return result
}

async function refused(path: string, body: unknown, code: number, headers: HeadersInit = {}): Promise<string> {
  const { status, body: answer } = await quickly(() => api.send<Status>('POST', path, body, headers))
  assert.equal(status, code, JSON.stringify(answer).slice(0, 500))
  return answer.message ?? ''
}

const configMaps = '/api/v1/namespaces/default/configmaps'
const pods = '/api/v1/namespaces/default/pods'
const pod = (spec: object) => ({ metadata: { name: 'bounded' }, spec: { containers: [{ name: 'main', image: 'any' }], ...spec } })
const withVolume = (source: object) => pod({ volumes: [{ name: 'one', ...source }] })

test('owners that all control', async () => {
  const ownerReferences = times(4_000, (index) => ({ apiVersion: 'v1', kind: 'Pod', name: `o${index}`, uid: `${index}`, controller: true }))
  const message = await refused(configMaps, configMap('owned', {}, { ownerReferences }), 422)
  assert.match(message, /Only one reference can have Controller set to true/)
  assert.match(message, /<nil>: Too many: only the first errors are shown\]$/)
})

test('a registry of commas', async () => {
  assert.match(await refused(pods, withVolume({ quobyte: { registry: ','.repeat(80_000), volume: 'any' } }), 422), /quobyte.registry/)
})

test('a definition with 50,000 keys of list items', async () => {
  const keys = times(50_000, (index) => `k${index}`)
  const list = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys, items: { type: 'object' } }
  const schema = { openAPIV3Schema: { type: 'object', properties: { list } } }
  const spec = {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema }],
  }
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  assert.match(
    await refused(path, { metadata: { name: 'widgets.example.com' }, spec }, 422),
    /entries must all be names of item properties/,
  )
})

test('a wrong type behind a million strings, or tens of thousands of items', async () => {
  const strings = `"",`.repeat(1_000_000)
  const text = JSON.stringify(pod({ containers: [{ name: 'main', image: 'any', command: ['PLACE'] }] })).replace('"PLACE"', `${strings}5`)
  assert.match(await refused(pods, text, 400, { 'content-type': 'application/json' }), /Container.spec.containers.command of type string/)
  const containers = [...times(40_000, () => ({})), 5]
  assert.match(await refused(pods, pod({ containers }), 400), /PodSpec.spec.containers of type v1.Container/)
})

const tooMany = /exceeded 100000 objects and entries of maps/

test('empty claims of a stateful set: three bytes each in JSON, two in protobuf', async () => {
  const path = '/apis/apps/v1/namespaces/default/statefulsets'
  const set = { metadata: { name: 'many' }, spec: { volumeClaimTemplates: times(900_000, () => ({})) } }
  const refusal = /exceeded 50000 absent parts that are filled in/
  assert.match(await refused(path, set, 400), refusal)
  const claims = Uint8Array.from({ length: 2_000_000 }, (_, at) => (at % 2 === 0 ? (4 << 3) | 2 : 0))
  const spec = new BinaryWriter().uint32((2 << 3) | 2).bytes(claims)
  const body = encodeEnvelope('apps/v1', 'StatefulSet', spec.finish()) as Uint8Array<ArrayBuffer>
  const headers = { 'content-type': 'application/vnd.kubernetes.protobuf', accept: 'application/json' }
  const answer = await quickly(async () => {
    const response = await api.fetch(path, { method: 'POST', body, headers })
    return { status: response.status, headers: response.headers, body: (await response.json()) as Status }
  })
  assert.equal(answer.status, 400)
  // The reader of protobuf counts the items, before anything is filled in.
  assert.match(answer.body.message ?? '', tooMany)
})

/** Two-byte items without content, around which nested messages are wrapped. */
function emptyItems(tag: number, ...around: readonly number[]): Uint8Array {
  let bytes: Uint8Array = Uint8Array.from({ length: 3_000_000 }, (_, at) => (at % 2 === 0 ? (tag << 3) | 2 : 0))
  for (const outer of around)
    bytes = new BinaryWriter()
      .uint32((outer << 3) | 2)
      .bytes(bytes)
      .finish()
  return bytes
}

test('a million and a half items without content in protobuf', async () => {
  const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles'
  const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  const bodies: readonly (readonly [path: string, apiVersion: string, kind: string, bytes: Uint8Array])[] = [
    [pods, 'v1', 'Pod', emptyItems(1, 2)],
    [pods, 'v1', 'Pod', emptyItems(7, 2, 2)],
    ['/api/v1/namespaces/default/services', 'v1', 'Service', emptyItems(1, 2)],
    [roles, 'rbac.authorization.k8s.io/v1', 'Role', emptyItems(2)],
    [definitions, 'apiextensions.k8s.io/v1', 'CustomResourceDefinition', emptyItems(7, 2)],
    [reviews, 'authorization.k8s.io/v1', 'SelfSubjectAccessReview', emptyItems(2, 9, 1, 2)],
    [configMaps, 'v1', 'ConfigMap', emptyItems(2)],
  ]
  const headers = { 'content-type': 'application/vnd.kubernetes.protobuf', accept: 'application/json' }
  for (const [path, apiVersion, kind, bytes] of bodies) {
    const body = encodeEnvelope(apiVersion, kind, bytes) as Uint8Array<ArrayBuffer>
    const { status, body: answer } = await quickly(async () => {
      const response = await api.fetch(path, { method: 'POST', body, headers })
      return { status: response.status, headers: response.headers, body: (await response.json()) as Status }
    })
    assert.equal(status, 400, kind)
    assert.match(answer.message ?? '', tooMany)
  }
})

const shortKeys = <T>(count: number, value: T) => Object.fromEntries(times(count, (index) => [index.toString(36), value]))

test('200,000 short keys, in objects, patches and applied configurations', async () => {
  const keys = shortKeys(200_000, '')
  await api.create(configMaps, configMap('short'))
  assert.match(await refused(configMaps, configMap('keys', keys), 400), tooMany)
  assert.match(await refused(configMaps, configMap('keys', {}, { labels: keys }), 400), tooMany)
  const review = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
  assert.match(await refused(review, { spec: { user: 'a', extra: shortKeys(200_000, []) } }, 400), tooMany)
  for (const type of ['application/merge-patch+json', 'application/strategic-merge-patch+json']) {
    const { status, body } = await quickly(() => api.send<Status>('PATCH', `${configMaps}/short`, { data: keys }, { 'content-type': type }))
    assert.equal(status, 400)
    assert.match(body.message ?? '', tooMany)
  }
  const applied = configMap('short', keys)
  const path = `${configMaps}/short?fieldManager=test`
  const { status, body } = await quickly(() => api.send<Status>('PATCH', path, applied, { 'content-type': 'application/apply-patch+yaml' }))
  assert.equal(status, 400)
  assert.match(body.message ?? '', tooMany)
})

test('as many keys as there may be are stored, read and written again with what their managers own', async () => {
  const { status, body } = await api.send<{ data: object }>('POST', configMaps, configMap('most', shortKeys(60_000, '')))
  assert.equal(status, 201)
  const again = await api.send('PUT', `${configMaps}/most`, body)
  assert.equal(again.status, 200, JSON.stringify(again.body).slice(0, 300))
})

test('fields that repeat under a long key', async () => {
  const body = `{"metadata":{"name":"repeats"},"data":{"${'k'.repeat(200_000)}":{${times(50_000, () => '"a":1').join(',')}}}}`
  const message = await refused(`${configMaps}?fieldValidation=Strict`, body, 400)
  assert.ok(message.length < 10_000)
})

test('a quality of many digits', async () => {
  await api.create(configMaps, configMap('large', { text: 'x'.repeat(300_000) }))
  const headers = { 'accept-encoding': `gzip;q=0.${'1'.repeat(1_000_000)}x` }
  const { status, headers: answered } = await quickly(async () => {
    const response = await api.fetch(`${configMaps}/large`, { headers })
    await response.arrayBuffer()
    return { status: response.status, headers: response.headers, body: {} }
  })
  assert.equal(status, 200)
  assert.equal(answered.get('content-encoding'), null)
})

const yaml = { 'content-type': 'application/yaml' }

test('YAML of maps that merge maps', async () => {
  const first = `a0: &a0 {${times(1_000, (index) => `k${index}: 1`).join(', ')}}\n`
  const body = first + times(600, (index) => `a${index + 1}: &a${index + 1} {<<: *a${index}}\n`).join('')
  assert.match(await refused(configMaps, body, 400, yaml), /excessive aliasing/)
})

test('YAML of quotes', async () => {
  await refused(configMaps, '"'.repeat(800_000), 400, yaml)
  // Only the first document is read, which has no name.
  await refused(configMaps, '{}'.repeat(400_000), 422, yaml)
  await refused(configMaps, `[${'"'.repeat(800_000)}`, 400, yaml)
})

test('a long name of an iSCSI target', async () => {
  const iscsi = (iqn: string) => withVolume({ iscsi: { targetPortal: '192.0.2.1', lun: 0, iqn } })
  assert.match(await refused(pods, iscsi('iqn.2001-04.'.repeat(16_000)), 422), /must be valid format/)
  const { status } = await api.send('POST', `${pods}?dryRun=All`, iscsi('iqn.2001-04.com.example:storage:disk1'))
  assert.equal(status, 201)
})

test('selectors of 20,000 terms over 20,000 objects', async () => {
  const many = (term: (index: number) => string) => times(20_000, term).join(',')
  const labels = times(20_000, () => ({ a: 'x' }))
  for (const text of [many((index) => `!k${index}`), many((index) => `a!=v${index}`), `a in (x,${many((index) => `v${index}`)})`]) {
    const { result, milliseconds } = await processorTime(() => {
      const selector = parseLabelSelector(text)
      return labels.filter((each) => selector.matches(each))
    })
    assert.equal(result.length, labels.length, text.slice(0, 40))
    assert.ok(
      milliseconds < (milliseconds < limit ? limit : limit * (await slowness())),
      `${text.slice(0, 40)} took ${Math.round(milliseconds)} ms`,
    )
  }
  const definition = { group: '', version: 'v1', namespaced: true }
  const { milliseconds } = await processorTime(() => {
    const matches = bindFieldSelector(parseFieldSelector(many((index) => `metadata.name!=v${index}`)), definition)
    for (const [index] of labels.entries()) assert.ok(matches(() => `c${index}`))
  })
  assert.ok(milliseconds < (milliseconds < limit ? limit : limit * (await slowness())), `took ${Math.round(milliseconds)} ms`)
})

test('a patch with 20,000 managers', async () => {
  const data = Object.fromEntries(times(5_000, (index) => [`k${index}`, 'v']))
  await api.create(configMaps, configMap('managed', data))
  const managedFields = times(20_000, (index) => ({
    manager: `m${index}`,
    operation: 'Update',
    apiVersion: 'v1',
    time: '2026-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': { [`f:k${index}`]: {} } },
  }))
  const change = Object.fromEntries(times(5_000, (index) => [`k${index}`, 'w']))
  const { status } = await quickly(() => api.patch(`${configMaps}/managed`, { metadata: { managedFields }, data: change }))
  assert.equal(status, 200)
})

test('a JSON patch that inserts at the start of a long list', async () => {
  const finalizers = times(200_000, (index) => `e/${index}`)
  const operations = [
    { op: 'add', path: '/metadata/finalizers', value: finalizers },
    ...times(9_999, () => ({ op: 'add', path: '/metadata/finalizers/0', value: 'e/x' })),
  ]
  await api.create(configMaps, configMap('shifted'))
  const { status } = await quickly(() => api.patch(`${configMaps}/shifted`, operations, 'application/json-patch+json'))
  assert.equal(status, 422)
})

test('warnings are cut as the reference server cuts them', async () => {
  const unknown = times(60, (index) => [`${'u'.repeat(1_000)}${index}`, 1])
  const { status, headers } = await quickly(() => api.send('POST', configMaps, { ...configMap('warned'), ...Object.fromEntries(unknown) }))
  assert.equal(status, 201)
  const warnings = headers.get('warning') ?? ''
  assert.ok(warnings.length < 10_000, `${warnings.length} characters`)
  assert.equal(
    warnings.split(', ').every((warning) => warning.length < 300),
    true,
  )
})
