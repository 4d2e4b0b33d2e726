import assert from 'node:assert/strict'
import { test } from 'node:test'
import { equal, isSameText } from '../../../../core/schema/json/equal.ts'
import { withRawText } from '../../../../core/schema/json/raw.ts'
import { printJson } from '../../../../core/schema/json/text.ts'
import type { Json } from '../../../../core/schema/model.ts'

const leaves = (): Json[] => [null, true, false, 0, 1, -1, 1n, 2n ** 63n, '', '1', 'a', [], {}]
const raw = (): Json[] => [
  withRawText({ a: 1 }, '{"a":1}'),
  withRawText({ a: 1 }, '{"a":1.0}'),
  withRawText(1, '1.0'),
  withRawText([1], '[1]'),
  { a: withRawText({ b: 1 }, '{"b":1}') },
]
const nested = (): Json[] => [
  { a: 1, b: 2 },
  { b: 2, a: 1 },
  { a: 1 },
  { a: 1, b: { c: [1, { d: 'x' }] } },
  { a: 1, b: { c: [1, { d: 'y' }] } },
  { a: 1, b: { c: [{ d: 'x' }, 1] } },
  { a: undefined as unknown as Json },
  [1, 2],
  [2, 1],
  [[1], 2],
  { '0': 1 },
  [1],
]
const values = () => [...leaves(), ...raw(), ...nested()]

test('values with the same text print the same, and copies of a value have it', () => {
  const others = values()
  for (const [index, value] of values().entries())
    for (const [at, other] of others.entries()) {
      const same = isSameText(value, other)
      if (index === at) assert.equal(same, true, printJson(value))
      if (!same) continue
      assert.equal(printJson(value), printJson(other))
      assert.ok(equal(value, other))
    }
  assert.equal(isSameText(undefined, undefined), true)
  assert.equal(isSameText(undefined, null), false)
})

test('the order of members makes another text of equal values', () => {
  assert.ok(equal({ a: 1, b: { c: 1, d: 2 } }, { b: { d: 2, c: 1 }, a: 1 }))
  assert.ok(!isSameText({ a: 1, b: { c: 1, d: 2 } }, { a: 1, b: { d: 2, c: 1 } }))
})
