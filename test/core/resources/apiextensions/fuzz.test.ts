import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SchemaNode } from '../../../../core/resources/apiextensions/schema-nodes.ts'
import { canonicalise, decode } from '../../../../core/schema/decode.ts'
import { applyDefaults } from '../../../../core/schema/defaults.ts'
import { equal } from '../../../../core/schema/json/equal.ts'
import { printJson } from '../../../../core/schema/json/text.ts'
import type { Json, JsonObject } from '../../../../core/schema/model.ts'
import fc from '../../../support/fast-check.ts'
import { hookContext } from '../../../support/hook-context.ts'
import { trials } from '../../../support/soak.ts'
import { defaulted, isValid, pruned, withoutNulls } from './reading.ts'
import { judge, rowOf } from './support.ts'

const names = ['a', 'b', 'c', '__proto__', 'x-y']
const name = fc.constantFrom(...names)
const scalar = fc.oneof(
  fc.constantFrom<Json>('', 'a', 'ab', 'abc', 'ä€😀', 0, 1, 2, -1, 1.5, true, false, null),
  fc.integer({ min: -3, max: 5 }),
)

/** Objects with arbitrary keys, including `__proto__`. */
const objectOf = <T>(values: fc.Arbitrary<T>, maxKeys = 4) =>
  fc.array(fc.tuple(name, values), { maxLength: maxKeys }).map((pairs) => Object.fromEntries(pairs))

const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    objectOf(tie('value')) as fc.Arbitrary<JsonObject>,
  ),
}))

const small = fc.integer({ min: 0, max: 3 })
const some = (arbitraries: { readonly [keyword: string]: fc.Arbitrary<unknown> }) => fc.record(arbitraries, { requiredKeys: [] })

const condition = some({
  required: fc.array(name, { maxLength: 2 }),
  properties: objectOf(some({ enum: fc.array(scalar, { minLength: 1, maxLength: 3 }), minLength: small, maximum: small }), 2),
  maxProperties: small,
  pattern: fc.constantFrom('^a', 'b$', '^$'),
  minimum: small,
  minItems: small,
}) as fc.Arbitrary<SchemaNode>
const choices = some({
  anyOf: fc.array(condition, { minLength: 1, maxLength: 2 }),
  oneOf: fc.array(condition, { minLength: 1, maxLength: 2 }),
  allOf: fc.array(condition, { minLength: 1, maxLength: 2 }),
  not: condition,
})

const common = fc.tuple(
  fc.constantFrom({}, {}, { nullable: true }),
  fc.oneof({ arbitrary: fc.constant({}), weight: 4 }, { arbitrary: choices, weight: 1 }),
  fc.oneof(
    { arbitrary: fc.constant({}), weight: 3 },
    // A valid sample, chosen by `fitting`.
    { arbitrary: fc.constantFrom({ default: 0 }, { default: 1 }), weight: 6 },
    { arbitrary: value.map((each) => (each === null ? {} : { default: each })), weight: 1 },
  ),
)
const node = (own: fc.Arbitrary<object>) => fc.tuple(common, own).map(([shared, rest]) => Object.assign({}, ...shared, rest) as SchemaNode)
const typed = (type: string, keywords: { readonly [keyword: string]: fc.Arbitrary<unknown> }) =>
  node(some(keywords).map((rest) => ({ type, ...rest })))

const { object: schema } = fc.letrec<{ schema: SchemaNode; object: SchemaNode; list: SchemaNode }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'medium' },
    typed('string', {
      maxLength: small,
      minLength: small,
      pattern: fc.constantFrom('a', '^b?$'),
      enum: fc.constantFrom(['a', 'ab'], ['']),
    }),
    typed('integer', { minimum: small, maximum: small }),
    typed('number', { minimum: small, maximum: small }),
    typed('boolean', {}),
    node(fc.constantFrom({ 'x-kubernetes-int-or-string': true }, { 'x-kubernetes-preserve-unknown-fields': true })),
    tie('object'),
    tie('list'),
  ),
  object: node(
    fc.oneof(
      fc
        .tuple(objectOf(tie('schema')), some({ required: fc.array(name, { maxLength: 2 }), maxProperties: small }), fc.boolean())
        .map(([properties, rest, open]) => ({
          type: 'object',
          properties,
          ...rest,
          ...(open && { 'x-kubernetes-preserve-unknown-fields': true }),
        })),
      fc
        .tuple(fc.oneof(tie('schema'), fc.constant(true)), some({ minProperties: small }))
        .map(([additionalProperties, rest]) => ({ type: 'object', additionalProperties, ...rest })),
    ),
  ),
  list: node(
    fc
      .tuple(tie('schema'), some({ minItems: small, maxItems: small }), fc.constantFrom({}, { 'x-kubernetes-list-type': 'set' }))
      .map(([items, rest, listType]) => ({ type: 'array', items, ...rest, ...listType })),
  ),
}))

/** Sample values of each type, because random values are rarely valid. */
const samples: { readonly [type: string]: readonly Json[] } = {
  string: ['a', 'ab'],
  integer: [1, 2],
  number: [1.5, 1],
  boolean: [true, false],
  object: [{}, {}],
  array: [[], []],
}

