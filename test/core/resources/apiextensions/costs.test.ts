/** Estimated costs of validation rules; the numbers are from the tests of kube-apiserver (schema/cel/compilation_test.go). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sizesIn } from '../../../../core/cel/cost/estimate.ts'
import { partReader } from '../../../../core/resources/apiextensions/read-schema.ts'
import { compileRules, typeOfNode } from '../../../../core/resources/apiextensions/rules.ts'
import type { SchemaNode } from '../../../../core/resources/apiextensions/schema-nodes.ts'

const formats: { readonly [name: string]: SchemaNode } = {
  'int-or-string': { 'x-kubernetes-int-or-string': true },
  duration: { type: 'string', format: 'duration' },
  date: { type: 'string', format: 'date' },
  'date-time': { type: 'string', format: 'date-time' },
}
const value = (type: string): SchemaNode => formats[type] ?? { type }
type Make = (max: number | undefined) => SchemaNode
const array =
  (items: SchemaNode): Make =>
  (maxItems) => ({ type: 'array', items, ...(maxItems !== undefined && { maxItems }) })
const mapping =
  (additionalProperties: SchemaNode): Make =>
  (maxProperties) => ({ type: 'object', additionalProperties, ...(maxProperties !== undefined && { maxProperties }) })
const text: Make = (maxLength) => ({ type: 'string', ...(maxLength !== undefined && { maxLength }) })

const rows: readonly (readonly [make: Make, rule: string, unlimited: number | undefined, max: number, limited: number])[] = [
  [array(value('number')), 'self.all(x, true)', 4718591, 10, 32],
  [array(value('string')), 'self.all(x, true)', 3145727, 20, 62],
  [array(value('boolean')), 'self.all(x, true)', 1887437, 5, 17],
  [mapping(value('number')), 'self.all(x, true)', 1348169, 10, 32],
  [mapping(value('string')), 'self.all(x, true)', 1179647, 3, 11],
  [mapping(value('boolean')), 'self.all(x, true)', 943718, 100, 302],
  [text, "self.contains('test')", 314574, 10, 5],
  [text, "self.startsWith('test')", 2, 15, 2],
  [text, 'size(self + "hello") > size("hello")', 314578, 4, 7],
  [array(value('number')), 'self[1] == 0.0', 2, 5000, 2],
  [array(value('string')), 'self[1] == self[1]', 314577, 8, 314577],
  [array(value('number')), 'self.all(x, self.all(y, true))', undefined, 10, 352],
  [array(value('number')), 'self.all(x, self.all(y, self.all(z, true)))', undefined, 10, 3552],
  [text, 'self.matches("x")', 314574, 50, 22],
  [text, '"".matches("(((((((((())))))))))[0-9]")', 7, 10, 7],
  [text, 'self.matches("")', 1, 100, 1],
  [array(value('number')), 'self[3] == 0.0', 2, 0, 2],
  [mapping(value('number')), 'self["x"] == 0.0', 2, 0, 2],
  [text, 'self == "x"', 2, 0, 1],
  [array(value('number')), 'self.all(x, x == 0.0)', 6291454, 3 * 1024 * 2048, 25165826],
  [array(value('int-or-string')), 'self.all(x, true)', 4718591, 10, 32],
  [array(value('int-or-string')), 'self[0] == 5', 3, 10, 3],
  [array(value('duration')), 'self.all(x, true)', 2359295, 5, 17],
  [array(value('duration')), 'self[0].getHours() == 2', 4, 525, 4],
  [array(value('date')), 'self.all(x, true)', 725936, 15, 47],
  [array(value('date')), 'self[2].getDayOfMonth() == 13', 4, 42, 4],
  [array(value('date-time')), 'self.all(x, true)', 428963, 25, 77],
  [array(value('date-time')), 'self[2].getMinutes() == 45', 4, 99, 4],
  [mapping(value('int-or-string')), 'self.all(x, true)', 1348169, 15, 47],
]

function costOf(schema: SchemaNode, rule: string): number {
  const node = partReader()({ ...schema, 'x-kubernetes-validations': [{ rule }] })
  const type = typeOfNode(node, false)
  assert.ok(type)
  const [compiled] = compileRules(node, type)
  assert.ok(compiled?.program, compiled?.problem)
  return compiled.program.estimateCost(sizesIn(type)).max
}

for (const [make, rule, unlimited, max, limited] of rows) {
  test(`${JSON.stringify(make(undefined))}: ${rule}`, () => {
    assert.equal(costOf(make(max), rule), limited, `at most ${max}`)
    if (unlimited !== undefined) assert.equal(costOf(make(undefined), rule), unlimited, 'without a limit')
  })
}

test('items of a list computed by an expression count as the size of the value itself', () => {
  const schema: SchemaNode = { type: 'object', properties: { a: { type: 'array', maxItems: 10, items: { type: 'string' } } } }
  assert.ok(costOf(schema, "(has(self.a) ? self.a : []).exists(k, k.contains('/'))") < 1000)
})
