/** MutatingAdmissionPolicies, tested through requests. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { definitionsPath, smallDefinition } from '../../../conformance/definitions.ts'
import { type Answer, assertFailure, configMap, type TestObject } from '../../../support/api.ts'
import { eventually } from '../../../support/wait.ts'
import { answers, configMaps, type Policies, startPolicies, writeRule } from './support.ts'

let server: Policies
beforeEach(async () => {
  server = await startPolicies()
  await server.api.create('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } })
})
afterEach(() => server.close())

const pods = '/api/v1/namespaces/default/pods?dryRun=All'
const create = (name: string, data: { readonly [key: string]: string } = {}, metadata: object = {}) =>
  server.api.send('POST', `${configMaps}?dryRun=All`, configMap(name, data, metadata))

const apply = (expression: string) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } })
const patch = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } })

/** Repeats a request until the probe accepts the response. */
const becomes = (what: string, send: () => Promise<Answer>, probe: (object: TestObject) => unknown) =>
  eventually(what, async () => {
    const { status, body } = await send()
    if (status !== 201) throw new Error(JSON.stringify(body))
    return probe(body) ? body : undefined
  })

test('an apply configuration is merged, list items by key, and the next policy sees the result', async () => {
  const matchConstraints = { resourceRules: [writeRule({ resources: ['pods'] })] }
  await server.mutating('a-sidecar', {
    matchConstraints,
    variables: [{ name: 'image', expression: "'example/' + request.namespace" }],
    mutations: [
      apply(`Object{
        metadata: Object.metadata{labels: {'mesh': 'on'}},
        spec: Object.spec{containers: [Object.spec.containers{name: 'proxy', image: variables.image}, Object.spec.containers{name: 'main', workingDir: '/w'}]}
      }`),
    ],
  })
  await server.mutating('b-counts', {
    matchConstraints,
    matchConditions: [{ name: 'has-proxy', expression: "object.spec.containers.exists(c, c.name == 'proxy')" }],
    mutations: [apply(`Object{metadata: Object.metadata{annotations: {'count': string(object.spec.containers.size())}}}`)],
  })
  const pod = { metadata: { name: 'p', labels: { app: 'a' } }, spec: { containers: [{ name: 'main', image: 'example/main' }] } }
  const made = await becomes(
    'both',
    () => server.api.send('POST', pods, pod),
    ({ metadata }) => metadata.annotations?.['count'],
  )
  assert.deepEqual(made.metadata.labels, { app: 'a', mesh: 'on' })
  assert.equal(made.metadata.annotations?.['count'], '2')
  const containers = made.spec?.['containers'] as readonly { readonly [field: string]: unknown }[]
  assert.deepEqual(
    containers.map(({ name, image, workingDir, imagePullPolicy }) => ({ name, image, workingDir, imagePullPolicy })),
    [
      { name: 'proxy', image: 'example/default', workingDir: undefined, imagePullPolicy: 'Always' },
      { name: 'main', image: 'example/main', workingDir: '/w', imagePullPolicy: 'Always' },
    ],
    'defaults are filled in',
  )
})

test('JSON patches: conditional, with escaped keys, and failing tests', async () => {
  await server.mutating('patches', {
    mutations: [
      patch(`[
        JSONPatch{op: 'add', path: '/metadata/labels', value: {}},
        JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('example.com/a.b'), value: 'x'},
      ]`),
      patch("[JSONPatch{op: 'test', path: '/data/a', value: 'no'}, JSONPatch{op: 'remove', path: '/data'}]"),
      patch("has(object.data.b) ? [JSONPatch{op: 'move', from: '/data/b', path: '/data/c'}] : []"),
    ],
  })
  const made = await becomes(
    'patched',
    () => create('p', { a: 'yes', b: 'B' }),
    ({ metadata }) => metadata.labels,
  )
  assert.deepEqual(made.metadata.labels, { 'example.com/a.b': 'x' })
  assert.deepEqual(made.data, { a: 'yes', c: 'B' })
})

