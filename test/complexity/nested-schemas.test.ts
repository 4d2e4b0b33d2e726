/** Definitions with many levels or many fields: what requests take grows with their number, not faster. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverForTests } from '../support/in-process.ts'
import { longestPause } from '../support/pauses.ts'
import { eventually } from '../support/wait.ts'

const depth = 60
/** Milliseconds of processor time; twice the work on each level would take longer than the universe lasts. */
const limit = 1_000

const api = serverForTests({ controllers: [], admissionPlugins: { disable: ['ServiceAccount'] } })
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

type Object = { readonly [name: string]: unknown }

/** One level: its schema and a value of it, around those of the next level. */
interface Level {
  schema(inner: Object): Object
  value(inner: unknown): unknown
}

const object = (inner: Object, more: Object = {}): Object => ({ type: 'object', properties: { a: inner, b: { type: 'string' } }, ...more })
const preserves = { 'x-kubernetes-preserve-unknown-fields': true }
const beside = (inner: unknown) => ({ a: inner, b: 'x' })
const levels: { readonly [name: string]: Level } = {
  'declared members': { schema: object, value: beside },
  'unknown members behind declared ones': {
    schema: (inner) => object(inner, preserves),
    value: (inner) => ({ a: inner, z: 1 }),
  },
  'members of any name': { schema: (inner) => ({ type: 'object', additionalProperties: inner }), value: (inner) => ({ a: inner }) },
  'atomic objects': { schema: (inner) => object(inner, { 'x-kubernetes-map-type': 'atomic' }), value: beside },
  lists: { schema: (inner) => ({ type: 'array', items: inner }), value: (inner) => [inner] },
  'lists with keys': {
    schema: (inner) => ({
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['b'],
      items: object(inner, { required: ['b'] }),
    }),
    value: (inner) => [beside(inner)],
  },
  'embedded objects': {
    schema: (inner) => ({ type: 'object', properties: { a: inner }, 'x-kubernetes-embedded-resource': true, ...preserves }),
    value: (inner) => ({ apiVersion: 'v1', kind: 'A', metadata: { name: 'a' }, a: inner }),
  },
  defaults: { schema: (inner) => object(inner, { default: {} }), value: (inner) => ({ a: inner }) },
  'nullable objects': { schema: (inner) => object(inner, { nullable: true }), value: (inner) => ({ a: inner, b: null }) },
  alternatives: {
    schema: (inner) => object(inner, { anyOf: [{ required: ['q'] }, { required: ['a'] }], not: { required: ['q'] } }),
    value: beside,
  },
  rules: {
    schema: (inner) => object(inner, { 'x-kubernetes-validations': [{ rule: "!has(self.b) || self.b != ''" }] }),
    value: beside,
  },
}

const nested = <T>(innermost: T, around: (inner: T) => T): T => {
  let value = innermost
  for (let level = 0; level < depth; level++) value = around(value)
  return value
}

let number = 0
for (const [name, level] of Object.entries(levels))
  test(`${depth} levels of ${name}`, async (t) => {
    const group = `g${number++}.example.com`
    const schema = { type: 'object', properties: { spec: nested<Object>({ type: 'object', ...preserves }, level.schema) } }
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }]
    const body = { metadata: { name: `as.${group}` }, spec: { group, scope: 'Cluster', names: { plural: 'as', kind: 'A' }, versions } }
    const path = `/apis/${group}/v1/as`
    const whole = (spec: unknown, labels = {}) => ({ apiVersion: `${group}/v1`, kind: 'A', metadata: { name: 'a', labels }, spec })
    const spec = nested<unknown>({ y: 1 }, level.value)
    const wrong = nested<unknown>('wrong', level.value)
    const patch = (type: string) => ({ 'content-type': `application/${type}` })
    const steps: readonly (() => Promise<unknown>)[] = [
      () => api.create(definitions, body),
      () => eventually('a served definition', async () => (await api.get(path)).status === 200),
      () => api.send('POST', path, whole(wrong)),
      () => api.create(path, whole(spec)),
      () => api.send('PUT', `${path}/a`, whole(spec, { a: 'b' })),
      () => api.send('PUT', `${path}/a`, whole(nested<unknown>({ y: 2 }, level.value))),
      () => api.send('PUT', `${path}/a`, whole(wrong)),
      () => api.send('PATCH', `${path}/a`, whole(spec), patch('merge-patch+json')),
      () => api.send('PATCH', `${path}/a`, { spec: null }, patch('merge-patch+json')),
      () => api.send('PATCH', `${path}/a?fieldManager=a&force=true`, whole(spec), patch('apply-patch+yaml')),
      () =>
        api.send('PATCH', `${path}/a?fieldManager=b&force=true`, whole(nested<unknown>({ y: 3 }, level.value)), patch('apply-patch+yaml')),
      () => api.send('PATCH', `${path}/a?fieldManager=a&force=true`, { ...whole({}), spec: undefined }, patch('apply-patch+yaml')),
      () => api.send('POST', `${path}?fieldValidation=Strict&dryRun=All`, whole(spec)),
      () => api.fetch(path, { headers: { accept: 'application/yaml' } }).then((answer) => answer.text()),
      () => api.get(`/openapi/v3/apis/${group}/v1`),
      () => api.get('/openapi/v2'),
      () => api.send('PATCH', `${definitions}/as.${group}`, { metadata: { labels: { a: 'b' } } }, patch('merge-patch+json')),
    ]
    let longest = 0
    for (const step of steps) {
      const pause = await longestPause(step)
      longest = Math.max(longest, pause)
      assert.ok(pause < limit, `${Math.round(pause)} ms: ${step}`)
    }
    const { body: stored } = await api.get(`${path}/a`)
    t.diagnostic(`${Math.round(longest)} ms; ${JSON.stringify(stored).length} characters`)
  })

test('the first object of a definition with 35,000 fields takes linear time', async (t) => {
  const names = Array.from({ length: 35_000 }, (_, index) => `f${index}`)
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'integer' }]))
  const schema = { type: 'object', properties: { spec: { type: 'object', properties } } }
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }]
  const spec = Object.fromEntries(names.toReversed().map((name) => [name, 1]))
  const pauses: number[] = []
  for (let look = 0; look < 4 && Math.min(...pauses, Number.POSITIVE_INFINITY) >= 400; look++) {
    const group = `wide${look}.example.com`
    const names = { plural: 'wides', kind: 'Wide' }
    await api.create(definitions, { metadata: { name: `wides.${group}` }, spec: { group, scope: 'Cluster', names, versions } })
    const path = `/apis/${group}/v1/wides`
    await eventually('a served definition', async () => (await api.get(path)).status === 200)
    pauses.push(await longestPause(() => api.create(path, { apiVersion: `${group}/v1`, kind: 'Wide', metadata: { name: 'a' }, spec })))
  }
  t.diagnostic(`pauses of ${pauses.map(Math.round).join(', ')} ms`)
  assert.ok(Math.min(...pauses) < 400, `${pauses.map(Math.round).join(', ')} ms`)
})
