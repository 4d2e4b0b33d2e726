/** Protobuf through the HTTP API, for every built-in kind: objects survive a round trip, and malformed bytes change nothing. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createPlatform } from '../../../core/platform.ts'
import { bind } from '../../../core/resources/bind.ts'
import { apiVersionOf, type ResourceDefinition } from '../../../core/resources/definition.ts'
import { builtInResources } from '../../../core/resources/group-versions.ts'
import { listSchemaOf } from '../../../core/resources/list.ts'
import { decode } from '../../../core/schema/decode.ts'
import { bytes, field, type JsonObject, type Message, message, string } from '../../../core/schema/model.ts'
import { decodeEnvelope, decodeProtobuf, encodeEnvelope, encodeProtobuf } from '../../../core/schema/protobuf/protobuf.ts'
import { memoryStore } from '../../../runtimes/web/index.ts'
import { allKinds } from '../../support/all-kinds.ts'
import { type Api, assertFailure, type TestList, type TestObject } from '../../support/api.ts'
import { serverForTests, startInProcess } from '../../support/in-process.ts'
import { silentLogger } from '../../support/logger.ts'
import { collectionPath, minimalObject, restingObject } from '../../support/minimal-objects.ts'
import { within } from '../../support/wait.ts'
import { withoutDefinitionController } from '../../support/without-definition-controller.ts'
import { fullValue } from '../schema/samples.ts'

const platform = createPlatform()
const type = platform.protobufType
const definitions = builtInResources.map((each) => bind(each, platform))
const persisted = definitions.filter(({ storageKey }) => storageKey !== '')
const hasVerb = (verb: string) => (definition: ResourceDefinition) => definition.verbs.includes(verb)
const titleOf = (definition: ResourceDefinition) => `${apiVersionOf(definition)} ${definition.kind}`

/** Sends and accepts protobuf; returns the response body. */
async function exchange(api: Api, method: string, path: string, body?: Uint8Array): Promise<{ status: number; bytes: Uint8Array }> {
  const headers = { accept: type, ...(body && { 'content-type': type }) }
  const answer = await api.fetch(path, { method, headers, ...(body && { body: body.slice() }) })
  assert.equal(answer.headers.get('content-type'), type, `${method} ${path}`)
  return { status: answer.status, bytes: new Uint8Array(await answer.arrayBuffer()) }
}

/** The object in a protobuf envelope, in its JSON form. */
function open(schema: Message, bytes: Uint8Array): JsonObject {
  const { kind, apiVersion, raw } = decodeEnvelope(bytes)
  return { kind, apiVersion, ...decodeProtobuf(schema, raw) }
}

const options = {
  ...allKinds,
  controllers: ['serviceaccount'],
  authorizers: [withoutDefinitionController],
  compactionInterval: 0,
  telemetry: { logger: silentLogger },
}