test('a failing policy refuses the request or is ignored, by failure policy', async () => {
  const prefix = (name: string) => `policy '${name}' with binding '${name}' denied request: `
  const cases: readonly (readonly [mutation: object, message: string])[] = [
    [
      apply('Object{spec: Object.spec{}}'),
      'error applying patch: failed to convert patch object to typed object: .spec: field not declared in schema',
    ],
    [
      apply("Object{metadata: Object.wrong{name: 'x'}}"),
      'type mismatch: unexpected type name "Object.wrong", expected "Object.metadata", which matches field name path from root Object type',
    ],
    [
      apply("Object{data: {'a': object.data.absent}}"),
      "expression 'Object{data: {'a': object.data.absent}}' resulted in error: no such key: data",
    ],
    [
      patch("[JSONPatch{op: 'remove', path: '/data/absent'}]"),
      'JSON Patch: remove operation does not apply: doc is missing path: "/data/absent": missing value',
    ],
  ]
  for (const [index, [mutation, message]] of cases.entries()) {
    const name = `broken-${index}`
    await server.mutating(name, { mutations: [mutation] })
    const refused = await answers(403, () => create('any'))
    const status = assertFailure(refused, 403, 'Invalid', prefix(name) + message)
    assert.deepEqual(status.details, { name: 'any', kind: 'configmaps', causes: [{ message: prefix(name) + message }] })
    await server.mutating(name, { failurePolicy: 'Ignore', mutations: [mutation] })
    await answers(201, () => create('any'))
  }
})

test('atomic lists and maps may not be applied, and unknown fields may not be patched', async () => {
  const matchConstraints = { resourceRules: [writeRule({ resources: ['pods'] })] }
  const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'main', image: 'example/main' }] } }
  await server.mutating('atomic', {
    matchConstraints,
    mutations: [apply("Object{spec: Object.spec{containers: [Object.spec.containers{name: 'main', args: ['a']}]}}")],
  })
  const refused = await answers(403, () => server.api.send('POST', pods, pod))
  assertFailure(
    refused,
    403,
    'Invalid',
    /invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: \.spec\.containers\[0\]\.args$/,
  )
  await server.mutating('atomic', { matchConstraints, mutations: [patch("[JSONPatch{op: 'add', path: '/spec/nothing', value: 1}]")] })
  const failed = await answers(500, () => server.api.send('POST', pods, pod))
  assertFailure(failed, 500, 'InternalError', /nothing: field not declared in schema/)
})

test('only policies with reinvocationPolicy IfNeeded run again after a later change', async () => {
  const count = (key: string) =>
    apply(
      `Object{metadata: Object.metadata{annotations: {'${key}': string(has(object.metadata.annotations) && '${key}' in object.metadata.annotations ? int(object.metadata.annotations['${key}']) + 1 : 1)}}}`,
    )
  await server.mutating('a', { reinvocationPolicy: 'IfNeeded', mutations: [count('again')] })
  await server.mutating('b', { mutations: [count('once')] })
  const made = await becomes(
    'both',
    () => create('p'),
    ({ metadata }) => metadata.annotations?.['once'] && metadata.annotations['again'],
  )
  assert.deepEqual(made.metadata.annotations, { again: '2', once: '1' })
})

test('runs once per parameter; parameters may be of built-in kinds', async () => {
  for (const name of ['one', 'two'])
    await server.api.create('/api/v1/namespaces/default/secrets', { metadata: { name, labels: { of: 'policy' } } })
  await server.mutating(
    'each',
    {
      paramKind: { apiVersion: 'v1', kind: 'Secret' },
      mutations: [apply('Object{metadata: Object.metadata{labels: {params.metadata.name: params.kind}}}')],
    },
    { paramRef: { selector: { matchLabels: { of: 'policy' } }, parameterNotFoundAction: 'Deny' } },
  )
  const made = await becomes(
    'labels',
    () => create('p'),
    ({ metadata }) => metadata.labels,
  )
  assert.deepEqual(made.metadata.labels, { one: 'Secret', two: 'Secret' })
})

test('updates, and custom resources', async () => {
  const openAPIV3Schema = {
    type: 'object',
    properties: { spec: { type: 'object', properties: { size: { type: 'integer' }, color: { type: 'string' } } } },
  }
  await server.api.create(definitionsPath, smallDefinition('example.com', 'Thing', { openAPIV3Schema }))
  const matchConstraints = { resourceRules: [writeRule({ apiGroups: ['example.com'], resources: ['things'] })] }
  await server.mutating('paints', {
    matchConstraints,
    mutations: [apply("Object{spec: Object.spec{color: request.operation == 'UPDATE' ? 'green' : 'red'}}")],
  })
  const things = '/apis/example.com/v1/namespaces/default/things'
  const thing = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { generateName: 't-' }, spec: { size: 3 } }
  const made = await becomes(
    'color',
    () => server.api.send('POST', things, thing),
    ({ spec }) => spec?.['color'],
  )
  assert.deepEqual(made.spec, { size: 3, color: 'red' })
  const { body } = await server.api.patch(`${things}/${made.metadata.name}`, { spec: { size: 4 } })
  assert.deepEqual(body.spec, { size: 4, color: 'green' })
})
