/** Custom resources: structural schemas, pruning, defaults, rules, ratcheting, versions. Each scene has a definition of its own. */
import type { Json, JsonObject } from '../../../core/schema/model.ts'
import { type Call, get, type Part, type Scene, send } from '../exchange.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const merge = { 'content-type': 'application/merge-patch+json' }
const applied = { 'content-type': 'application/apply-patch+yaml' }

const group = 'reference.example.com'

/** A definition with the schema as that of `spec`. */
function definition(plural: string, spec: JsonObject, version: object = {}, more: object = {}) {
  const kind = `K${plural}`
  const properties = { spec, status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  return {
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: plural.slice(0, -1), kind, listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } }, ...version }],
      ...more,
    },
  }
}

/** Waits until the resource is served. */
const served = (plural: string): Call[] => [{ ...get(`/apis/${group}/v1/namespaces/default/${plural}`), until: 200 }]

/** Waits until the new schema is used: an object with an invalid spec is refused. */
const enforced = (plural: string, spec: Json): Call => ({
  ...send('POST', `/apis/${group}/v1/namespaces/default/${plural}?dryRun=All`, {
    kind: `K${plural}`,
    apiVersion: `${group}/v1`,
    metadata: { name: 'probe' },
    spec,
  }),
  until: 422,
})

/** One schema of `spec`, and specs of objects that fit it or don't. */
const schemas: readonly (readonly [plural: string, spec: JsonObject, specs: readonly Json[]])[] = [
  [
    'strings',
    {
      type: 'object',
      properties: {
        a: { type: 'string', minLength: 2, maxLength: 4, pattern: '^a' },
        e: { type: 'string', enum: ['x', 'y'] },
        n: { type: 'string', nullable: true },
      },
    },
    [
      { a: 'ab' },
      { a: 'a' },
      { a: 'abcde' },
      { a: 'ba' },
      { a: 1 },
      { e: 'z' },
      { e: 'x' },
      { n: null },
      { a: null },
      { unknown: 1 },
      1,
      null,
      [],
    ],
  ],
  [
    'numbers',
    {
      type: 'object',
      properties: {
        i: { type: 'integer', minimum: 1, maximum: 5, multipleOf: 2 },
        n: { type: 'number', exclusiveMinimum: true, minimum: 0 },
        l: { type: 'integer', format: 'int32' },
      },
    },
    [{ i: 2 }, { i: 0 }, { i: 7 }, { i: 3 }, { i: 2.5 }, { i: '2' }, { n: 0 }, { n: 0.5 }, { l: 4_294_967_296 }, { i: 2.0 }],
  ],
  [
    'lists',
    {
      type: 'object',
      properties: {
        s: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
        m: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
          items: { type: 'object', required: ['k'], properties: { k: { type: 'string' }, v: { type: 'integer' } } },
        },
        b: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'integer' } },
      },
    },
    [
      { s: ['a', 'b'] },
      { s: ['a', 'a'] },
      { m: [{ k: 'a' }, { k: 'a' }] },
      { m: [{ v: 1 }] },
      { m: [{ k: 'a', v: 'x' }] },
      { b: [] },
      { b: [1, 2, 3] },
      { b: ['x'] },
      { b: {} },
    ],
  ],
  [
    'defaults',
    {
      type: 'object',
      properties: {
        a: { type: 'string', default: 'x' },
        o: { type: 'object', default: {}, properties: { p: { type: 'integer', default: 3 } } },
        r: { type: 'array', items: { type: 'object', properties: { q: { type: 'boolean', default: true } } } },
      },
    },
    [{}, { a: null }, { o: {} }, { o: { p: null } }, { r: [{}, { q: false }] }],
  ],
  [
    'formats',
    {
      type: 'object',
      properties: {
        d: { type: 'string', format: 'date-time' },
        u: { type: 'string', format: 'uri' },
        e: { type: 'string', format: 'email' },
        i: { type: 'string', format: 'ipv4' },
        b: { type: 'string', format: 'byte' },
        c: { type: 'string', format: 'cidr' },
        g: { type: 'string', format: 'uuid' },
        t: { type: 'string', format: 'duration' },
      },
    },
    [
      { d: 'x' },
      { d: '2026-01-01T00:00:00Z' },
      { u: 'x y' },
      { e: 'x' },
      { i: '1' },
      { b: '!' },
      { c: '1/2' },
      { g: 'x' },
      { t: 'x' },
      { t: '1h' },
    ],
  ],
  [
    'logic',
    {
      type: 'object',
      properties: { a: { type: 'integer' }, b: { type: 'integer' } },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
      not: { properties: { a: { enum: [9] } }, required: ['a'] },
    },
    [{}, { a: 1 }, { b: 1 }, { a: 1, b: 1 }, { a: 9 }],
  ],
  [
    'rules',
    {
      type: 'object',
      properties: {
        min: { type: 'integer' },
        max: { type: 'integer' },
        name: {
          type: 'string',
          maxLength: 20,
          'x-kubernetes-validations': [
            { rule: "self.startsWith('a')", messageExpression: "'not ' + self" },
            { rule: 'self == oldSelf', message: 'is immutable', reason: 'FieldValueForbidden' },
          ],
        },
        tags: {
          type: 'array',
          maxItems: 5,
          items: { type: 'string', maxLength: 9 },
          'x-kubernetes-validations': [{ rule: 'self.all(t, t.size() > 1)' }],
        },
      },
      'x-kubernetes-validations': [
        { rule: '!has(self.min) || !has(self.max) || self.min <= self.max', message: 'min must not exceed max', fieldPath: '.min' },
      ],
    },
    [{ min: 1, max: 2, name: 'ab' }, { min: 3, max: 2 }, { name: 'b' }, { name: 'ac' }, { tags: ['x'] }, { tags: ['xx'] }],
  ],
  [
    'opens',
    {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: {
        i: { 'x-kubernetes-int-or-string': true },
        e: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
        m: { type: 'object', additionalProperties: { type: 'integer' }, maxProperties: 2 },
      },
    },
    [
      { i: 1 },
      { i: '50%' },
      { i: 1.5 },
      { e: {} },
      { e: { kind: 'X', apiVersion: 'v1' } },
      { e: { kind: 'X', apiVersion: 'v1', metadata: { name: 'A b' } } },
      { m: { a: 1, b: 2, c: 3 } },
      { m: { a: 'x' } },
      { anything: [1, { b: null }] },
    ],
  ],
  [
    'required',
    {
      type: 'object',
      required: ['a', 'b'],
      properties: { a: { type: 'string' }, b: { type: 'object', required: ['c'], properties: { c: { type: 'integer' } } } },
    },
    [{}, { a: 'x' }, { a: 'x', b: {} }, { a: 'x', b: { c: 1 } }, { a: null, b: null }],
  ],
]

