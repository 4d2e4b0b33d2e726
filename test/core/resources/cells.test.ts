import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  age,
  containerImages,
  containerNames,
  elapsed,
  humanDuration,
  joined,
  labelsText,
  ratio,
  selectorText,
} from '../../../core/resources/cells.ts'
import fc from '../../support/fast-check.ts'

test('durations as printed by kubectl', () => {
  const s = 1000
  const m = 60 * s
  const h = 60 * m
  const d = 24 * h
  const rows: [milliseconds: number, text: string][] = [
    [-2 * s, '<invalid>'],
    [-1 * s, '0s'],
    [0, '0s'],
    [1500, '1s'],
    [119 * s, '119s'],
    [2 * m, '2m'],
    [2 * m + 5 * s, '2m5s'],
    [10 * m + 5 * s, '10m'],
    [179 * m, '179m'],
    [3 * h, '3h'],
    [7 * h + 59 * m, '7h59m'],
    [8 * h + 59 * m, '8h'],
    [47 * h, '47h'],
    [2 * d, '2d'],
    [7 * d + 23 * h, '7d23h'],
    [8 * d + 23 * h, '8d'],
    [729 * d, '729d'],
    [730 * d, '2y'],
    [731 * d, '2y1d'],
    [8 * 365 * d + d, '8y'],
  ]
  for (const [milliseconds, text] of rows) assert.equal(humanDuration(milliseconds), text)
  const context = { now: Date.parse('2026-01-01T00:00:00Z') }
  assert.equal(age('2025-12-31T23:59:00Z', context), '60s')
  assert.equal(age(undefined, context), '<unknown>')
  assert.equal(age('yesterday', context), '<invalid>')
})

test('the text of a duration changes exactly at the computed time', () => {
  const since = Date.parse('2026-01-01T00:00:00Z')
  const aroundLimits = [120_000, 600_000, 10_800_000, 28_800_000, 172_800_000, 691_200_000, 63_072_000_000]
  const passed = fc.oneof(
    fc.integer({ min: -5_000, max: 400_000_000_000 }),
    fc.constantFrom(...aroundLimits).chain((limit) => fc.integer({ min: limit - 70_000, max: limit + 70_000 })),
  )
  fc.assert(
    fc.property(passed, fc.double({ min: 0, max: 1, noNaN: true }), (milliseconds, share) => {
      const now = since + milliseconds
      let changes = Number.NaN
      const changesAt = (time: number) => {
        changes = time
      }
      const text = elapsed(since, { now, changesAt })
      assert.ok(changes > now, 'the time is in the future')
      assert.equal(elapsed(since, { now: now + Math.floor(share * (changes - 1 - now)) }), text)
    }),
    { numRuns: 5_000 },
  )
})

test('texts', () => {
  assert.equal(ratio(undefined, 2), '0/2')
  assert.equal(joined([]), '<none>')
  assert.equal(joined(['a', 'b']), 'a,b')
  assert.equal(labelsText({ b: '2', a: '1' }), 'a=1,b=2')
  assert.equal(labelsText(undefined), '<none>')
  assert.equal(selectorText(undefined), '<none>')
  assert.equal(
    selectorText({
      matchLabels: { b: '1' },
      matchExpressions: [
        { key: 'a', operator: 'In', values: ['y', 'x'] },
        { key: 'c', operator: 'DoesNotExist' },
      ],
    }),
    'a in (x,y),b=1,!c',
  )
  assert.equal(selectorText({ matchExpressions: [{ key: 'a', operator: 'Near' }] }), '<error>')
  assert.equal(containerNames([{ name: 'a' }, { name: 'b' }]), 'a,b')
  assert.equal(
    containerImages([
      { name: 'a', image: 'x' },
      { name: 'b', image: 'y' },
    ]),
    'x,y',
  )
})
