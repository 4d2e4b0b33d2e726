import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { customResourceRows } from '../../../../core/resources/apiextensions/custom-resource.ts'
import { compilePath } from '../../../../core/resources/apiextensions/json-path.ts'
import type { SchemaNode } from '../../../../core/resources/apiextensions/schema-nodes.ts'
import { DecodeError, decode } from '../../../../core/schema/decode.ts'
import type { Json } from '../../../../core/schema/model.ts'
import { hookContext } from '../../../support/hook-context.ts'
import { judge, objectOf, rowOf } from './support.ts'

const text: SchemaNode = { type: 'string' }
const spec = (node: SchemaNode): SchemaNode => ({ type: 'object', properties: { spec: node } })
const fields = (properties: { [name: string]: SchemaNode }, more: SchemaNode = {}): SchemaNode => ({ type: 'object', properties, ...more })
const open = { 'x-kubernetes-preserve-unknown-fields': true }
const head = { kind: 'Thing', apiVersion: 'shop.test/v1', metadata: { name: 'one' } }

describe('decoding of custom resources', () => {
  const read = (schema: SchemaNode, members: { [name: string]: Json }) =>
    decode(rowOf(schema).schema, { ...head, ...members }, { root: true })

  it('prunes unknown fields and reports them in order, metadata first', () => {
    const schema = spec(fields({ known: text, list: { type: 'array', items: fields({ a: text }) }, open: fields({ a: fields({}) }, open) }))
    const { value, unknown } = read(schema, {
      spec: { z: 1, known: 'k', list: [{ a: 'a', b: 'b' }], open: { b: { c: null }, a: { d: 1 } } },
      more: 1,
      metadata: { name: 'one', other: 1 },
    })
    assert.deepEqual(value['spec'], { known: 'k', list: [{ a: 'a' }], open: { a: {}, b: { c: null } } })
    assert.deepEqual(unknown, ['metadata.other', 'more', 'spec.list[0].b', 'spec.open.a.d', 'spec.z'])
  })

  it('prunes nulls that are not allowed, unless a default replaces them', () => {
    const schema = spec(fields({ plain: text, nullable: { ...text, nullable: true }, filled: { ...text, default: 'd' } }))
    const row = rowOf(schema)
    assert.deepEqual(objectOf(row, { spec: { plain: null, nullable: null, filled: null } })['spec'], { nullable: null, filled: 'd' })
    const items = { type: 'array', items: { ...text, default: 'i' } }
    const values = { type: 'object', additionalProperties: { ...text, default: 'v' } }
    const inPlace = rowOf(spec(fields({ items, values })))
    assert.deepEqual(objectOf(inPlace, { spec: { items: [null, 'a'], values: { a: null } } })['spec'], {
      items: ['i', 'a'],
      values: { a: 'v' },
    })
  })

  it('orders keys, with kind, apiVersion and metadata first', () => {
    const { value } = decode(
      rowOf(spec({ type: 'object', ...open })).schema,
      { spec: { b: { y: 1, x: 2 }, a: 1 }, ...head },
      { root: true },
    )
    assert.equal(
      JSON.stringify(value),
      '{"kind":"Thing","apiVersion":"shop.test/v1","metadata":{"name":"one"},"spec":{"a":1,"b":{"x":2,"y":1}}}',
    )
  })

  it('shares maps and lists that are canonical already', () => {
    const values = { type: 'object', additionalProperties: text }
    const items = { type: 'array', items: fields({ a: text }) }
    const { schema } = rowOf(spec(fields({ items, open: { type: 'object', ...open }, values })))
    const canonical = { items: [{ a: 'a' }], open: { a: { b: [1, null] }, c: 2 }, values: { a: '1', b: '2' } }
    const shared = (members: { readonly [name: string]: Json }) =>
      decode(schema, { ...head, spec: members }, { root: true, shares: true }).value['spec'] as typeof canonical
    assert.equal(shared(canonical), canonical)
    const changed = shared({ ...canonical, items: [...canonical.items, { b: 'b' }] })
    assert.deepEqual(changed, { ...canonical, items: [{ a: 'a' }, {}] })
    assert.equal(changed.items[0], canonical.items[0])
    assert.equal(changed.values, canonical.values)
    assert.equal(JSON.stringify(shared({ ...canonical, values: { b: '2', a: '1' } })), JSON.stringify(canonical))
  })

  it('always adds metadata, which is typed at the root and in embedded resources', () => {
    const schema = spec({ type: 'object', ...open, 'x-kubernetes-embedded-resource': true })
    const bare = decode(rowOf(schema).schema, { kind: 'Thing', apiVersion: 'shop.test/v1' }, { root: true }).value
    assert.deepEqual(bare['metadata'], {})
    const fails = (members: { [name: string]: Json }, message: string) =>
      assert.throws(
        () => read(schema, members),
        (error) => error instanceof DecodeError && error.message === message,
      )
    fails({ metadata: { labels: { a: 1 } } }, 'json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string')
    fails({ spec: { kind: 1 } }, 'spec.kind: Invalid value: 1: must be a string')
    fails(
      { spec: { metadata: { labels: { a: 1 } } } },
      'spec.metadata: Invalid value: {"labels":{"a":1}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    )
    assert.deepEqual(read(schema, { spec: { metadata: { name: 'n', more: 1 } } }).unknown, ['spec.metadata.more'])
  })

  it('refuses values nested too deep, also where unknown fields are preserved', () => {
    let deep: Json = {}
    for (let i = 0; i < 600; i++) deep = { deep }
    assert.throws(() => read(spec({ type: 'object', ...open }), { spec: deep }), /exceeded max depth/)
  })
})

describe('validation of all custom resources', () => {
  it('covers embedded resources', () => {
    const row = rowOf(spec({ type: 'object', ...open, 'x-kubernetes-embedded-resource': true }))
    const errors = (value: Json) => judge(row, objectOf(row, { spec: value })).errors
    assert.deepEqual(errors({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'n' } }), [])
    assert.deepEqual(errors({ kind: '1', apiVersion: 'a/b/c' }), [
      'spec.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      `spec.kind: Invalid value: "1": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
    ])
    assert.deepEqual(errors({}), ['spec.apiVersion: Required value', 'spec.kind: Required value'])
  })

  it('refuses duplicates in sets and map lists, unless the stored object had some', () => {
    const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] }
    const row = rowOf(
      spec(
        fields({
          set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
          map: { type: 'array', items: fields({ k: text }), ...keyed },
        }),
      ),
    )
    const object = (set: string[]) => objectOf(row, { spec: { set, map: [{ k: 'a' }, { k: 'b' }] } })
    assert.deepEqual(judge(row, objectOf(row, { spec: { set: ['a', 'b', 'a', 'a'], map: [{ k: 'a' }, { k: 'a' }] } })).errors, [
      'spec.set[2]: Duplicate value: "a"',
      'spec.map[1]: Duplicate value: {"k":"a"}',
    ])
    assert.deepEqual(judge(row, object(['a', 'a', 'b', 'b']), object(['a', 'a'])).errors, [])
    assert.equal(judge(row, object(['a', 'a']), object(['a'])).errors.length, 1)
  })

  it('ratchets unchanged fields, but not rules of the whole object', () => {
    const loose = rowOf(spec(fields({ a: text, b: text })))
    const object = objectOf(loose, { spec: { a: 'x' } })
    const part = rowOf(spec({ ...fields({ a: text, b: text }), required: ['b'] }))
    assert.deepEqual(judge(part, object, object).errors, [])
    const whole = rowOf({
      type: 'object',
      properties: { apiVersion: { type: 'string', pattern: '^other/' } },
      required: ['status'],
      ...open,
    })
    assert.deepEqual(judge(whole, object, object).errors, [
      `apiVersion: Invalid value: "shop.test/v1": apiVersion in body should match '^other/'`,
      'status: Required value',
    ])
  })

  it('validates the fields used by the scale subresource', () => {
    const scale = { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' }
    const row = rowOf({ type: 'object', ...open }, { subresources: { scale } })
    const errors = (n: Json) => judge(row, objectOf(row, { spec: { n } })).errors
    assert.deepEqual(errors(3), [])
    assert.deepEqual(errors(-1), ['.spec.n: Invalid value: -1: should be a non-negative integer'])
    assert.deepEqual(errors(2 ** 31), ['.spec.n: Invalid value: 2147483648: should be less than or equal to 2147483647'])
    assert.deepEqual(errors('x'), ['.spec.n: Invalid value: 0: .spec.n accessor error: x is of the type string, expected int64'])
  })

  it('warns about new finalizers without a domain', () => {
    const row = rowOf({ type: 'object' })
    const object = (...finalizers: string[]) => ({ ...objectOf(row, {}), metadata: { name: 'one', finalizers } })
    const warnings = (now: string[], before?: string[]) =>
      row.strategy.warnings?.(object(...now), before && object(...before), hookContext())
    const prefer = 'prefer a domain-qualified finalizer name'
    const why = 'to avoid accidental conflicts with other finalizer writers'
    assert.deepEqual(warnings(['a.b', 'c', 'd/e', 'orphan']), [
      `metadata.finalizers: "a.b": ${prefer} including a path (/) ${why}`,
      `metadata.finalizers: "c": ${prefer} ${why}`,
    ])
    assert.deepEqual(warnings(['c'], ['c']), [])
  })
})

