import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCelEnvironment } from '../../../core/cel/environment.ts'
import { authorizerType, authorizerValues } from '../../../core/cel/library/authorizer.ts'
import { jsonPatchLibrary } from '../../../core/cel/library/json-patch.ts'
import type { Program } from '../../../core/cel/program.ts'
import { celTypeOf } from '../../../core/cel/schema-types.ts'
import { field, int64, list, map, message, required, string } from '../../../core/schema/model.ts'
import { costRows } from './cost-rows.ts'

/** As the reference's tests have it: literals are made whenever they are met, and texts of unknown origin have up to 12 characters. */
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

test(`${costRows.length} expressions cost what the reference says`, () => {
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
  ["self.labels.exists(k, k == 'a')", 3, 27],
  ["has(self.name) && self.name == 'a'", 1, 4],
  ['self.all.map(e, e.value).size() > 100', 15, 3_670_017],
  ['self.free.size() == 1', 4, 4],
]

test('estimates from the bounds that schemas declare', () => {
  for (const [expression, min, max] of estimates) {
    assert.deepEqual(programOf(overSelf.compile(expression), expression).estimateCost(), { min, max }, expression)
  }
})
