/** Definitions of custom resources, objects against their schemas, expressions, and the policies that requests are matched with. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createCelEnvironment } from '../../core/cel/environment.ts'
import { dynType } from '../../core/cel/types.ts'
import { faultsOf, type Limits, ofText, type Prepare } from '../support/growth.ts'
import { eventually } from '../support/wait.ts'
import { type Bench, openBench } from './bench.ts'

let bench: Bench
before(async () => {
  bench = await openBench(true)
})
after(() => bench.close())

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: Math.ceil(count) }, (_, index) => make(index))
const record = (count: number, make: (index: number) => unknown) => Object.fromEntries(times(count, (index) => [`k${index}`, make(index)]))

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const text = { type: 'string' }
const integer = { type: 'integer' }
const array = (items: object, more: object = {}) => ({ type: 'array', items, ...more })

function definition(plural: string, spec: object, more: object = {}, version: object = {}) {
  const schema = { openAPIV3Schema: object({ spec }) }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.finder.example.com` },
    spec: {
      group: 'finder.example.com',
      scope: 'Namespaced',
      names: { plural, kind: plural },
      versions: [{ name: 'v1', served: true, storage: true, schema, ...version }],
      ...more,
    },
  }
}

function nestedSchema(depth: number): object {
  let schema: object = text
  for (let i = 0; i < depth; i++) schema = object({ a: schema })
  return schema
}

/** Definitions that are large in one place. */
const large: { [name: string]: (bytes: number) => object } = {
  properties: (bytes) => definition('larges', object(record(bytes / 28, () => text))),
  'deep properties': (bytes) => definition('larges', nestedSchema(Math.min(240, bytes / 40))),
  'required names': (bytes) => definition('larges', object({}, { required: times(bytes / 8, (index) => `k${index}`) })),
  'repeated required names': (bytes) => definition('larges', object({ a: text }, { required: times(bytes / 4, () => 'a') })),
  'enumerated values': (bytes) => definition('larges', object({ a: { ...text, enum: times(bytes / 8, (index) => `v${index}`) } })),
  'repeated enumerated values': (bytes) => definition('larges', object({ a: { ...text, enum: times(bytes / 4, () => 'v') } })),
  alternatives: (bytes) => definition('larges', object({ a: text }, { anyOf: times(bytes / 18, () => ({ required: ['a'] })) })),
  'nested alternatives': (bytes) =>
    definition('larges', object({ a: text }, { allOf: times(bytes / 50, () => ({ anyOf: [{ not: { required: ['a'] } }, {}] })) })),
  'map keys': (bytes) => {
    const keys = times(bytes / 36, (index) => `k${index}`)
    const items = object(Object.fromEntries(keys.map((key) => [key, text])), { required: keys })
    return definition('larges', object({ a: array(items, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys }) }))
  },
  defaults: (bytes) => definition('larges', object({ a: { ...array(integer), default: times(bytes / 6, (index) => index) } })),
  'a default object': (bytes) =>
    definition(
      'larges',
      object({ a: { ...object({}), additionalProperties: text, properties: undefined, default: record(bytes / 14, () => 'v') } }),
    ),
  'nested defaults': (bytes) =>
    definition('larges', object(record(bytes / 90, () => ({ ...object({ a: { ...text, default: 'b' } }), default: {} })))),
  'defaults around many properties': (bytes) => {
    let schema: object = object(record(bytes / 60, () => text))
    for (let level = 0; level < Math.min(150, bytes / 120); level++) schema = { ...object({ a: schema }), default: {} }
    return definition('larges', schema)
  },
  'defaults of metadata': (bytes) => {
    const metadata = object(record(bytes / 40, () => ({ ...text, default: 'b' })))
    return definition('larges', object({ a: object({ metadata }, { 'x-kubernetes-embedded-resource': true }) }))
  },
  patterns: (bytes) => definition('larges', object(record(bytes / 60, (index) => ({ ...text, pattern: `^a{1,${(index % 9) + 1}}b*$` })))),
  'a long pattern': (bytes) => definition('larges', object({ a: { ...text, pattern: '(a|b)*'.repeat(bytes / 6) } })),
  rules: (bytes) =>
    definition(
      'larges',
      object({ a: integer }, { 'x-kubernetes-validations': times(bytes / 40, (index) => ({ rule: `self.a > ${index}` })) }),
    ),
  'a long rule': (bytes) =>
    definition('larges', object({ a: integer }, { 'x-kubernetes-validations': [{ rule: `${'self.a > 1 && '.repeat(bytes / 14)}true` }] })),
  'a deep rule': (bytes) =>
    definition(
      'larges',
      object({ a: integer }, { 'x-kubernetes-validations': [{ rule: `${'('.repeat(bytes / 2)}true${')'.repeat(bytes / 2)}` }] }),
    ),
  versions: (bytes) =>
    definition('larges', object({}), {
      versions: times(bytes / 130, (index) => ({
        name: `v${index + 1}`,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: { type: 'object' } },
      })),
    }),
  columns: (bytes) =>
    definition(
      'larges',
      object({}),
      {},
      {
        additionalPrinterColumns: times(bytes / 50, (index) => ({ name: `c${index}`, type: 'string', jsonPath: `.spec.k${index}` })),
      },
    ),
  'selectable fields': (bytes) =>
    definition('larges', object({ a: text }), {}, { selectableFields: times(bytes / 24, (index) => ({ jsonPath: `.spec.k${index}` })) }),
  'short names': (bytes) =>
    definition('larges', object({}), { names: { plural: 'larges', kind: 'Large', shortNames: times(bytes / 8, (index) => `s${index}`) } }),
  'a long description': (bytes) => definition('larges', object({}, { description: 'x'.repeat(bytes) })),
}

