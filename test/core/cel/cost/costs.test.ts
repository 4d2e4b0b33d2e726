import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCelEnvironment } from '../../../../core/cel/environment.ts'
import { authorizerType, authorizerValues } from '../../../../core/cel/library/authorizer.ts'
import { jsonPatchLibrary } from '../../../../core/cel/library/json-patch.ts'
import type { Program } from '../../../../core/cel/program.ts'
import { celTypeOf } from '../../../../core/cel/schema-types.ts'
import { dynType, stringType } from '../../../../core/cel/types.ts'
import { field, int64, list, map, message, required, string } from '../../../../core/schema/model.ts'
import { costRows } from './cost-rows.ts'

/** As in those tests: literals are built on each evaluation, and strings of unknown origin have up to 12 characters. */
const environment = createCelEnvironment({
  variables: { authorizer: authorizerType },
  libraries: [jsonPatchLibrary()],
  foldConstants: false,
})
const isText = (kind: string) => kind === 'string' || kind === 'bytes'

function programOf(compiled: ReturnType<typeof environment.compile>, expression: string): Program {
  assert.ok('program' in compiled, `${expression}: ${'issues' in compiled ? compiled.issues : ''}`)
  return compiled.program
}

test(`${costRows.length} expressions cost the same as in kube-apiserver`, () => {
  for (const [expression, min, max, counted] of costRows) {
    const program = programOf(environment.compile(expression), expression)
    const estimate = program.estimateCost((path, { kind }) => (path.length === 0 && isText(kind) ? { min: 0, max: 12 } : undefined))
    assert.deepEqual(estimate, { min, max }, `estimate of ${expression}`)
    const evaluation = program.evaluate(authorizerValues(() => ({ allowed: true, reason: '' })))
    assert.equal(evaluation.error, undefined, expression)
    assert.equal(evaluation.cost, counted, `cost of ${expression}`)
  }
})

const schema = message('Self', '', {
  name: field(0, string, '', { maxLength: 10 }),
  free: field(0, string, ''),
  kind: field(0, string, '', { enum: ['a', 'four'] }),
  count: field(0, int64, ''),
  names: field(0, list(string), '', { maxItems: 5 }),
  all: field(0, list(message('Item', '', { key: required(0, string, ''), value: field(0, string, '', { maxLength: 3 }) })), ''),
  labels: field(0, map(string), '', { maxProperties: 4 }),
})
const self = celTypeOf(schema, { name: 'self' })
assert.ok(self, 'a type')
const overSelf = createCelEnvironment({ variables: { self } })

const estimates: readonly (readonly [expression: string, min: number, max: number])[] = [
  ['self.count > 1', 3, 3],
  ["self.name == 'abcdefghijklm'", 3, 4],
  ["self.name.startsWith('a')", 3, 3],
  ["self.name.contains('abc')", 2, 6],
  ["self.kind.matches('^a+$')", 3, 3],
  ['self.names.all(n, n.size() > 1)', 3, 33],
  ["self.labels.exists(k, k == 'a')", 3, 23],
  ["has(self.name) && self.name == 'a'", 1, 4],
  ['self.all.map(e, e.value).size() > 100', 15, 3_670_017],
  ['self.free.size() == 1', 4, 4],
]

test('estimates use the bounds declared in schemas', () => {
  for (const [expression, min, max] of estimates) {
    assert.deepEqual(programOf(overSelf.compile(expression), expression).estimateCost(), { min, max }, expression)
  }
})

const text = (size: number) => 'x'.repeat(size)

/** Costs from the tests of cel-go (interpreter/runtimecost_test.go), over variables of any type. */
const counted: readonly (readonly [expression: string, cost: number, variables?: { readonly [name: string]: unknown }])[] = [
  ['input.matches("[0-9]")', 103, { input: text(500) }],
  ["'123'.matches('[0-9]')", 2],
  ['a || b || c || d', 4, { a: false, b: false, c: false, d: false }],
  ['a && b && c && d', 4, { a: true, b: true, c: true, d: true }],
  ['true || false', 0],
  ['2 in [1, 2, 3]', 13],
  ['true ? 1 : 2', 0],
  ["'12345678901234567890' == '123456789012345678901234567890'", 2],
  ['input.contains(other)', 2502, { input: text(500), other: text(500) }],
  ["input.matches('\\\\d+a\\\\d+b')", 103, { input: text(500) }],
  ['input.startsWith(other)', 3, { input: 'idc', other: text(500) }],
  ['(x > 2 ? a : b).all(y, true)', 6, { x: 1, a: [{}], b: [{}] }],
  ['input.all(k, input[k].single > 3)', 9, { input: { val: { single: 0 } } }],
  ['input.all(k, input[k].all(x, true))', 2, { input: {} }],
  ['(a + b).all(x, true)', 4, { a: [], b: [] }],
  ['(1 > 2 ? 5 : 3) > 1', 2],
  ['(1 > 2 || 2 > 1) == true', 3],
  ["[{'k1': 1}, {'k2': 2}].all(x, true)", 77],
  ['[1,2,3,4,5].filter(x, x % 2 == 0)', 62],
  ['[1,2,3,4,5].map(x, x)', 86],
  ['[1,2,3,4,5].map(x, x).filter(x, x % 2 == 0)', 138],
  ['[1,2,3,4,5].map(x, x).exists(x, x == 5) == true', 118],
  ['[1,2,3,4,5].map(x, x).map(x, x)', 162],
  ['[1,2,3,4,5].map(x, [x, x]).filter(z, z.size() == 2)', 232],
  ['[1,2,3,4,5].map(x, [x, x]).all(y, y.all(y, y == 1))', 171],
  ['[1,2,3,4,5].map(x, x).map(x, x) + [1]', 173],
  ['[1,2,3].all(i, i in [1,2,3].map(j, j + j))', 86],
  ['has(input.a.b)', 2, { input: { a: { b: 1 } } }],
]

test('actual costs', () => {
  const names = ['input', 'other', 'a', 'b', 'c', 'd', 'x']
  const over = createCelEnvironment({ variables: Object.fromEntries(names.map((name) => [name, dynType])), foldConstants: false })
  for (const [expression, cost, variables = {}] of counted) {
    const evaluation = programOf(over.compile(expression), expression).evaluate(variables)
    assert.deepEqual([evaluation.error, evaluation.cost], [undefined, cost], expression)
  }
})

test('a cost equal to the limit is within it', () => {
  const expression = "'abcdefg'.contains(a + b)"
  const program = programOf(createCelEnvironment({ variables: { a: stringType, b: stringType } }).compile(expression), expression)
  const values = { a: 'val1', b: 'val2222222' }
  assert.deepEqual(program.evaluate(values, { costLimit: 6 }), { value: false, cost: 6, work: 0 })
  const over = program.evaluate(values, { costLimit: 5 })
  assert.ok(over.error !== undefined, 'an error')
  assert.deepEqual([over.error, over.cancelled], ['operation cancelled: actual cost limit exceeded', true])
})
