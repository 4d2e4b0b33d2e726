/** Lists that are encoded in slices equal lists that are encoded at once, in every format, and do not block other requests. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createPlatform } from '../../../core/platform.ts'
import type { Clock } from '../../../core/ports.ts'
import { bind } from '../../../core/resources/bind.ts'
import { builtInResources } from '../../../core/resources/group-versions.ts'
import { listSchemaOf } from '../../../core/resources/list.ts'
import { PartialObjectMetadataList } from '../../../core/resources/meta/partial.ts'
import { htmlSafe } from '../../../core/schema/json/html-safe.ts'
import type { Json, JsonObject, Message } from '../../../core/schema/model.ts'
import { decodeEnvelope, decodeProtobuf, encodeObject } from '../../../core/schema/protobuf/protobuf.ts'
import { parseYamlText, yamlText } from '../../../core/schema/yaml/text.ts'
import type { ApiServer } from '../../../core/server.ts'
import { webClock } from '../../../runtimes/web/ports.ts'
import { startInProcess } from '../../support/in-process.ts'

/** More objects and bytes than one slice holds. */
const count = 150
const kilobytes = 30
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'
const partial = 'as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'
const definition = builtInResources.map((row) => bind(row, createPlatform())).find(({ kind }) => kind === 'ConfigMap')
assert(definition, 'the kind is built in')
const listSchema = listSchemaOf(definition)

let pauses = 0
let now = 0
/** A clock that advances with each reading, so that every slice ends soon. */
const clock: Clock = {
  ...webClock,
  monotonic: () => webClock.monotonic() + now++,
  pause: () => {
    pauses++
    return new Promise((resolve) => void setImmediate(resolve))
  },
}

let server: ApiServer
before(async () => {
  server = (await startInProcess({ controllers: [], clock })).server
  for (let i = 0; i < count; i++) {
    const name = `o${String(i).padStart(4, '0')}`
    const odd = `a\n\n  b: "c"${i % 2 === 0 ? '\u2028' : ''}\u00e9\n${'x'.repeat(i)}`
    await call('POST', '', {
      metadata: { name, labels: { odd: String(i % 2) } },
      data: { odd, yes: 'yes', long: 'y'.repeat(kilobytes * 1024) },
    })
  }
})
after(() => server.close())

const path = '/api/v1/namespaces/default/configmaps'
async function call(method: string, query: string, body?: object, accept = 'application/json', headers = {}): Promise<Response> {
  const init = { method, headers: { accept, 'content-type': 'application/json', ...headers }, ...(body && { body: JSON.stringify(body) }) }
  const response = await server.fetch(new Request(`http://x${path}${query}`, init))
  assert.ok(response.ok, `${method} ${query}: ${response.status}`)
  return response
}
const listed = async (query: string, accept?: string) => (await (await call('GET', query, undefined, accept)).json()) as JsonObject
/** The list put together from pages small enough to be encoded at once. */
async function paged(member: 'items' | 'rows', accept?: string): Promise<JsonObject> {
  const all: Json[] = []
  let token = ''
  for (;;) {
    const page = (await listed(`?limit=20&continue=${token}`, accept)) as { metadata: { continue?: string } } & JsonObject
    all.push(...(page[member] as Json[]))
    token = page.metadata.continue ?? ''
    if (token === '') return { ...page, [member]: all }
  }
}

test('JSON', async () => {
  const response = await call('GET', '')
  assert.equal(response.headers.get('content-length'), null)
  assert.equal(response.headers.get('content-type'), 'application/json')
  const text = await response.text()
  const expected = await paged('items')
  assert.equal((expected['items'] as Json[]).length, count)
  assert.equal(text, `${htmlSafe(JSON.stringify(expected))}\n`)
})

test('pretty-printed JSON', async () => {
  assert.equal(await (await call('GET', '?pretty=true')).text(), htmlSafe(JSON.stringify(await paged('items'), null, 2)))
})

test('indented for curl', async () => {
  const response = await call('GET', '', undefined, 'application/json', { 'user-agent': 'curl/8.14.1' })
  assert.equal(await response.text(), htmlSafe(JSON.stringify(await paged('items'), null, 2)))
})

test('YAML', async () => {
  assert.deepEqual(parseYamlText(await (await call('GET', '', undefined, 'application/yaml')).text()), await paged('items'))
  // Without characters that force the whole list into quoted strings, the slices are formatted as the whole would be.
  const odd = '?labelSelector=odd%3D1'
  assert.equal(await (await call('GET', odd, undefined, 'application/yaml')).text(), yamlText(await listed(odd)))
})

