import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutSchemas } from '../../../../core/controllers/custom-resources/without-schemas.ts'

const version = (name: string, openAPIV3Schema: object) => ({ name, schema: { openAPIV3Schema }, served: true })
const encoder = new TextEncoder()
const outline = (object: unknown) => JSON.parse(withoutSchemas(encoder.encode(JSON.stringify(object))))

test('removes schemas and nothing else', () => {
  const schemas = [
    {},
    { type: 'object', properties: { spec: { enum: ['}', '{', '"', '\\', '\\"', '"}\\\\'], description: 'ends with \\' } } },
    { properties: { openAPIV3Schema: { default: [{ openAPIV3Schema: '}' }] } }, required: ['openAPIV3Schema'] },
    { description: JSON.stringify({ openAPIV3Schema: { a: '}' } }) },
  ]
  const annotations = { applied: JSON.stringify(version('v1', { a: '{' })), openAPIV3Schema: 'x', schema: '{' }
  const before = { kind: 'CustomResourceDefinition', metadata: { labels: { openAPIV3Schema: '' }, annotations } }
  const after = { storedVersions: ['openAPIV3Schema', '}'] }
  const object = (openAPIV3Schema: (schema: object) => object) => ({
    ...before,
    spec: { versions: schemas.map((schema, index) => version(`v${index}`, openAPIV3Schema(schema))) },
    status: after,
  })
  assert.deepEqual(
    outline(object((schema) => schema)),
    object(() => ({})),
  )
})

test('an object without schemas stays as it is', () => {
  const json = '{"spec":{"versions":[{"name":"v1"}]},"status":{"text":"\\"openAPIV3Schema\\":{"}}'
  assert.equal(withoutSchemas(encoder.encode(json)), json)
})