const versioned = {
  subresources: {
    status: {},
    scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', labelSelectorPath: '.status.selector' },
  },
  additionalPrinterColumns: [
    { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' },
    { name: 'Name', type: 'string', jsonPath: '.metadata.name', priority: 1 },
    { name: 'Since', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  selectableFields: [{ jsonPath: '.spec.color' }],
}

function* validations(): Generator<Scene> {
  for (const [plural, schema, specs] of schemas) {
    const path = `/apis/${group}/v1/namespaces/default/${plural}`
    const object = (spec: Json | undefined, name = 'a') => ({ kind: `K${plural}`, apiVersion: `${group}/v1`, metadata: { name }, spec })
    yield {
      kind: 'custom resources',
      at: plural,
      calls: [
        send('POST', definitions, definition(plural, schema)),
        ...served(plural),
        ...specs.flatMap((spec, index) => [
          ...['Strict', 'Warn'].map((each) => send('POST', `${path}?dryRun=All&fieldValidation=${each}`, object(spec, 'dry'))),
          send('POST', path, object(spec, `o-${index}`)),
        ]),
        ...specs.slice(1).map((spec) =>
          send('PUT', `${path}/o-0?dryRun=All`, {
            ...object(spec),
            metadata: { name: 'o-0', resourceVersion: '{{4.metadata.resourceVersion}}' },
          }),
        ),
        ...specs.map((spec) => send('PATCH', `${path}/o-0?dryRun=All`, { spec }, merge)),
        ...specs.map((spec) =>
          send('PATCH', `${path}/o-0?dryRun=All&fieldManager=x&force=true`, { ...object(spec), metadata: { name: 'o-0' } }, applied),
        ),
        send('PUT', `${path}/o-0`, object({}, 'o-0')),
        send('POST', path, { ...object({}), kind: 'Other' }),
        send('PATCH', `${path}/o-0`, {}, { 'content-type': 'application/strategic-merge-patch+json' }),
        get(`${path}/o-0`),
        get(path),
        get(path, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }),
        get(`/apis/${group}/v1`),
        get(`/apis/${group}/v1/namespaces/default/${plural}/o-0/status`),
        { method: 'DELETE', path },
        { method: 'DELETE', path: `${definitions}/${plural}.${group}` },
      ],
    }
  }
}

function* subresources(): Generator<Scene> {
  const plural = 'scaled'
  const path = `/apis/${group}/v1/namespaces/default/${plural}`
  const spec: JsonObject = { type: 'object', properties: { replicas: { type: 'integer' }, color: { type: 'string' } } }
  const object = (name: string, more: object = {}) => ({
    kind: `K${plural}`,
    apiVersion: `${group}/v1`,
    metadata: { name },
    spec: { replicas: 2, color: 'red' },
    ...more,
  })
  yield {
    kind: 'custom resources',
    at: 'subresources',
    calls: [
      send('POST', definitions, definition(plural, spec, versioned)),
      ...served(plural),
      send('POST', path, object('a', { status: { replicas: 1, selector: 'a=b' } })),
      send('PATCH', `${path}/a/status`, { status: { replicas: 1, selector: 'a=b' }, spec: { replicas: 9 } }, merge),
      get(`${path}/a/scale`),
      send('PATCH', `${path}/a/scale`, { spec: { replicas: 4 } }, merge),
      send('PUT', `${path}/a/scale`, {
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: { name: 'a', namespace: 'default' },
        spec: { replicas: -1 },
      }),
      get(`${path}/a`),
      get(`${path}?fieldSelector=spec.color%3Dred`),
      get(`${path}?fieldSelector=spec.color%3Dblue`),
      get(`${path}?fieldSelector=spec.replicas%3D4`),
      get(path, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }),
      get(`/apis/${group}/v1`),
      send('PATCH', `${definitions}/${plural}.${group}`, { spec: { scope: 'Cluster' } }, merge),
      send('PATCH', `${definitions}/${plural}.${group}`, { spec: { names: { kind: 'Another' } } }, merge),
      { method: 'DELETE', path },
      { method: 'DELETE', path: `${definitions}/${plural}.${group}` },
    ],
  }
}

/** An object that became invalid by a stricter schema may keep what it has. */
function* ratcheting(): Generator<Scene> {
  const plural = 'ratchets'
  const path = `/apis/${group}/v1/namespaces/default/${plural}`
  const schema = (limit: object): JsonObject => ({
    type: 'object',
    properties: {
      a: { type: 'string', ...limit } as JsonObject,
      b: { type: 'string' },
      list: { type: 'array', items: { type: 'string', ...limit } as JsonObject },
    },
  })
  const strict = schema({ maxLength: 2 })
  yield {
    kind: 'custom resources',
    at: 'ratcheting',
    calls: [
      send('POST', definitions, definition(plural, schema({}))),
      ...served(plural),
      send('POST', path, {
        kind: `K${plural}`,
        apiVersion: `${group}/v1`,
        metadata: { name: 'a' },
        spec: { a: 'long', list: ['long', 'x'] },
      }),
      send('PATCH', `${definitions}/${plural}.${group}`, { spec: { versions: definition(plural, strict).spec.versions } }, merge),
      enforced(plural, { a: 'long' }),
      send('PATCH', `${path}/a?dryRun=All`, { spec: { b: 'x' } }, merge),
      send('PATCH', `${path}/a?dryRun=All`, { spec: { a: 'longer' } }, merge),
      send('PATCH', `${path}/a?dryRun=All`, { spec: { list: ['long', 'x', 'y'] } }, merge),
      send('PATCH', `${path}/a?dryRun=All`, { spec: { list: ['long', 'other'] } }, merge),
      { method: 'DELETE', path },
      { method: 'DELETE', path: `${definitions}/${plural}.${group}` },
    ],
  }
}

/** Schemas that a definition refuses, or answers with conditions. */
const text = { type: 'string' }
const keyed = { type: 'object', required: ['k'], properties: { k: text } }
const cel = (rule: object, more: JsonObject = text): JsonObject => ({ ...more, 'x-kubernetes-validations': [rule as JsonObject] })

/** Schemas of a member that are seldom written, most of them wrong. */
const odd: readonly JsonObject[] = [
  ...([true, false] as const).map((value): JsonObject => ({ 'x-kubernetes-int-or-string': value })),
  ...['integer', 'string', 'object'].map((type): JsonObject => ({ type, 'x-kubernetes-int-or-string': true })),
  { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
  { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'string' }, { type: 'integer' }] },
  { 'x-kubernetes-int-or-string': true, allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }] },
  { 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true },
  ...([true, false] as const).flatMap((value): JsonObject[] => [
    { 'x-kubernetes-preserve-unknown-fields': value },
    { type: 'string', 'x-kubernetes-preserve-unknown-fields': value },
    { type: 'array', 'x-kubernetes-preserve-unknown-fields': value, items: text },
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': value, additionalProperties: text },
    { type: 'object', additionalProperties: value },
    { type: 'object', additionalProperties: value, 'x-kubernetes-preserve-unknown-fields': true },
  ]),
  { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { kind: text, apiVersion: text, metadata: { type: 'object' } } },
  { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { metadata: text } },
  { type: 'string', 'x-kubernetes-embedded-resource': true },
  { 'x-kubernetes-embedded-resource': true },
  ...['set', 'atomic', 'map', 'x', ''].flatMap((kind): JsonObject[] => [
    { type: 'array', 'x-kubernetes-list-type': kind, items: text },
    { type: 'array', 'x-kubernetes-list-type': kind, items: keyed },
    { type: 'array', 'x-kubernetes-list-type': kind, 'x-kubernetes-list-map-keys': ['k'], items: keyed },
    { type: 'array', 'x-kubernetes-list-type': kind, items: { ...keyed, 'x-kubernetes-map-type': 'atomic' } },
    { type: 'object', 'x-kubernetes-list-type': kind },
  ]),
  ...[['none'], [], ['k', 'k'], ['']].map(
    (keys): JsonObject => ({ type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys, items: keyed }),
  ),
  {
    type: 'array',
    ...{ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], items: { type: 'object', properties: { k: text } } },
  },
  {
    type: 'array',
    ...{ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] },
    items: { type: 'object', properties: { k: { ...text, default: 'x' } } },
  },
  {
    type: 'array',
    ...{ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] },
    items: { ...keyed, properties: { k: { type: 'object' } }, nullable: true },
  },
  { type: 'array', 'x-kubernetes-list-type': 'set', items: { ...text, nullable: true } },
  { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'array', items: text } },
  { type: 'array', uniqueItems: true, items: text },
  ...['granular', 'atomic', 'x'].flatMap((kind): JsonObject[] => [
    { type: 'object', 'x-kubernetes-map-type': kind },
    { type: 'string', 'x-kubernetes-map-type': kind },
  ]),
  ...[null, {}, [], '', 'abc', 1, true].flatMap((value): JsonObject[] => [
    { type: 'string', maxLength: 2, default: value },
    { type: 'object', properties: { b: { type: 'integer' } }, default: value },
    { type: 'array', items: { type: 'integer' }, default: value },
    { type: 'string', nullable: true, default: value },
  ]),
  { type: 'object', properties: { b: { type: 'integer' } }, default: { b: 'x' } },
  { type: 'object', properties: { b: { type: 'integer' } }, default: { c: 1 } },
  { type: 'object', required: ['b'], properties: { b: { type: 'integer', default: 1 } }, default: {} },
  { type: 'array', items: { type: 'object', properties: { b: { type: 'integer', default: 'x' } } } },
  ...['date-time', 'int32', 'int64', 'double', 'byte', 'x', 'uuid', 'k8s-short-name'].flatMap((format): JsonObject[] => [
    { type: 'string', format },
    { type: 'integer', format },
    { type: 'object', format },
  ]),
  ...['allOf', 'anyOf', 'oneOf'].flatMap((word): JsonObject[] => [
    { ...text, [word]: [] },
    { ...text, [word]: [{ minLength: 1 }] },
    { ...text, [word]: [{ default: 'x' }] },
    { ...text, [word]: [{ nullable: true }] },
    { ...text, [word]: [{ description: 'x' }] },
    { ...text, [word]: [{ 'x-kubernetes-preserve-unknown-fields': true }] },
    { type: 'object', [word]: [{ properties: { b: { minLength: 1 } } }] },
    { type: 'object', properties: { b: text }, [word]: [{ properties: { b: { minLength: 1 } } }] },
    { type: 'object', properties: { b: text }, [word]: [{ additionalProperties: { minLength: 1 } }] },
    { type: 'object', properties: { b: text }, [word]: [{ 'x-kubernetes-validations': [{ rule: 'true' }] }] },
  ]),
  { ...text, not: { type: 'string' } },
  { ...text, not: { pattern: '(' } },
  ...['patternProperties', 'definitions', 'dependencies'].map((word): JsonObject => ({ type: 'object', [word]: { b: text } })),
  ...['additionalItems', 'id', '$schema', 'example', 'externalDocs', 'title'].map(
    (word): JsonObject => ({ type: 'array', items: text, [word]: word === 'additionalItems' ? true : word === 'externalDocs' ? {} : 'x' }),
  ),
  { type: 'array', items: [text] },
  { type: 'array', items: {} },
  { ...text, minLength: 3, maxLength: 1 },
  { ...text, multipleOf: 0 },
  { type: 'number', multipleOf: 0 },
  { type: 'integer', minimum: 1.5, exclusiveMinimum: true },
  { type: 'object', minProperties: -1, maxProperties: -2 },
  { type: 'array', minItems: -1, maxItems: -2, items: text },
  { ...text, enum: [] },
  { ...text, enum: ['a', 'a'] },
  { ...text, enum: [null] },
  { ...text, nullable: true, enum: ['a', null] },
  { type: 'object', required: [] },
  { type: 'object', required: ['none'] },
  { type: 'object', required: ['b', 'b'], properties: { b: text } },
  { type: 'object', properties: { '': text } },
  { type: 'object', properties: { 'a.b': text, 'c/d': text } },
  cel({ rule: 'self.size() > 1', messageExpression: "'short: ' + self" }),
  cel({ rule: 'self.size() > 1', messageExpression: '1' }),
  cel({ rule: 'self.size() > 1', messageExpression: '' }),
  cel({ rule: 'self.size() > 1', message: 'a\nb' }),
  cel({ rule: 'self.size() > 1\n && true' }),
  cel({ rule: 'self.size() > 1\n && true', message: 'x' }),
  cel({ rule: 'oldSelf == self' }),
  cel({ rule: 'oldSelf.hasValue()', optionalOldSelf: true }),
  cel({ rule: 'self.size() > 1', optionalOldSelf: true }),
  cel({ rule: 'self.size() > 1', reason: 'FieldValueRequired' }),
  cel({ rule: 'self.b.size() > 1', fieldPath: '.b' }, { type: 'object', properties: { b: text } }),
  cel({ rule: 'self.b.size() > 1', fieldPath: '.none' }, { type: 'object', properties: { b: text } }),
  cel({ rule: 'self.b.size() > 1', fieldPath: 'b' }, { type: 'object', properties: { b: text } }),
  cel({ rule: "self['b'].size() > 1", fieldPath: "['b']" }, { type: 'object', properties: { b: text } }),
  cel({ rule: 'self.all(x, x == x)' }, { type: 'array', items: text }),
  cel({ rule: 'self.all(x, self.all(y, x != y || true))' }, { type: 'array', items: text }),
  cel({ rule: 'self.all(x, self.all(y, x != y || true))' }, { type: 'array', maxItems: 5, items: { ...text, maxLength: 5 } }),
  cel({ rule: 'self.none' }, { type: 'object', properties: { b: text } }),
  cel({ rule: 'self.b' }, { type: 'object', properties: { b: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } }),
  cel({ rule: 'self == 1' }, { 'x-kubernetes-int-or-string': true }),
  cel({ rule: 'oldSelf == self' }, { type: 'array', items: cel({ rule: 'oldSelf == self' }) }),
  { type: 'array', items: cel({ rule: 'oldSelf == self' }) },
  { type: 'array', 'x-kubernetes-list-type': 'set', items: cel({ rule: 'oldSelf == self' }) },
]