describe('protobuf and JSON show the same object', () => {
  const api = serverForTests(options)

  for (const definition of persisted.filter(hasVerb('create')))
    test(titleOf(definition), async () => {
      const { schema, listKind, kind, version } = definition
      const collection = collectionPath(definition)
      const object = restingObject(definition, `of-${version}-${kind.toLowerCase()}`)
      const path = `${collection}/${object.metadata.name}`
      const { value } = decode(schema, object as unknown as JsonObject)
      const sent = encodeEnvelope(object.apiVersion, kind, encodeProtobuf(schema, value))
      const created = await exchange(api, 'POST', collection, sent)
      assert.equal(created.status, 201)
      const { body } = await api.get(path)
      assert.deepEqual(open(schema, created.bytes), body)

      const read = await exchange(api, 'GET', path)
      assert.deepEqual(open(schema, read.bytes), body)
      const written = await exchange(api, 'PUT', path, read.bytes)
      assert.equal(written.status, 200)
      assert.deepEqual(open(schema, written.bytes), body, 'updating with the bytes just read leaves the object unchanged')

      const items = open(listSchemaOf(definition), (await exchange(api, 'GET', collection)).bytes) as unknown as TestList
      // The server registers group versions meanwhile: both lists are of one revision.
      const list = await api.list(`${collection}?resourceVersion=${items.metadata.resourceVersion}&resourceVersionMatch=Exact`)
      assert.deepEqual([items.kind, items.metadata], [listKind, list.metadata])
      // List items carry their kind in JSON only for some lists, in protobuf never.
      const plain = ({ kind: _kind, apiVersion: _apiVersion, ...rest }: TestObject) => rest
      assert.deepEqual(items.items.map(plain), list.items.map(plain))
      const deleted = await exchange(api, 'DELETE', `${path}?gracePeriodSeconds=0`)
      assert.equal(deleted.status, 200)
    })

  test('an object with every field set', async (t) => {
    const store = memoryStore()
    const stored = persisted.filter(
      ({ storageVersion, ...rest }) =>
        (storageVersion ?? apiVersionOf(rest as ResourceDefinition)) === apiVersionOf(rest as ResourceDefinition),
    )
    const utf8 = new TextEncoder()
    for (const definition of stored) {
      const { kind, schema, storageKey, namespaced } = definition
      const full = fullValue(schema) as JsonObject
      const { deletionTimestamp: _d, deletionGracePeriodSeconds: _g, ...metadata } = full['metadata'] as JsonObject
      const named = { ...metadata, name: 'full', namespace: namespaced ? 'default' : '' }
      const object = { ...full, kind, apiVersion: apiVersionOf(definition), metadata: named }
      await store.put(`/registry/${storageKey}/${namespaced ? 'default/' : ''}full`, utf8.encode(JSON.stringify(object)), 0)
    }
    const full = await startInProcess({ ...options, store }, t)
    for (const definition of stored.filter(hasVerb('get'))) {
      const { body, status } = await full.api.get<JsonObject>(`${collectionPath(definition)}/full`)
      assert.equal(status, 200, titleOf(definition))
      for (const name of definition.schema.json.keys()) assert(Object.hasOwn(body, name), `${titleOf(definition)}: ${name}`)
      const read = await exchange(full.api, 'GET', `${collectionPath(definition)}/full`)
      assert.deepEqual(open(definition.schema, read.bytes), body, titleOf(definition))
    }
  })

  test('a watch', async () => {
    const frame = message('WatchEvent', '', {
      type: field(1, string, ''),
      object: field(2, message('RawExtension', '', { raw: field(1, bytes, '') }), ''),
    })
    const pods = definitions.find(({ kind }) => kind === 'Pod')
    assert(pods, 'no pods')
    const collection = collectionPath(pods)
    const abort = new AbortController()
    const { metadata } = await api.list(collection)
    const answer = await api.fetch(`${collection}?watch=true&resourceVersion=${metadata.resourceVersion}`, {
      headers: { accept: `${type};stream=watch` },
      signal: abort.signal,
    })
    assert.equal(answer.headers.get('content-type'), `${type};stream=watch`)
    const reader = answer.body?.getReader()
    assert(reader, 'no body')
    await api.create(collection, minimalObject(pods, 'watched'))
    await api.patch(`${collection}/watched`, { metadata: { labels: { l: '1' } } })
    await api.delete(`${collection}/watched`)
    let received = Buffer.alloc(0)
    const events: string[] = []
    while (events.length < 4) {
      const part: { readonly value?: Uint8Array | undefined } = await within('an event', reader.read())
      assert(part.value, 'the watch has ended')
      received = Buffer.concat([received, part.value])
      while (received.length >= 4 && received.length >= 4 + received.readUInt32BE(0)) {
        const end = 4 + received.readUInt32BE(0)
        const event = decodeProtobuf(frame, received.subarray(4, end)) as { type: string; object: { raw: string } }
        const pod = open(pods.schema, Buffer.from(event.object.raw, 'base64')) as unknown as TestObject
        events.push(`${event.type} ${pod.kind} ${pod.metadata.name} ${pod.metadata.labels?.['l'] ?? ''}`.trim())
        received = received.subarray(end)
      }
    }
    // The last change marks it for deletion.
    assert.deepEqual(events, ['ADDED Pod watched', 'MODIFIED Pod watched 1', 'MODIFIED Pod watched 1', 'DELETED Pod watched 1'])
    abort.abort()
    await reader.cancel().catch(() => undefined)
  })
})

const varint = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)])
const repeated = (byte: number, count: number) => Array<number>(count).fill(byte)