describe('definitions of custom resources', () => {
  const version = (name: string, more = {}) => ({
    name,
    served: true,
    storage: name === 'v1',
    schema: { openAPIV3Schema: { type: 'object' } },
    ...more,
  })
  const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList', shortNames: ['th'] }
  const rows = (...versions: ReturnType<typeof version>[]) =>
    customResourceRows({ spec: { group: 'shop.test', scope: 'Cluster', names, versions } }).map(({ row }) => row)

  it('warn about deprecated versions and name the replacement', () => {
    const old = { deprecated: true }
    const texts = (...versions: ReturnType<typeof version>[]) => rows(...versions).map(({ origin }) => origin.deprecationWarning)
    assert.deepEqual(texts(version('v1alpha1', old), version('v1beta1'), version('v1')), [
      'shop.test/v1alpha1 Thing is deprecated; use shop.test/v1 Thing',
      undefined,
      undefined,
    ])
    assert.deepEqual(texts(version('v1', old)), ['shop.test/v1 Thing is deprecated'])
    assert.deepEqual(texts(version('v1', { ...old, deprecationWarning: 'gone soon' })), ['gone soon'])
  })

  it('count status as content without the status subresource', () => {
    const [plain, status] = rows(version('v1'), version('v2', { subresources: { status: {} } }))
    assert.deepEqual([plain?.generation, status?.generation, plain?.namespaced], ['specAndStatus', 'spec', false])
    assert.equal(status?.storageVersion, 'shop.test/v1')
  })

  it('do not read schemas before they are needed', () => {
    let reads = 0
    const [{ row } = assert.fail()] = customResourceRows(
      { spec: { group: 'shop.test', scope: 'Cluster', names, versions: [version('v1')] } },
      { schemaText: () => `{"type":"object","properties":{"n${++reads}":{"type":"string"}}}` },
    )
    assert.equal(reads, 0)
    assert.deepEqual([...row.schema.json.keys()], ['kind', 'apiVersion', 'metadata', 'n1'])
    assert.deepEqual([...row.schema.json.keys()].length, 4)
    assert.equal(reads, 1)
  })

  it('print columns by type, and the age by default', () => {
    const column = (type: string, jsonPath: string) => ({ name: type, type, jsonPath })
    const row = rowOf(
      { type: 'object', ...open },
      {
        additionalPrinterColumns: [
          column('string', '.spec.n'),
          column('integer', '.spec.n'),
          column('boolean', '.spec.n'),
          column('string', '.spec.o'),
          column('date', '.spec.t'),
          column('number', '.spec.none'),
        ],
      },
    )
    const object = objectOf(row, { spec: { n: 1.5, o: { a: [1] }, t: '2024-01-01T00:00:00Z' } })
    const context = { ...hookContext(), now: Date.parse('2024-01-01T01:00:00Z') }
    const cells = row.columns.map(({ cell }) => (typeof cell === 'function' ? cell(object as never, context) : cell))
    assert.deepEqual(cells, ['.metadata.name', '1.5', 1, null, '{"a":[1]}', '60m', null])
    assert.equal(row.columns[1]?.doc, 'Custom resource definition column (in JSONPath format): .spec.n')
    assert.deepEqual(
      rowOf({ type: 'object' }).columns.map(({ name, type }) => [name, type]),
      [
        ['Name', 'string'],
        ['Age', 'date'],
      ],
    )
  })

  it('print selectable fields as strings', () => {
    const row = rowOf(spec(fields({ on: { type: 'boolean' } })), { selectableFields: [{ jsonPath: '.spec.on' }] })
    const read = row.selectable?.['spec.on']
    assert.ok(typeof read === 'function')
    assert.deepEqual([objectOf(row, { spec: { on: false } }), objectOf(row, {})].map(read), ['false', ''])
  })
})

