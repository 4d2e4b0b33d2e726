import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JSONSchemaProps } from '../../../core/resources/apiextensions/index.ts'
import { canonicalise } from '../../../core/schema/decode.ts'
import type { JsonObject } from '../../../core/schema/model.ts'
import { decodeProtobuf, encodeProtobuf } from '../../../core/schema/protobuf/protobuf.ts'

const text: JsonObject = { type: 'string' }
const rows: readonly (readonly [title: string, schema: JsonObject, bytes?: string])[] = [
  ['items with a schema', { items: text }, 'c201'],
  ['items with a list of schemas', { items: [text, { type: 'integer' }] }],
  ['additionalProperties true', { additionalProperties: true }],
  ['additionalProperties false', { additionalProperties: false }],
  ['additionalProperties with a schema', { additionalProperties: { items: { properties: { a: text } } } }],
  ['a dependency on properties', { dependencies: { a: ['b', 'c'] } }],
  ['a dependency with a schema', { dependencies: { a: text } }],
  ['defaults and enums of any type', { default: { a: [1, null] }, enum: [1, 'a', null, { b: true }] }],
]

for (const [title, schema] of rows) {
  test(`${title}: round trip through protobuf`, () => {
    const canonical = canonicalise(JSONSchemaProps, schema)
    assert.deepEqual(canonical, schema, 'nothing is lost in JSON')
    const decoded = decodeProtobuf(JSONSchemaProps, encodeProtobuf(JSONSchemaProps, canonical))
    assert.deepEqual(canonicalise(JSONSchemaProps, decoded), schema)
  })
}

test('the wire form is that of JSONSchemaPropsOrArray and JSONSchemaPropsOrBool', () => {
  const wire = (schema: JsonObject) => Buffer.from(encodeProtobuf(JSONSchemaProps, canonicalise(JSONSchemaProps, schema))).toString('hex')
  const inner = wire(text)
  const length = (hex: string) => (hex.length / 2).toString(16).padStart(2, '0')
  const holder = `0a${length(inner)}${inner}`
  assert.ok(wire({ items: text }).includes(`c201${length(holder)}${holder}`), 'items is field 24 with schema as field 1')
  assert.ok(wire({ additionalProperties: false }).includes('f201020800'), 'additionalProperties is field 30 with allows as field 1')
})

test('unknown fields inside are dropped, wrong types refused', () => {
  assert.deepEqual(canonicalise(JSONSchemaProps, { items: { ...text, nothing: 1 } }), { items: text })
  assert.throws(() => canonicalise(JSONSchemaProps, { items: { type: 5 } }), /cannot unmarshal/)
})