function* refusals(): Generator<Scene> {
  const bad: readonly JsonObject[] = [
    { type: 'string' },
    { properties: { a: {} } },
    { type: 'object', properties: { a: { type: 'x' } } },
    { type: 'object', properties: { a: { type: 'array' } } },
    { type: 'object', properties: { a: { type: 'string', default: 1 } } },
    { type: 'object', properties: { a: { type: 'string', pattern: '(' } } },
    { type: 'object', properties: { a: { $ref: '#/x' } } },
    { type: 'object', properties: { a: { type: 'array', 'x-kubernetes-list-type': 'map', items: { type: 'object' } } } },
    { type: 'object', additionalProperties: true, properties: { a: { type: 'string' } } },
    { type: 'object', 'x-kubernetes-validations': [{ rule: 'self.' }] },
    { type: 'object', 'x-kubernetes-validations': [{ rule: 'self.a' }] },
    { type: 'object', 'x-kubernetes-validations': [{ rule: '' }] },
    { type: 'object', 'x-kubernetes-validations': [{ rule: 'true', message: ' ' }] },
    { type: 'object', 'x-kubernetes-validations': [{ rule: 'true', reason: 'x' }] },
    { type: 'object', 'x-kubernetes-validations': [{ rule: 'true', fieldPath: '.x' }] },
    {
      type: 'object',
      properties: { a: { type: 'array', items: { type: 'string', 'x-kubernetes-validations': [{ rule: "self.contains('x')" }] } } },
    },
    { type: 'object', properties: { a: { type: 'string', enum: [1] } } },
    { type: 'object', properties: { a: { type: 'string', minLength: -1 } } },
    { type: 'object', uniqueItems: true },
    { type: 'object', 'x-kubernetes-embedded-resource': true },
    { type: 'object', allOf: [{ type: 'object' }] },
    { type: 'object', nullable: true, default: null },
    ...odd.map((a): JsonObject => ({ type: 'object', properties: { a } })),
  ]
  for (const schema of bad)
    yield {
      kind: 'custom resource definitions',
      at: JSON.stringify(schema),
      calls: [send('POST', `${definitions}?dryRun=All`, definition('refused', schema))],
    }
  const variants: { readonly [what: string]: object } = {
    'no version': { versions: [] },
    'two storage versions': {
      versions: ['v1', 'v2'].map((name) => ({ name, served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } })),
    },
    'no storage version': { versions: [{ name: 'v1', served: true, storage: false, schema: { openAPIV3Schema: { type: 'object' } } }] },
    'same version twice': {
      versions: ['v1', 'v1'].map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: { type: 'object' } },
      })),
    },
    'no schema': { versions: [{ name: 'v1', served: true, storage: true }] },
    'other group': { group: 'other.example.com' },
    'no names': { names: { plural: 'refused', kind: '' } },
    'kind with a dot': { names: { plural: 'refused', kind: 'A.b' } },
    'webhook without client': { conversion: { strategy: 'Webhook' } },
    'webhook with none': { conversion: { strategy: 'None', webhook: { conversionReviewVersions: ['v1'] } } },
    'unknown strategy': { conversion: { strategy: 'x' } },
    'preserve unknown fields': { preserveUnknownFields: true },
    'unknown scope': { scope: 'x' },
    'odd columns': {
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object' } },
          additionalPrinterColumns: [{ name: 'a', type: 'x', jsonPath: 'x' }],
        },
      ],
    },
    'odd scale': {
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object' } },
          subresources: { scale: { specReplicasPath: 'x', statusReplicasPath: '.spec.y' } },
        },
      ],
    },
    'odd selectable field': {
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object' } },
          selectableFields: [{ jsonPath: '.x' }],
        },
      ],
    },
    deprecated: {
      versions: [{ name: 'v1', served: true, storage: true, deprecationWarning: 'x', schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  }
  for (const [what, more] of Object.entries(variants))
    yield {
      kind: 'custom resource definitions',
      at: what,
      calls: [send('POST', `${definitions}?dryRun=All`, definition('refused', { type: 'object' }, {}, more))],
    }
}

function* scenes(): Generator<Scene> {
  yield* refusals()
  yield* validations()
  yield* subresources()
  yield* ratcheting()
}

const plurals = [...schemas.map(([plural]) => plural), 'scaled', 'ratchets']

export const custom: Part = {
  name: 'custom',
  slow: true,
  // One after the other, because discovery shows the definitions of all scenes.
  inOrder: true,
  before: () => plurals.map((plural) => ({ method: 'DELETE', path: `${definitions}/${plural}.${group}` })),
  scenes,
}