describe('JSON paths of columns', () => {
  const object = {
    spec: {
      list: [
        { name: 'a', n: 1 },
        { name: 'b', n: 2 },
      ],
      'a.b': 1,
      map: { x: { deep: 'found' } },
    },
    status: {
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'Other', status: 'False' },
      ],
      text: 'say "hi"',
    },
  }
  const rows: readonly (readonly [path: string, found: Json | undefined])[] = [
    ['.spec.list[0].name', 'a'],
    ['.spec.list[-1].name', 'b'],
    ['.spec.list[1:].n', 2],
    ['.spec.list[*].n', 1],
    ['.spec.list[0,1].name', 'a'],
    ['.spec.list[7].name', undefined],
    ['.spec.list[::2].n', 1],
    [".spec['a.b']", undefined],
    ['.spec.a\\.b', 1],
    [".spec['map'].x.deep", 'found'],
    ['.spec.map.*.deep', 'found'],
    ['..deep', 'found'],
    ['.status.conditions[?(@.type=="Ready")].status', 'True'],
    ["$.status.conditions[?(@.type=='Other')].status", 'False'],
    ['.status.conditions[?(@.type!="Ready")].type', 'Other'],
    ['.spec.list[?(@.n>1)].name', 'b'],
    ['.spec.list[?(@.n<=1)].name', 'a'],
    ['.spec.list[?(@.missing)].name', undefined],
    ['.spec.list[?(@.name)].name', 'a'],
    ['.spec.list[?(@.n=="1")].name', undefined],
    ['.spec.text.more', undefined],
    ['.spec.list.name', undefined],
    ['.__proto__', undefined],
    ['.', undefined],
  ]
  for (const [path, found] of rows) it(path, () => assert.deepEqual(compilePath(path)(object), found))

  it('are refused when malformed', () => {
    for (const path of ['.spec[', '.spec[a]', '.spec[?(@.a]', ".spec['a", '.a[?(@.b=="c]']) assert.throws(() => compilePath(path), path)
  })

  it('take bounded time on repetitive objects', () => {
    let wide: Json = 'x'
    for (let i = 0; i < 15; i++) wide = [wide, wide]
    assert.equal(compilePath('..a..b..c..d')(wide), undefined)
  })
})