// The second list knows the sizes of items, and encodes each once.
for (const time of ['first', 'second'])
  test(`protobuf, ${time} time`, async () => {
    const bytes = new Uint8Array(await (await call('GET', '', undefined, 'application/vnd.kubernetes.protobuf')).arrayBuffer())
    const expected = await paged('items')
    const { kind, apiVersion, raw } = decodeEnvelope(bytes)
    assert.deepEqual([kind, apiVersion], ['ConfigMapList', 'v1'])
    assert.deepEqual({ kind, apiVersion, ...(decodeProtobuf(listSchema, raw) as JsonObject) }, expected)
    const again = encodeObject(apiVersion, kind, listSchema as Message, expected)
    assert.ok(Buffer.from(bytes).equals(again), 'the same bytes as encoding the list at once')
  })

for (const format of ['json', 'yaml'])
  test(`tables in ${format}`, async () => {
    const text = await (await call('GET', '', undefined, table.replace('json', format))).text()
    const ages = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll(/"\d+(s|m)(\d+s)?"/g, '"age"')) as JsonObject
    const found = format === 'json' ? (JSON.parse(text) as JsonObject) : (parseYamlText(text) as JsonObject)
    assert.deepEqual(ages(found), ages(await paged('rows', table)))
  })

test('PartialObjectMetadataList in every format', async () => {
  const expected = await paged('items', `application/json;${partial}`)
  assert.deepEqual(await listed('', `application/json;${partial}`), expected)
  assert.equal(await (await call('GET', '?pretty=1', undefined, `application/json;${partial}`)).text(), JSON.stringify(expected, null, 2))
  assert.deepEqual(parseYamlText(await (await call('GET', '', undefined, `application/yaml;${partial}`)).text()), expected)
  const bytes = new Uint8Array(await (await call('GET', '', undefined, `application/vnd.kubernetes.protobuf;${partial}`)).arrayBuffer())
  const again = encodeObject('meta.k8s.io/v1', 'PartialObjectMetadataList', PartialObjectMetadataList, expected)
  assert.ok(Buffer.from(bytes).equals(again))
})

test('compressed', async () => {
  const response = await call('GET', '', undefined, undefined, { 'accept-encoding': 'gzip' })
  assert.equal(response.headers.get('content-encoding'), 'gzip')
  const text = await new Response(response.body?.pipeThrough(new DecompressionStream('gzip'))).text()
  assert.equal(text, `${htmlSafe(JSON.stringify(await paged('items')))}\n`)
})

test('a long list yields to other requests and does not show their writes', async () => {
  const accept = 'application/yaml'
  const before = pauses
  const response = await call('GET', '', undefined, accept)
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const chunks = [await reader.read()]
  await call('POST', '', { metadata: { name: 'o9999' } })
  await call('DELETE', '/o0149')
  for (;;) {
    const chunk = await reader.read()
    if (chunk.done) break
    chunks.push(chunk)
  }
  const text = Buffer.concat(chunks.map(({ value }) => value ?? new Uint8Array())).toString()
  const names = (parseYamlText(text) as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name)
  assert.deepEqual([names.length, names.at(-1)], [count, 'o0149'])
  assert.ok(pauses - before > 10, `${pauses - before} pauses`)
  await call('DELETE', '/o9999')
  await call('POST', '', { metadata: { name: 'o0149' } })
})

test('encoding stops when the client cancels', async () => {
  const response = await call('GET', '', undefined, 'application/yaml')
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  await reader.read()
  await reader.cancel()
  await new Promise((resolve) => setImmediate(resolve))
  const before = pauses
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(pauses, before)
})

test('a list cut off by a closing server ends with an error', async () => {
  const { server: closing } = await startInProcess({ controllers: [], clock })
  const send = (method: string, body?: object) =>
    closing.fetch(
      new Request(`http://x${path}`, {
        method,
        headers: { 'content-type': 'application/json', accept: 'application/yaml' },
        ...(body && { body: JSON.stringify(body) }),
      }),
    )
  for (let i = 0; i < 60; i++) await send('POST', { metadata: { name: `o${i}` }, data: { long: 'y'.repeat(8_192) } })
  const reader = ((await send('GET')).body as ReadableStream<Uint8Array>).getReader()
  await reader.read()
  await closing.close()
  await assert.rejects(async () => {
    while (!(await reader.read()).done);
  })
})