/** Each of these defaults, 40 bytes long, is validated as a whole object of its own. */
const limitsOf: { readonly [name: string]: Limits } = { 'defaults of metadata': { time: 1_000 } }

const createdWith =
  (path: string, make: (bytes: number) => object): Prepare =>
  (bytes) =>
    ofText(JSON.stringify(make(bytes)), (body) => bench.send('POST', `${path}?dryRun=All`, body))

for (const [name, make] of Object.entries(large))
  test(`definition with many or large: ${name}`, async () => {
    assert.deepEqual(await faultsOf([[name, createdWith(definitions, make)]], limitsOf[name]), [])
  })

const validations = (...rules: string[]) => ({ 'x-kubernetes-validations': rules.map((rule) => ({ rule })) })

/** Schemas, and what is large in an object of each. */
const served: { [plural: string]: { readonly spec: object; readonly value: (bytes: number) => unknown } } = {
  maps: { spec: { type: 'object', additionalProperties: text }, value: (bytes) => record(bytes / 14, () => 'v') },
  unknowns: { spec: object({ a: text }), value: (bytes) => record(bytes / 14, () => 'v') },
  kept: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, value: (bytes) => record(bytes / 20, () => [1.5, null]) },
  sets: {
    spec: object({ a: array(text, { 'x-kubernetes-list-type': 'set' }) }),
    value: (bytes) => ({ a: times(bytes / 9, (index) => `v${index}`) }),
  },
  repeats: {
    spec: object({ a: array(text, { 'x-kubernetes-list-type': 'set' }) }),
    value: (bytes) => ({ a: times(bytes / 4, () => 'v') }),
  },
  keyed: {
    spec: object({
      a: array(object({ k: text, p: integer, v: text }, { required: ['k', 'p'] }), {
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k', 'p'],
      }),
    }),
    value: (bytes) => ({ a: times(bytes / 28, (index) => ({ k: `v${index}`, p: index % 7, v: 'x' })) }),
  },
  patterned: {
    spec: object({ a: array({ ...text, pattern: '^(a|ab)*c?$' }) }),
    value: (bytes) => ({ a: ['ab'.repeat(bytes / 4), ...times(bytes / 10, () => 'abab')] }),
  },
  formatted: {
    spec: object({ a: array({ ...text, format: 'date-time' }) }),
    value: (bytes) => ({ a: times(bytes / 23, () => '2026-01-01T00:00:00Z') }),
  },
  alternating: {
    spec: object({ a: array(object({ x: text, y: integer }, { oneOf: [{ required: ['x'] }, { required: ['y'] }] })) }),
    value: (bytes) => ({ a: times(bytes / 10, (index) => (index % 2 ? { x: 'v' } : { y: 1 })) }),
  },
  defaulted: {
    spec: object({ a: array(object({ x: { ...text, default: 'd' }, y: { ...integer, default: 1 } })) }),
    value: (bytes) => ({ a: times(bytes / 3, () => ({})) }),
  },
  uniques: { spec: object({ a: { ...array(text), maxItems: 10 } }), value: (bytes) => ({ a: times(bytes / 9, (index) => `v${index}`) }) },
  wrong: { spec: object({ a: array(integer) }), value: (bytes) => ({ a: times(bytes / 4, () => 'v') }) },
  anything: {
    spec: object({ a: array({ 'x-kubernetes-int-or-string': true }) }),
    value: (bytes) => ({ a: times(bytes / 4, (index) => (index % 2 ? 'v' : 10)) }),
  },
  embedded: {
    spec: object({ a: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true } }),
    value: (bytes) => ({ a: { apiVersion: 'v1', kind: 'A', metadata: { name: 'a', labels: record(bytes / 14, () => 'v') } } }),
  },
  deep: {
    spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    value: (bytes) => times(Math.min(900, bytes / 6), (index) => index).reduce<unknown>((inner) => ({ a: inner }), 'v'),
  },
  ruled: {
    spec: object({ a: array({ ...text, maxLength: 10 }, { maxItems: 100_000 }) }, validations('self.a.all(x, x.size() < 8)')),
    value: (bytes) => ({ a: times(bytes / 9, (index) => `v${index}`) }),
  },
  itemized: {
    spec: object({
      a: array(object({ x: { ...text, maxLength: 9 } }, validations("self.x != 'y'", 'self.x.size() < 9')), { maxItems: 100_000 }),
    }),
    value: (bytes) => ({ a: times(bytes / 16, (index) => ({ x: `v${index}` })) }),
  },
  transitions: {
    spec: object({ a: array({ ...text, maxLength: 10 }, { maxItems: 100_000 }) }, validations('self.a.size() >= oldSelf.a.size()')),
    value: (bytes) => ({ a: times(bytes / 9, (index) => `v${index}`) }),
  },
}

