import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareReleases, isReached, ownRelease, parseRelease, type Release, releaseBefore } from '../../core/release.ts'

test('releases are ordered by number, not by text', () => {
  const shuffled: readonly Release[] = ['1.36', '2.0', '1.4', '1.10', '0.40', '1.0']
  assert.deepEqual(shuffled.toSorted(compareReleases), ['0.40', '1.0', '1.4', '1.10', '1.36', '2.0'])
  assert.deepEqual([isReached('1.9', '1.10'), isReached('1.10', '1.10'), isReached('1.11', '1.10')], [true, true, false])
})

test('a text is a release only as major and minor number', () => {
  const texts = ['1.36', '01.036', 'v1.36', '1', '1.', '1.36.0', '1.-1', ' 1.36', '']
  assert.deepEqual(texts.map(parseRelease), ['1.36', '1.36', ...Array.from({ length: 7 })])
  assert.equal(parseRelease(ownRelease), ownRelease)
})

test('earlier releases', () => {
  assert.deepEqual([releaseBefore('1.36'), releaseBefore('1.36', 3)], ['1.35', '1.33'])
})
