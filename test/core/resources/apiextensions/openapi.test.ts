import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readSchema } from '../../../../core/resources/apiextensions/read-schema.ts'
import type { SchemaNode } from '../../../../core/resources/apiextensions/schema-nodes.ts'
import { FieldErrors } from '../../../../core/schema/field-error.ts'
import { FieldPath } from '../../../../core/schema/field-path.ts'
import type { Json } from '../../../../core/schema/model.ts'
import { validate } from '../../../../core/schema/validate.ts'
import { hookContext } from '../../../support/hook-context.ts'

const text = (more: SchemaNode = {}): SchemaNode => ({ type: 'string', ...more })
const whole = (spec: SchemaNode): SchemaNode => ({ type: 'object', required: ['spec'], properties: { spec } })

/** Validation errors of an object with this schema of spec; of an update if `old` is given. */
function errorsOf(spec: SchemaNode, value: Json, old?: Json): string[] {
  const errors = new FieldErrors()
  const before = old === undefined ? undefined : { spec: old }
  validate(readSchema(whole(spec)), { spec: value }, FieldPath.root, errors, hookContext(), before)
  return errors.list.map(({ field, message }) => `${field}: ${message}`)
}

const fields = (properties: { [name: string]: SchemaNode }, more: SchemaNode = {}): SchemaNode => ({ type: 'object', properties, ...more })

const many = fields({
  size: { type: 'integer', format: 'int32', minimum: 1, maximum: 9 },
  ratio: { type: 'number', multipleOf: 0.5 },
  mode: text({ enum: ['b', 'a'] }),
  code: text({ pattern: '^[a-z]+$', maxLength: 3 }),
  at: text({ format: 'date-time' }),
  on: { type: 'boolean' },
  port: { 'x-kubernetes-int-or-string': true },
  tags: { type: 'array', items: text(), minItems: 1 },
  entries: {
    type: 'array',
    maxItems: 3,
    items: fields({ name: text(), value: { type: 'integer', nullable: true } }, { required: ['name'] }),
  },
  extra: { type: 'object', additionalProperties: { type: 'integer', minimum: 0 }, maxProperties: 1 },
})