/** Messages that are invalid for every schema. */
const hostile: readonly (readonly [what: string, raw: readonly number[]])[] = [
  ['a length past the end', [0x0a, 0x7f]],
  ['a length of 4 GiB', [0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]],
  ['a negative length', [0x0a, ...repeated(0xff, 9), 0x01]],
  ['a length that does not end', [0x0a, ...repeated(0x80, 64)]],
  ['an overlong tag', [...repeated(0xff, 10), 0x01]],
  ['an overlong varint', [0x0a, 0x0d, 0x38, ...repeated(0xff, 11), 0x01]],
  ['field 0', [0x00]],
  ['wire type 6', [0x0e, 0x00]],
  ['a number where metadata belongs', [0x08, 0x01]],
  ['an inner length past the outer end', [0x0a, 0x02, 0x0a, 0x05, ...repeated(0x61, 5)]],
  ['a group without end', [0xfb, 0x7f]],
  ['groups in groups', Array.from({ length: 50_000 }, () => [0xfb, 0x7f]).flat()],
]

describe('malformed protobuf is a bad request and changes nothing', () => {
  const api = serverForTests(options)

  /** Asserts that the bytes are refused with 400 and nothing is stored. */
  async function refuses(definition: ResourceDefinition, what: string, body: Uint8Array): Promise<void> {
    const answer = await api.send('POST', collectionPath(definition), body, { 'content-type': type })
    assert.equal(answer.status, 400, `${titleOf(definition)}: ${what}: ${JSON.stringify(answer.body)}`)
    assertFailure(answer, 400, 'BadRequest')
  }

  for (const definition of definitions.filter(hasVerb('create')))
    test(titleOf(definition), async () => {
      const { schema, kind } = definition
      const apiVersion = apiVersionOf(definition)
      const lists = definition.verbs.includes('list')
      const count = async () => (lists ? (await api.list(collectionPath(definition))).items.length : 0)
      const first = await count()
      for (const [what, raw] of hostile) await refuses(definition, what, encodeEnvelope(apiVersion, kind, Uint8Array.from(raw)))
      const full = encodeProtobuf(schema, decode(schema, fullValue(schema) as JsonObject).value)
      // The last byte belongs to a field, so removing it truncates that field.
      await refuses(definition, 'a truncated message', encodeEnvelope(apiVersion, kind, full.slice(0, -1)))
      const envelope = encodeEnvelope(apiVersion, kind, full)
      const end = envelope.length - 4
      for (const length of [1, 3, 4, 5, 6, 12, ...[0.25, 0.5, 0.75].map((part) => Math.floor(end * part)), end - 1])
        await refuses(definition, `an envelope of ${length} bytes`, envelope.slice(0, length))
      assert.equal(await count(), first)
    })

  test('a recursive schema nested too deep', async () => {
    const crds = definitions.find(({ kind, version }) => kind === 'CustomResourceDefinition' && version === 'v1')
    assert(crds, 'no definition')
    // JSONSchemaProps.not (27) within spec.versions (7).schema (4).openAPIV3Schema (1).
    const wrap = (tag: readonly number[], inner: readonly number[]) => [...tag, ...varint(inner.length), ...inner]
    let schema: number[] = []
    for (let depth = 0; depth < 3_000; depth++) schema = wrap(varint((27 << 3) | 2), schema)
    const raw = wrap([0x12], wrap([0x3a], wrap([0x22], wrap([0x0a], schema))))
    await refuses(crds, 'deep', encodeEnvelope(apiVersionOf(crds), crds.kind, Uint8Array.from(raw)))
  })

  test('an overlong varint of an unknown field', async () => {
    const maps = definitions.find(({ kind }) => kind === 'ConfigMap')
    assert(maps, 'no definition')
    await refuses(maps, 'overlong', encodeEnvelope('v1', 'ConfigMap', Uint8Array.from([0xf8, 0x7f, ...repeated(0xff, 11), 0x01])))
  })

  test('another kind than in the URL', async () => {
    const maps = definitions.find(({ kind }) => kind === 'ConfigMap')
    assert(maps, 'no definition')
    const raw = encodeProtobuf(maps.schema, { metadata: { name: 'a' } })
    await refuses(maps, 'kind', encodeEnvelope('v1', 'Secret', raw))
    await refuses(maps, 'version', encodeEnvelope('v9', 'ConfigMap', raw))
    await refuses(maps, 'no envelope', raw)
    await refuses(maps, 'nothing', new Uint8Array(0))
  })

  test('errors are Statuses in protobuf too', async () => {
    const { status, bytes } = await exchange(api, 'GET', '/api/v1/namespaces/default/configmaps/none')
    const { kind, apiVersion, raw } = decodeEnvelope(bytes)
    assert.deepEqual([status, kind, apiVersion], [404, 'Status', 'v1'])
    assert(Buffer.from(raw).includes('configmaps "none" not found'), 'another message')
  })
})
