import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v2, v3 } from '../../../../core/meta/openapi/dialect.ts'
import { publishedSchema } from '../../../../core/meta/openapi/published.ts'
import type { JsonObject } from '../../../../core/schema/model.ts'

const common = { kind: { type: 'k' }, apiVersion: { type: 'v' }, metadata: { $ref: 'm' } }
const shown = (source: JsonObject, dialect = v2) => publishedSchema(source, dialect, common)['properties'] as { [name: string]: JsonObject }

test('Swagger 2.0 leaves out what its readers do not support', () => {
  const { a, b, c, d, e } = shown({
    type: 'object',
    properties: {
      a: {
        type: 'object',
        required: ['x', 'y'],
        properties: { x: { type: 'string', nullable: true }, y: { type: 'string', default: 'z' } },
      },
      b: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { x: { type: 'string' } }, description: 'B' },
      c: { type: 'array', nullable: true, items: { type: 'string' } },
      d: { type: 'string', anyOf: [{ pattern: 'a' }], not: { enum: ['b'] }, enum: ['c'] },
      e: { type: 'object', required: ['x'], additionalProperties: { type: 'string', nullable: true } },
    },
  })
  assert.deepEqual(a, { type: 'object', required: ['y'], properties: { x: {}, y: { type: 'string' } } })
  assert.deepEqual(b, { 'x-kubernetes-preserve-unknown-fields': true, description: 'B' })
  assert.deepEqual(c, {})
  assert.deepEqual(d, { type: 'string', enum: ['c'] })
  assert.deepEqual(e, { type: 'object', additionalProperties: {} })
})

test('Swagger 2.0 shows an open object without properties, because its readers would refuse other fields', () => {
  const source = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { spec: { type: 'object' } } }
  assert.deepEqual(publishedSchema(source, v2, common), { type: 'object' })
  assert.deepEqual(publishedSchema(undefined, v3, common), { type: 'object' })
  assert.deepEqual(Object.keys(shown(source, v3)), ['apiVersion', 'kind', 'metadata', 'spec'])
})

test('embedded resources have apiVersion, kind and metadata', () => {
  const source = { type: 'object', properties: { inner: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: {} } } }
  assert.deepEqual(shown(source, v3)['inner'], {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    properties: { apiVersion: common.apiVersion, kind: common.kind, metadata: common.metadata },
    required: ['kind', 'apiVersion'],
  })
  const open = { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true }
  assert.deepEqual(shown({ type: 'object', properties: { open } })['open'], {
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
  })
})

test('int-or-string is spelled out beside other conditions', () => {
  const short = { 'x-kubernetes-int-or-string': true }
  const either = [{ type: 'integer' }, { type: 'string' }]
  const properties = { a: short, b: { ...short, anyOf: either }, c: { ...short, anyOf: [{ pattern: 'x' }] } }
  const { a, b, c } = shown({ type: 'object', properties }, v3)
  assert.deepEqual(a, { ...short, anyOf: either })
  assert.deepEqual(b, a)
  assert.deepEqual(c, { ...short, anyOf: [{ pattern: 'x' }], allOf: [{ anyOf: either }] })
})
