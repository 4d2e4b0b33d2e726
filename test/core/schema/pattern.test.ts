import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compilePattern, patternTest } from '../../../core/schema/pattern.ts'

test('patterns of 64 KiB are compiled, longer ones are refused', () => {
  const longest = 'a.'.repeat(32 * 1024)
  assert.equal(
    compilePattern(longest)
      .matcher('ab'.repeat(32 * 1024))
      .matches(),
    true,
  )
  assert.throws(() => compilePattern(`${longest}b`), /^Error: error parsing regexp: expression too large$/)
  const { test: matches, problem } = patternTest(`${longest}b`)
  assert.deepEqual([matches('ab'), problem], [false, 'error parsing regexp: expression too large'])
})
