import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compilePattern, patternProblem, patternTest } from '../../../../core/schema/formats/pattern.ts'
import { randomNumbers } from '../../../support/random.ts'
import { trials } from '../../../support/soak.ts'

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

test('checking a pattern without compiling it reports the same errors as compiling it', () => {
  const parts = ['a', 'Z', '0', '-', '_', ' ', '/', '^', '$', '.', '|', '(', '(?:', ')', '(?', '[', '[^', ']', '*', '+', '?', '\\']
  const more = [
    'a-z',
    '0-9',
    'z-a',
    '\\d',
    '\\S',
    '\\.',
    '\\]',
    '\\b',
    '{1}',
    '{1,}',
    '{2,3}',
    '{3,2}',
    '{999}',
    '{1000}',
    '{',
    '}',
    '[a-c]',
    '[^x]',
    '(a)',
  ]
  const all = [...parts, ...more]
  const random = randomNumbers(1)
  for (let count = trials(20_000, 1_000_000); count > 0; count--) {
    const pattern = Array.from({ length: 1 + random.integer(7) }, () => all[random.integer(all.length)]).join('')
    assert.equal(patternProblem(pattern), patternTest(pattern).problem, pattern)
  }
})
