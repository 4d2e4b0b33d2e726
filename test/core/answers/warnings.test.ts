import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundedWarnings } from '../../../core/answers/warnings.ts'

const many = (count: number, length: number) => Array.from({ length: count }, (_, index) => `${index}`.padEnd(length, 'é'))

test('unique texts in full, up to 4,096 characters in all', () => {
  assert.deepEqual(boundedWarnings(['a', 'b', '', 'a']), ['a', 'b'])
  assert.deepEqual(boundedWarnings(many(4, 1_024)), many(4, 1_024))
})

test('beyond that each is cut to 256 characters, and further ones are dropped at the limit', () => {
  const cut = boundedWarnings(many(100, 1_000))
  assert.equal(cut.length, 16)
  assert.ok(cut.every((text) => text.length === 256))
  // Warnings within the limit stay, whatever their sum.
  assert.equal(boundedWarnings(many(30, 200)).length, 21)
})

test('counts characters, not UTF-16 code units', () => {
  const [only] = boundedWarnings(['😀'.repeat(5_000)])
  assert.equal(only, '😀'.repeat(256))
})

test('texts with control characters, which no header can hold, are left out', () => {
  assert.deepEqual(boundedWarnings(['one', 'two\nlines', 'a\u0085b', 'é']), ['one', 'é'])
})
