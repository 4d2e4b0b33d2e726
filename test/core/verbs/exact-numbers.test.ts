/** 64-bit integers beyond the precision of a double, through the HTTP API: every verb, every encoding, every patch type. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultAdmissionPlugins } from '../../../core/admission/plugins/index.ts'
import { createPlatform } from '../../../core/platform.ts'
import { ControllerRevision } from '../../../core/resources/apps/controllerrevision.ts'
import { bind } from '../../../core/resources/bind.ts'
import { builtInResources } from '../../../core/resources/group-versions.ts'
import { decode } from '../../../core/schema/decode.ts'
import { clone } from '../../../core/schema/json/members.ts'
import { parseExact, printJson } from '../../../core/schema/json/text.ts'
import type { Json, JsonObject, Schema } from '../../../core/schema/model.ts'
import { decodeEnvelope, decodeProtobuf, encodeObject } from '../../../core/schema/protobuf/protobuf.ts'
import { definitionsPath } from '../../conformance/custom-resources.ts'
import { serverForTests } from '../../support/in-process.ts'
import { collectionPath, minimalObject } from '../../support/minimal-objects.ts'

const protobuf = 'application/vnd.kubernetes.protobuf'
const greatest = 2n ** 63n - 1n
const odd = 2n ** 53n + 1n

const { fetch } = serverForTests({
  runtimeConfig: { 'api/all': true },
  admissionPlugins: { disable: defaultAdmissionPlugins },
  featureGates: { AllAlpha: true, AllBeta: true },
})

async function send(method: string, path: string, body?: string | Uint8Array, headers: { [name: string]: string } = {}) {
  const sent = { 'content-type': 'application/json', ...headers }
  const response = await fetch(path, { method, headers: sent, ...(body && { body: body as BodyInit }) })
  const bytes = new Uint8Array(await response.arrayBuffer())
  return { status: response.status, bytes, text: new TextDecoder().decode(bytes) }
}

const revisions = '/apis/apps/v1/namespaces/default/controllerrevisions'
const revision = (name: string, number: bigint) =>
  `{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"${name}"},"data":{},"revision":${number}}`

test('create, get, list, watch, table and update', async () => {
  const watching = await fetch(`${revisions}?watch=1`)
  const created = await send('POST', revisions, revision('one', greatest))
  assert.equal(created.status, 201, created.text)
  const expected = /"revision":9223372036854775807[,}]/
  assert.match(created.text, expected)
  const path = `${revisions}/one`
  assert.match((await send('GET', path)).text, expected)
  assert.match((await send('GET', `${path}?pretty=1`)).text, /"revision": 9223372036854775807/)
  assert.match((await send('GET', path, undefined, { accept: 'application/yaml' })).text, /^revision: 9223372036854775807$/m)
  assert.match((await send('GET', revisions)).text, expected)
  const table = 'application/json;as=Table;g=meta.k8s.io;v=v1'
  assert.match((await send('GET', revisions, undefined, { accept: table })).text, /9223372036854775807/)
  assert.match((await send('GET', `${revisions}?pretty=1`, undefined, { accept: table })).text, /9223372036854775807/)
  const raw = decodeEnvelope((await send('GET', path, undefined, { accept: protobuf })).bytes).raw
  assert.equal(decodeProtobuf(ControllerRevision, raw)['revision'], greatest)
  const event = await watching.body?.getReader().read()
  assert.match(new TextDecoder().decode(event?.value), expected)

  const object = { ...decodeProtobuf(ControllerRevision, raw), revision: greatest - 1n }
  const bytes = encodeObject('apps/v1', 'ControllerRevision', ControllerRevision, object as Json)
  assert.match((await send('PUT', path, bytes, { 'content-type': protobuf })).text, /"revision":9223372036854775806[,}]/)
  const yaml = `apiVersion: apps/v1\nkind: ControllerRevision\nmetadata: {name: one}\ndata: {}\nrevision: ${greatest - 2n}\n`
  assert.match((await send('PUT', path, yaml, { 'content-type': 'application/yaml' })).text, /"revision":9223372036854775805[,}]/)
})

for (const value of ['9223372036854775808', '-9223372036854775809', '1e400']) {
  test(`refuses ${value}`, async () => {
    const { status, text } = await send('POST', revisions, revision('big', 7n).replace('7', value))
    assert.equal(status, 400)
    assert.match(text, new RegExp(`cannot unmarshal number ${value} into Go`))
  })
}

const jsonPatch = (op: string, value: bigint) => `[{"op":"${op}","path":"/revision","value":${value}}]`
const patches: readonly (readonly [type: string, body: (value: bigint) => string])[] = [
  ['json-patch', (value) => `[${jsonPatch('test', value - 1n).slice(1, -1)},${jsonPatch('replace', value).slice(1)}`],
  ['merge-patch', (value) => `{"revision":${value}}`],
  ['strategic-merge-patch', (value) => `{"revision":${value}}`],
  ['apply-patch', (value) => revision('two', value)],
]

test('patches of every type preserve the integers that they do not change', async () => {
  let value = odd
  assert.equal((await send('POST', revisions, revision('two', value))).status, 201)
  for (const [type, body] of patches) {
    value++
    const format = type === 'apply-patch' ? 'yaml' : 'json'
    const path = `${revisions}/two?fieldManager=${type}${type === 'apply-patch' ? '&force=true' : ''}`
    const patched = await send('PATCH', path, body(value), { 'content-type': `application/${type}+${format}` })
    assert.equal(patched.status, 200, patched.text)
    assert.equal((parseExact(patched.text) as JsonObject)['revision'], value, type)
    const labelled = await send('PATCH', `${revisions}/two`, `{"metadata":{"labels":{"by":"${type}"}}}`, {
      'content-type': 'application/merge-patch+json',
    })
    assert.equal((parseExact(labelled.text) as JsonObject)['revision'], value, `after ${type}`)
  }
  const stale = jsonPatch('test', value - 1n)
  assert.equal((await send('PATCH', `${revisions}/two`, stale, { 'content-type': 'application/json-patch+json' })).status, 422)
  const conflict = await send('PATCH', `${revisions}/two?fieldManager=other`, revision('two', value - 1n), {
    'content-type': 'application/apply-patch+yaml',
  })
  assert.equal(conflict.status, 409, 'a difference of one conflicts')
  const same = await send('PATCH', `${revisions}/two?fieldManager=other`, revision('two', value), {
    'content-type': 'application/apply-patch+yaml',
  })
  assert.equal(same.status, 200, same.text)
})

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'counters.exact.example.com' },
  spec: {
    group: 'exact.example.com',
    scope: 'Cluster',
    names: { plural: 'counters', singular: 'counter', kind: 'Counter', listKind: 'CounterList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: [{ name: 'Count', type: 'integer', jsonPath: '.count' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            'x-kubernetes-validations': [{ rule: '!has(self.count) || self.count != 9007199254740995', message: 'not that one' }],
            properties: {
              count: { type: 'integer', format: 'int64', minimum: 0 },
              usual: { type: 'integer', default: greatest },
              any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
              list: {
                type: 'array',
                'x-kubernetes-list-type': 'map',
                'x-kubernetes-list-map-keys': ['id'],
                items: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, text: { type: 'string' } } },
              },
            },
          },
        },
      },
    ],
  },
}

test('custom resources: values, defaults, validation rules, list keys, columns', async () => {
  const made = await send('POST', definitionsPath, printJson(definition))
  assert.equal(made.status, 201, made.text)
  assert.match((await send('GET', `${definitionsPath}/counters.exact.example.com`)).text, /"default":9223372036854775807[,}]/)
  const path = '/apis/exact.example.com/v1/counters'
  const counter = (name: string, rest: string) =>
    `{"apiVersion":"exact.example.com/v1","kind":"Counter","metadata":{"name":"${name}"},${rest}}`
  const body = counter('a', `"count":${odd},"any":{"x":[${greatest},12345678901234567890,1.5]},"list":[{"id":${odd}},{"id":${odd + 1n}}]`)
  const created = await send('POST', path, body)
  assert.equal(created.status, 201, created.text)
  const { count, usual, any, list } = parseExact((await send('GET', `${path}/a`)).text) as JsonObject
  assert.deepEqual([count, usual, list], [odd, greatest, [{ id: odd }, { id: odd + 1n }]])
  assert.deepEqual(any, { x: [greatest, 12345678901234567000n, 1.5] }, 'beyond 64 bits a number is a double, as in kube-apiserver')
  const applied = await send('PATCH', `${path}/a?fieldManager=me`, counter('a', `"list":[{"id":${odd},"text":"x"}]`), {
    'content-type': 'application/apply-patch+yaml',
  })
  assert.equal(applied.status, 200, applied.text)
  assert.deepEqual((parseExact(applied.text) as JsonObject)['list'], [{ id: odd, text: 'x' }, { id: odd + 1n }])
  const table = await send('GET', path, undefined, { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' })
  assert.match(table.text, /"cells":\["a",9007199254740993/)
  assert.match((await send('POST', path, counter('b', '"count":9007199254740995'))).text, /not that one/)
  assert.equal((await send('POST', path, counter('b', '"count":9007199254740994'))).status, 201)
  assert.match((await send('POST', path, counter('c', '"count":-9007199254740995'))).text, /should be greater than or equal to 0/)
})

type Put = (base: Json | undefined, value: Json) => Json

/** For each 64-bit integer in a schema: a function that sets it in a base object. */
function* puts(schema: Schema, path: string, above: readonly Schema[] = []): Generator<readonly [path: string, put: Put]> {
  if (schema.type === 'int64') yield [path, (_, value) => value]
  else if (schema.type === 'list') {
    for (const [own, put] of puts(schema.items, `${path}[]`, above))
      yield [
        own,
        (base, value) => (Array.isArray(base) && base.length > 0 ? [put(base[0], value), ...base.slice(1)] : [put(undefined, value)]),
      ]
  } else if (schema.type === 'message' && !above.includes(schema)) {
    for (const [name, field] of schema.json) {
      for (const [own, put] of puts(field.schema, `${path}.${name}`, [...above, schema]))
        yield [own, (base, value) => ({ ...(base as JsonObject), [name]: put((base as JsonObject | undefined)?.[name], value) })]
    }
  }
}