/** The schema without defaults that a definition would refuse: those that pruning changes or that are invalid. */
function fitting(given: SchemaNode): SchemaNode {
  const { default: random, properties, items, additionalProperties, ...rest } = given
  const value = typeof random === 'number' ? samples[given.type ?? '']?.[random & 1] : random
  const node: SchemaNode = {
    ...rest,
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).map(([key, each]) => [key, fitting(each)])) }),
    ...(items && { items: fitting(items as SchemaNode) }),
    ...(additionalProperties !== undefined && {
      additionalProperties: typeof additionalProperties === 'object' ? fitting(additionalProperties) : additionalProperties,
    }),
  }
  if (value === undefined) return node
  // Defaults are not themselves defaulted before validation.
  const fits = equal(withoutNulls(pruned(value, node), node), value) && isValid(value, node) && isValid(defaulted(value, node), node)
  return fits ? { ...node, default: value } : node
}

/** Values that mostly have the shape of the schema. */
function shaped(node: SchemaNode): fc.Arbitrary<Json> {
  const { type, properties = {}, items, additionalProperties } = node
  const some = (inner: fc.Arbitrary<Json>) => fc.oneof({ arbitrary: inner, weight: 9 }, { arbitrary: value, weight: 1 })
  if (type === 'array') return some(fc.array(shaped(items as SchemaNode), { maxLength: 3 }))
  if (type !== 'object') return fc.oneof(scalar, fc.constantFrom(...(samples[type ?? ''] ?? [1, 'a'])))
  if (typeof additionalProperties === 'object') return some(objectOf(shaped(additionalProperties)) as fc.Arbitrary<JsonObject>)
  const members = Object.entries(properties).map(([key, each]) =>
    fc.option(
      shaped(each).map((member): [string, Json] => [key, member]),
      { freq: 1 },
    ),
  )
  // Sometimes a member that the schema may not declare.
  const other = fc.option(fc.tuple(name, scalar), { freq: 3 })
  return some(fc.tuple(other, ...members).map((pairs) => Object.fromEntries(pairs.flatMap((pair) => (pair ? [pair] : [])))))
}

const head = { kind: 'Thing', apiVersion: 'shop.test/v1', metadata: { name: 'one' } }
const numRuns = trials(1_000, 60_000)

test('random objects are pruned, defaulted and validated as by a second implementation', () => {
  const counts = { valid: 0, invalid: 0, pruned: 0, defaulted: 0 }
  fc.assert(
    fc.property(
      schema.map(fitting).chain((each) => fc.tuple(fc.constant(each), shaped(each))),
      ([own, spec]) => {
        const whole: SchemaNode = { type: 'object', properties: { spec: own } }
        const row = rowOf(whole)
        const given: JsonObject = { ...head, spec }
        const expected = withoutNulls(pruned(given, { ...whole, properties: { ...whole.properties, ...kept } }), whole) as JsonObject

        const { value: decoded, unknown } = decode(row.schema, given, { root: true })
        assert.deepEqual(plain(decoded), plain(expected), 'pruned')
        assert.equal(unknown.length > 0, !equal(pruned(spec, whole.properties?.['spec']), spec), 'unknown fields are reported')
        assert.deepEqual(plain(decode(row.schema, decoded, { root: true }).value), plain(decoded), 'pruning is idempotent')
        const before = printJson(given)
        const shared = decode(row.schema, given, { root: true, shares: true })
        assert.deepEqual([printJson(shared.value), shared.unknown], [printJson(decoded), unknown], 'decoded to the same with shared parts')
        assert.equal(printJson(canonicalise(row.schema, decoded, { root: true, shares: true })), printJson(decoded), 'stays canonical')
        assert.equal(printJson(given), before, 'the input stays as it is')

        const complete = defaulted(expected, whole) as JsonObject
        applyDefaults(row.schema, decoded, hookContext())
        assert.deepEqual(plain(decoded), plain(complete), 'defaulted')
        const stored = decode(row.schema, decoded, { root: true }).value
        applyDefaults(row.schema, stored, hookContext())
        assert.deepEqual(plain(stored), plain(complete), 'defaulting is idempotent')

        const { errors } = judge(row, stored as never)
        const fine = isValid(complete, whole)
        assert.deepEqual([errors.length === 0, errors], [fine, fine ? [] : errors], 'judged')
        assert.equal(judge(row, decoded as never).errors.length, errors.length, 'the stored form has the same errors')
        assert.deepEqual(judge(row, stored as never, stored as never).errors.filter(isForgiven), [], 'nothing changes')
        counts[fine ? 'valid' : 'invalid']++
        if (!equal(expected, given)) counts.pruned++
        if (!equal(complete, expected)) counts.defaulted++
      },
    ),
    { numRuns },
  )
  for (const [what, count] of Object.entries(counts)) assert.ok(count > 50, `${count} ${what}: the objects test little`)
})

/** Schema of kind, apiVersion and metadata, which the second implementation does not cover. */
const text: SchemaNode = { type: 'string' }
const kept: { readonly [name: string]: SchemaNode } = {
  kind: text,
  apiVersion: text,
  metadata: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
}

/** JSON text with sorted keys, so that `__proto__` is compared too. */
function plain(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(plain).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${plain(value[key] as Json)}`)
    .join()}}`
}

/** Errors of an unchanged value are ratcheted, unless its schema allows additional members; duplicates always are. */
const isForgiven = (error: string) => error.includes('Duplicate value')