for (const [plural, { spec, value }] of Object.entries(served))
  test(`objects: ${plural}`, async () => {
    const created = await bench.send('POST', definitions, JSON.stringify(definition(plural, spec)))
    assert.equal(created.status, 201, created.text)
    const path = `/apis/finder.example.com/v1/namespaces/default/${plural}`
    await eventually(plural, async () => (await bench.send('GET', path)).status === 200)
    const made = (bytes: number, size = 'x') =>
      JSON.stringify({ apiVersion: 'finder.example.com/v1', kind: plural, metadata: { name: 'one', labels: { size } }, spec: value(bytes) })
    const created2: Prepare = (bytes) => ofText(made(bytes), (body) => bench.send('POST', `${path}?dryRun=All`, body))
    const updated: Prepare = async (bytes) => {
      await bench.send('DELETE', `${path}/one`)
      const stored = made(bytes)
      const body = made(bytes, 'y')
      await bench.send('POST', path, stored)
      // An update reads its body and what is stored.
      return { bytes: stored.length + body.length, work: () => bench.send('PUT', `${path}/one?dryRun=All`, body) }
    }
    const merged: Prepare = async (bytes) => {
      await bench.send('DELETE', `${path}/one`)
      await bench.send('POST', path, made(bytes))
      const type = { 'content-type': 'application/merge-patch+json' }
      return {
        bytes: made(bytes).length,
        work: () => bench.send('PATCH', `${path}/one?dryRun=All`, '{"metadata":{"labels":{"size":"z"}}}', type),
      }
    }
    const applied: Prepare = (bytes) =>
      ofText(made(bytes), (body) =>
        bench.send('PATCH', `${path}/two?dryRun=All&fieldManager=finder`, body.replace('"one"', '"two"'), {
          'content-type': 'application/apply-patch+yaml',
        }),
      )
    const faults = await faultsOf([
      ['created', created2],
      ['updated', updated],
      ['merged', merged],
      ['applied', applied],
    ])
    assert.deepEqual(faults, [])
    const tables = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' }
    await bench.send('GET', path, undefined, tables)
  })