describe('validation of custom resources', () => {
  it('accepts valid objects', () => {
    const spec = {
      size: 9,
      ratio: 1.5,
      mode: 'a',
      code: 'abc',
      at: '2024-01-01T00:00:00.5Z',
      on: false,
      port: 1,
      tags: ['a'],
      entries: [{ name: 'a', value: null }],
      extra: { x: 0 },
    }
    assert.deepEqual(errorsOf(many, spec), [])
  })

  it('error messages match kube-apiserver', () => {
    const spec = {
      size: 0,
      ratio: 0.7,
      mode: 'c',
      code: 'AB',
      at: 'now',
      on: 'yes',
      port: 1.5,
      tags: [],
      entries: [{}, { name: 1 }, null, {}],
      extra: { x: -1, y: 'a' },
    }
    assert.deepEqual(errorsOf(many, spec), [
      'spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1',
      'spec.ratio: Invalid value: 0.7: spec.ratio in body should be a multiple of 0.5',
      'spec.mode: Unsupported value: "c": supported values: "b", "a"',
      `spec.code: Invalid value: "AB": spec.code in body should match '^[a-z]+$'`,
      'spec.at: Invalid value: "now": spec.at in body must be of type date-time: "now"',
      'spec.on: Invalid value: "string": spec.on in body must be of type boolean: "string"',
      'spec.port: Invalid value: "number": spec.port in body must be of type integer,string: "number"',
      'spec.tags: Invalid value: 0: spec.tags in body should have at least 1 items',
      'spec.entries[0].name: Required value',
      'spec.entries[1].name: Invalid value: "integer": spec.entries[1].name in body must be of type string: "integer"',
      'spec.entries[2]: Invalid value: "null": spec.entries[2] in body must be of type object: "null"',
      'spec.entries[3].name: Required value',
      'spec.entries: Too many: 4: must have at most 3 items',
      'spec.extra: Too many: 2: must have at most 1 item',
      'spec.extra.x: Invalid value: -1: spec.extra.x in body should be greater than or equal to 0',
      'spec.extra.y: Invalid value: "string": spec.extra.y in body must be of type integer: "string"',
    ])
  })

  it('errors name formats in place of types, and number ranges without a path, as in kube-apiserver', () => {
    assert.deepEqual(errorsOf(many, { size: 2 ** 31, at: 5, code: 'abcd' }), [
      '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.size',
      'spec.size: Invalid value: 2147483648: spec.size in body should be less than or equal to 9',
      'spec.at: Invalid value: "int64": spec.at in body must be of type date-time: "int64"',
      'spec.code: Too long: may not be more than 3 bytes',
    ])
    assert.deepEqual(errorsOf(many, { size: true }), ['spec.size: Invalid value: "": spec.size in body must be of type int32: ""'])
    assert.deepEqual(errorsOf(many, []), ['spec: Invalid value: "array": spec in body must be of type object: "array"'])
  })

  it('compares integers with the integer part of a limit, as kube-apiserver does', () => {
    const schema = fields({ n: { type: 'number', maximum: 1.5, multipleOf: 0.5 } })
    assert.deepEqual(errorsOf(schema, { n: 2 }), [
      'spec.n: Invalid value: 0: factor MultipleOf declared for spec.n must be positive: 0',
      'spec.n: Invalid value: 2: spec.n in body should be less than or equal to 1',
    ])
    assert.deepEqual(errorsOf(schema, { n: 1.5 }), [])
  })

  it('for failed anyOf and oneOf reports the branch that matched most', () => {
    const choice = fields(
      { a: text(), b: text() },
      { oneOf: [{ required: ['a'] }, { required: ['b'], properties: { b: { pattern: '^x' } } }] },
    )
    assert.deepEqual(errorsOf(choice, { b: 'x' }), [])
    assert.deepEqual(errorsOf(choice, {}), [
      '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found none valid',
      'spec.a: Required value',
    ])
    assert.deepEqual(errorsOf(choice, { b: 'y' }), [
      '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found none valid',
      `spec.b: Invalid value: "y": spec.b in body should match '^x'`,
    ])
    assert.deepEqual(errorsOf(choice, { a: 'a', b: 'x' }), [
      '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ])
    assert.deepEqual(errorsOf(fields({ a: text() }, { anyOf: [{ required: ['a'] }, { minProperties: 2 }] }), {}), [
      '<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)',
      'spec.a: Required value',
    ])
    assert.deepEqual(
      errorsOf(fields({ a: text() }, { allOf: [{ required: ['a'] }, { maxProperties: 2 }], not: { minProperties: 0 } }), {}),
      [
        'spec.a: Required value',
        '<nil>: Invalid value: "": "spec" must validate all the schemas (allOf)',
        '<nil>: Invalid value: "": "spec" must not validate the schema (not)',
      ],
    )
  })

  it('ratchets unchanged values', () => {
    const item = fields({ name: text(), at: text({ maxLength: 1 }) }, { required: ['name'] })
    const lists = fields({
      free: { type: 'array', items: item },
      keyed: { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
      open: { type: 'object', maxProperties: 0, 'x-kubernetes-preserve-unknown-fields': true },
    })
    const bad = { name: 'a', at: 'long' }
    const long = (path: string) => `${path}: Too long: may not be more than 1 byte`
    assert.deepEqual(errorsOf(lists, { free: [bad], keyed: [{ name: 'b' }, bad] }, { free: [bad], keyed: [bad] }), [])
    assert.deepEqual(errorsOf(lists, { free: [bad, bad], keyed: [{ ...bad, at: 'longer' }] }, { free: [bad], keyed: [bad] }), [
      long('spec.free[0].at'),
      long('spec.free[1].at'),
      long('spec.keyed[0].at'),
    ])
    assert.deepEqual(errorsOf(lists, { open: { a: 1 } }, { open: { a: 1 } }), ['spec.open: Too many: 1: must have at most 0 items'])
  })

  it('ends with an error on a schema designed to be slow', () => {
    const branches = Array.from({ length: 4000 }, (_, index) => ({ minLength: index + 1 }))
    const list = fields({ list: { type: 'array', items: { type: 'string', anyOf: branches.reverse(), minLength: 1 } } })
    const [error = ''] = errorsOf(list, { list: Array.from({ length: 4000 }, () => 'x') })
    assert.match(error, /asks for too many checks/)
  })
})
