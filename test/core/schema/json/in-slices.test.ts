/** The parser that pauses, beside the one that does not: the same values, and what one refuses the other does, too. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pauses } from '../../../../core/common/slices.ts'
import { parseInSlices } from '../../../../core/schema/json/in-slices.ts'
import { parseJsonText } from '../../../../core/schema/json/text.ts'
import { webClock } from '../../../../runtimes/web/ports.ts'
import fc from '../../../support/fast-check.ts'
import { trials } from '../../../support/soak.ts'

const unbounded = { depth: 1_000, values: 1_000_000, rowValues: 1_000_000 }
const parse = (text: string, bounds = unbounded) => parseInSlices(text, bounds, new Pauses(webClock).sharedSlices())

/** Whether all numbers are those of Go: the engine's parser makes too large ones infinite. */
const isExact = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.values(value).every(isExact) : typeof value !== 'number' || Number.isFinite(value)

/** The value, or that there is none. */
async function outcome(work: () => unknown): Promise<unknown> {
  try {
    const value = await work()
    return isExact(value) ? { value } : 'refused'
  } catch {
    return 'refused'
  }
}

test('values, and texts near values', async () => {
  const value = fc.json({ maxDepth: 6, stringUnit: 'binary' })
  const broken = fc.tuple(
    value,
    fc.nat(),
    fc.constantFrom(...'[]{}:,"\\\n \t01-.eEtfn', '\u0000', 'null', '\\ud800', '9'.repeat(20), '__proto__'),
  )
  await fc.assert(
    fc.asyncProperty(value, broken, async (whole, [text, place, part]) => {
      const at = place % (text.length + 1)
      for (const each of [whole, text.slice(0, at) + part + text.slice(at), text.slice(0, at) + part + text.slice(at + 1)])
        assert.deepEqual(await outcome(() => parse(each)), await outcome(() => parseJsonText(each)), each)
    }),
    { numRuns: trials(1_000, 200_000) },
  )
})

test('a text that exceeds a bound is refused', async () => {
  const bounds = { depth: 3, values: 10, rowValues: 4 }
  for (const [text, expected] of [
    ['[[[]]]', /^.{0}$/],
    ['[[[[]]]]', /nested more than 3 levels/],
    ['[0,0,0,0,0,0,0,0,0]', /^.{0}$/],
    ['[0,0,0,0,0,0,0,0,0,0]', /more than 10 values/],
    ['[[[0,0,0]],0]', /^.{0}$/],
    ['[[[0,0,0,0]],0]', /a part of the document has more than 4 values/],
    [`"${'x'.repeat(2_000_000)}"`, /more than 1048576 characters/],
    ['9'.repeat(2_000), /./],
  ] as const) {
    const message = await parse(text, bounds).then(
      () => '',
      (error: Error) => error.message,
    )
    assert.match(message, expected, text.slice(0, 50))
  }
})