/** What rules of one request may cost. */
const costLimit = 10_000_000
const environment = createCelEnvironment({ variables: { x: dynType } })
const evaluate = (source: string, x: unknown) => {
  try {
    const compiled = environment.compile(source)
    return 'program' in compiled ? compiled.program.evaluate({ x } as never, { costLimit }) : undefined
  } catch {
    return undefined
  }
}

const expressionUnits = [
  '1+',
  '!',
  '-',
  '(',
  '[',
  '{',
  'x.',
  'x[',
  '"a"+',
  "'",
  '"\\',
  'a?b:',
  'x && ',
  'x in ',
  '[1].all(a, ',
  '1,',
  '//',
  '\n',
  'b"',
  '0x',
  '1e',
  'has(x.a) || ',
]

test('expressions: long, deep, broken', async () => {
  const works = expressionUnits.map((unit): [string, Prepare] => [
    unit,
    (bytes) => ofText(unit.repeat(bytes / unit.length), (source) => evaluate(source, {})),
  ])
  assert.deepEqual(await faultsOf(works), [])
})

const overData = [
  'x.all(a, a.size() < 9)',
  'x.exists(a, a == "z")',
  'x.map(a, a + "b").size()',
  'x.filter(a, a.startsWith("v")).size()',
  'x.sort().size()',
  'x.distinct().size()',
  'x.isSorted()',
  'x == x',
  '"v77" in x',
  'x.join(",").size()',
  'x.join(",").split(",").size()',
  'x.join(",").replace("v", "ww").size()',
  'x.join(",").matches("(v|vv)*z")',
  'x.join(",").upperAscii().indexOf("Z")',
  'sets.contains(x, x)',
  'sets.equivalent(x, x)',
  'x.map(a, x).size() > 1',
]

test('expressions over large data', async () => {
  const works = overData.map((source): [string, Prepare] => [
    source,
    (bytes) => {
      const data = times(bytes / 8, (index) => `v${index}`)
      return { bytes, work: () => evaluate(source, data) }
    },
  ])
  assert.deepEqual(await faultsOf(works), [])
})

test('requests that policies and webhooks are matched with', async () => {
  const rule = (index: number) => ({ apiGroups: [`g${index}`], apiVersions: ['*'], resources: ['*/*'], operations: ['*'] })
  const rules = times(2_000, rule)
  const expressions = times(2_000, (index) => ({ key: `k${index}`, operator: 'NotIn', values: ['a'] }))
  const failurePolicy = 'Ignore'
  const spec = {
    failurePolicy,
    validations: [{ expression: 'true' }],
    matchConstraints: { resourceRules: rules, objectSelector: { matchExpressions: expressions } },
  }
  const policies = '/apis/admissionregistration.k8s.io/v1'
  const post = async (kind: string, plural: string, body: object) => {
    const { status, text: answer } = await bench.send(
      'POST',
      `${policies}/${plural}`,
      JSON.stringify({ kind, metadata: { name: 'finder' }, ...body }),
    )
    assert.equal(status, 201, answer.slice(0, 300))
  }
  await post('ValidatingAdmissionPolicy', 'validatingadmissionpolicies', { spec })
  const binding = { policyName: 'finder', validationActions: ['Deny'] }
  await post('ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings', { spec: binding })
  const labelled: Prepare = (bytes) => {
    const labels = record(bytes / 14, () => 'v')
    return ofText(JSON.stringify({ metadata: { name: 'a', labels } }), (body) =>
      bench.send('POST', '/api/v1/namespaces/default/configmaps?dryRun=All', body),
    )
  }
  assert.deepEqual(await faultsOf([['labels', labelled]]), [])
})