test('no 64-bit integer in any field of any kind causes a server error', async () => {
  const platform = createPlatform()
  const seen = new Set<string>()
  let accepted = 0
  for (const unbound of builtInResources) {
    if (unbound.storageKey === '') continue
    const bound = bind(unbound, platform)
    for (const [path, put] of puts(bound.schema, '')) {
      const shared = path.replace(/^.*(\.template\.spec\.|\.metadata\.)/, '$1')
      if (shared !== path && seen.has(shared)) continue
      seen.add(shared)
      for (const value of [greatest, -greatest - 1n, odd]) {
        const body = printJson(put(minimalObject(bound) as never, value))
        const { status, text } = await send('POST', `${collectionPath(bound)}?dryRun=All`, body)
        assert.ok(status < 500, `${bound.kind}${path} ${value}: ${text}`)
        if (status === 201) accepted++
      }
    }
  }
  assert.ok(accepted > 100, `${accepted}`)
})

test('a pod with the largest terminationGracePeriodSeconds can be deleted', async () => {
  const pods = '/api/v1/namespaces/default/pods'
  const spec = `{"nodeName":"n","terminationGracePeriodSeconds":${greatest},"containers":[{"name":"a","image":"a"}]}`
  const created = await send('POST', pods, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"long"},"spec":${spec}}`)
  assert.equal(created.status, 201, created.text)
  const deleted = await send('DELETE', `${pods}/long`)
  assert.equal(deleted.status, 200, deleted.text)
  assert.match(deleted.text, /"deletionGracePeriodSeconds":9223372036854775807[,}]/)
  assert.equal((await send('DELETE', `${pods}/long`, '{"gracePeriodSeconds":5}')).status, 200)
})

const rawBody = '{"b":1.0,"10":1e3,"2":[12345678901234567890,"\\u003cx\\u003e \\ud83d", 0.10],"a":{"a":{}}}'
const rawText = rawBody.replace(', 0', ',0')
const withData = (name: string, data: string) =>
  `{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"${name}"},\n "data": ${data},"revision":1}`
const dataOf = (text: string) => /"data":(.*?),"revision"/.exec(text)?.[1]

test('raw JSON keeps its text: order of keys, numbers, escapes', async () => {
  const path = `${revisions}/raw`
  assert.equal(dataOf((await send('POST', revisions, withData('raw', rawBody.replace('{"b"', '{\n\t"b"')))).text), rawText)
  const got = await send('GET', path)
  assert.equal(dataOf(got.text), rawText)
  assert.ok((await send('GET', revisions)).text.includes(rawText))
  const inProtobuf = (bytes: Uint8Array) => new TextDecoder().decode(bytes).includes(rawText)
  const protobufBytes = (await send('GET', path, undefined, { accept: protobuf })).bytes
  assert.ok(inProtobuf(protobufBytes))
  for (const type of ['merge-patch', 'strategic-merge-patch', 'json-patch', 'apply-patch']) {
    const label = { metadata: { labels: { [type]: 'yes' } } }
    const whole = { kind: 'ControllerRevision', apiVersion: 'apps/v1', ...label }
    const body =
      type === 'json-patch' ? [{ op: 'add', path: '/metadata/annotations', value: { by: type } }] : type === 'apply-patch' ? whole : label
    const content = `application/${type}+${type === 'apply-patch' ? 'yaml' : 'json'}`
    const patched = await send('PATCH', `${path}?fieldManager=${type}&fieldValidation=Ignore`, JSON.stringify(body), {
      'content-type': content,
    })
    assert.equal(dataOf(patched.text), rawText, `${type}: ${patched.text}`)
  }
  assert.equal(dataOf((await send('PUT', path, got.text.replace(/"resourceVersion":"\d+",/, ''))).text), rawText)
  const created = await send('POST', revisions, renamed(protobufBytes, 'renamed'), { 'content-type': protobuf })
  assert.equal(dataOf(created.text), rawText, created.text)
  assert.match((await send('GET', path, undefined, { accept: 'application/yaml' })).text, /12345678901234567890/)
  assert.equal(JSON.stringify(JSON.parse((await send('GET', `${path}?pretty=1`)).text).data), JSON.stringify(JSON.parse(rawText)))
})

const scalars = ['1.0', '1e400', '-1E+400', '12345678901234567890', '1e3', '0.10', '"\\u0061\\/b \\ud83d"', '7', 'true', '"x"']
for (const text of scalars)
  test(`raw JSON that is a bare ${text} is no object`, async () => {
    const refused = await send('POST', revisions, withData('scalar', text))
    assert.deepEqual([refused.status, refused.text.includes('data: Required value: data must be a valid JSON object')], [422, true])
  })

test('raw JSON values with different texts are different', async () => {
  assert.equal((await send('POST', revisions, withData('differs', '{"a":1.0}'))).status, 201)
  for (const text of ['{"a":1.00}', '{"a":1}', '{}', '{"a":"1.0"}'])
    assert.match((await send('PUT', `${revisions}/differs`, withData('differs', text))).text, /field is immutable/)
})

/** The object under another name, without uid and resourceVersion. */
function renamed(bytes: Uint8Array, name: string): Uint8Array {
  const { raw, kind, apiVersion } = decodeEnvelope(bytes)
  const object = decodeProtobuf(ControllerRevision, raw)
  const { resourceVersion: _, uid: __, ...metadata } = object['metadata'] as JsonObject
  object['metadata'] = { ...metadata, name }
  return encodeObject(apiVersion, kind, ControllerRevision, object)
}

test('raw JSON made from a patch or YAML has the text that Go would print', async () => {
  const yaml =
    'apiVersion: apps/v1\nkind: ControllerRevision\nmetadata: {name: made}\ndata: {b: "<&>", "10": 1, "9": [1.5, 9007199254740993]}\nrevision: 1\n'
  const created = await send('POST', revisions, yaml, { 'content-type': 'application/yaml' })
  assert.equal(dataOf(created.text), '{"10":1,"9":[1.5,9007199254740993],"b":"\\u003c\\u0026\\u003e"}')
})

test('opaque driver parameters keep their text, also when other fields are patched', async () => {
  const claims = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims'
  const config = `{"opaque":{"driver":"a.example.com","parameters":{"kind":"X","apiVersion":"v1","b":1.0,"a":"<"}}}`
  const devices = `{"requests":[{"name":"one","exactly":{"deviceClassName":"a.example.com"}}],"config":[${config}]}`
  const body = `{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"raw"},"spec":{"devices":${devices}}}`
  const created = await send('POST', claims, body)
  assert.equal(created.status, 201, created.text)
  const text = '"parameters":{"kind":"X","apiVersion":"v1","b":1.0,"a":"\\u003c"}'
  assert.ok(created.text.includes(text), created.text)
  const patched = await send('PATCH', `${claims}/raw`, '{"metadata":{"labels":{"a":"b"}}}', {
    'content-type': 'application/merge-patch+json',
  })
  assert.ok(patched.text.includes(text), patched.text)
})

test('a patch inside raw JSON prints it anew', async () => {
  assert.equal(
    (await send('POST', '/apis/apps/v1/namespaces/default/controllerrevisions?dryRun=All', withData('inside', '{"a":1.0}'))).status,
    201,
  )
  const { applyJsonPatch } = await import('../../../core/apply/json-patch.ts')
  const { applyMergePatch } = await import('../../../core/verbs/patch/merge-patch.ts')
  const { applyStrategicMerge } = await import('../../../core/verbs/patch/strategic-merge.ts')
  const read = () => parseExact(withData('inside', '{"z":{"b":2.0},"a":1.0}'), ControllerRevision) as JsonObject
  const done = (value: Json) => dataOf(printJson(decode(ControllerRevision, value, { root: true }).value))
  assert.equal(done(read()), '{"z":{"b":2.0},"a":1.0}')
  const changed = '{"a":1,"z":{"b":3}}'
  assert.equal(done(applyMergePatch(clone(read()), { data: { z: { b: 3 } } })), changed)
  assert.equal(done(applyJsonPatch(clone(read()), [{ op: 'replace', path: '/data/z/b', value: 3 }])), changed)
  assert.equal(done(applyStrategicMerge(ControllerRevision, clone(read()), { data: { a: 2 } })), '{"a":2,"z":{"b":2}}')
})
