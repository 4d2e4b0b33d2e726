/** Results of `format`, costs, run-time errors and compile errors match cel-go. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCelEnvironment } from '../../../core/cel/environment.ts'
import { dynType, stringType, timestampType } from '../../../core/cel/types.ts'
import { parseTimestamp } from '../../../core/cel/values/times.ts'
import { counted, formatted, refused } from './reference-rows.ts'

const environment = createCelEnvironment({ variables: { x: dynType, s: stringType, t: timestampType } })
const variables = {
  x: {
    a: { b: [1] },
    name: 'web',
    n: 3,
    f: 1.5,
    list: [1, 2, 3],
    items: [{ k: 'a', v: 1 }, { k: 'b' }],
    nil: null,
    t: true,
    labels: { app: 'x', 'a.b/c': 'd' },
  },
  s: 'hello World',
  t: parseTimestamp('2024-02-29T12:34:56.789Z'),
}

function evaluate(expression: string) {
  const compiled = environment.compile(expression)
  assert.ok('program' in compiled, `${expression}: ${'issues' in compiled ? compiled.issues : ''}`)
  return compiled.program.evaluate(variables)
}

test(`${formatted.length} templates`, () => {
  for (const [expression, text] of formatted) assert.equal(evaluate(expression).value, text, expression)
})

test(`${counted.length} expressions, most of which fail: costs and errors`, () => {
  for (const [expression, cost, error] of counted) {
    const evaluation = evaluate(expression)
    assert.deepEqual([evaluation.error, evaluation.cost], [error, cost], expression)
  }
})

test(`${refused.length} expressions that do not compile`, () => {
  for (const [expression, ...issues] of refused) {
    const compiled = environment.compile(expression)
    assert.ok('issues' in compiled, expression)
    const lines = compiled.issues
      .split('\n')
      .flatMap((line) => /(?:ERROR: <input>:1:|program instantiation failed: )(.*)/.exec(line)?.[1] ?? [])
    assert.deepEqual(lines, issues, expression)
  }
})
