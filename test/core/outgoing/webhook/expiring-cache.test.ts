import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createExpiringCache } from '../../../../core/outgoing/webhook/expiring-cache.ts'
import { ManualClock } from '../../../support/clock.ts'

test('the least recently used entry is evicted when the cache is full', () => {
  const cache = createExpiringCache<number>(3, new ManualClock())
  for (const [index, key] of ['a', 'b', 'c'].entries()) cache.set(key, index, 1_000)
  assert.equal(cache.get('a'), 0)
  cache.set('d', 3, 1_000)
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((key) => cache.get(key)),
    [0, undefined, 2, 3],
  )
  cache.set('a', 9, 1_000)
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((key) => cache.get(key)),
    [9, undefined, 2, 3],
    'a new value takes the place of the old one',
  )
})

test('reads of a cache with room do not reorder entries', () => {
  const cache = createExpiringCache<number>(4, new ManualClock())
  for (const key of ['a', 'b']) cache.set(key, 1, 1_000)
  cache.get('a')
  for (const key of ['c', 'd', 'e']) cache.set(key, 1, 1_000)
  assert.deepEqual(
    ['a', 'b', 'c', 'd', 'e'].map((key) => cache.get(key)),
    [undefined, 1, 1, 1, 1],
    'the oldest entry is evicted',
  )
})

test('entries expire', () => {
  const clock = new ManualClock()
  const cache = createExpiringCache<number>(3, clock)
  cache.set('a', 1, 10)
  cache.set('b', 2, 0)
  assert.equal(cache.get('b'), undefined)
  clock.advance(9)
  assert.equal(cache.get('a'), 1)
  clock.advance(1)
  assert.equal(cache.get('a'), undefined)
})

test('memory is bounded, whatever the keys and values are', () => {
  const text = (index: number) => `${index}`.padEnd(900_000, 'x')
  for (const [name, key, value] of [
    ['keys', text, () => 0],
    ['texts', String, text],
    ['lists', String, (index: number) => Array.from({ length: 20_000 }, () => `${index}`)],
    ['members', String, (index: number) => ({ user: { extra: { [text(index)]: ['a'] } } })],
    ['errors', String, (index: number) => new Error(text(index))],
  ] as const) {
    const cache = createExpiringCache<unknown>(10_000, new ManualClock())
    for (let index = 0; index < 100; index++) cache.set(key(index), value(index), 1_000)
    const kept = Array.from({ length: 100 }, (_, index) => cache.get(key(index)) !== undefined)
    const count = kept.filter(Boolean).length
    assert.ok(count > 20 && count < 40, `${count} of 100 ${name}`)
    assert.equal(kept.lastIndexOf(false), 99 - count, 'the latest entries are kept')
    cache.set('large', 'x'.repeat(40_000_000), 1_000)
    assert.equal(cache.get('large'), undefined)
  }
})
