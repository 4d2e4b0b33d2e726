import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundedWarnings } from '../../../core/respond/warnings.ts'

const many = (count: number, length: number) => Array.from({ length: count }, (_, index) => `${index}`.padEnd(length, 'é'))

test('each text once, as it is, while all have 4,096 characters at most', () => {
  assert.deepEqual(boundedWarnings(['a', 'b', '', 'a']), ['a', 'b'])
  assert.deepEqual(boundedWarnings(many(4, 1_024)), many(4, 1_024))
})

test('beyond that each is cut to 256 characters, and no more are added once the limit is reached', () => {
  const cut = boundedWarnings(many(100, 1_000))
  assert.equal(cut.length, 16)
  assert.ok(cut.every((text) => text.length === 256))
  // Those that came before the limit was passed stay, whatever they add up to.
  assert.equal(boundedWarnings(many(30, 200)).length, 21)
})

test('characters are counted, not halves of them', () => {
  const [only] = boundedWarnings(['😀'.repeat(5_000)])
  assert.equal(only, '😀'.repeat(256))
})
