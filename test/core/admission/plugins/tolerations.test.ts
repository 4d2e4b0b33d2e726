import assert from 'node:assert/strict'
import { test } from 'node:test'
import { covering, mergeTolerations, type Toleration } from '../../../../core/admission/plugins/tolerations.ts'
import { processorTime } from '../../../support/cost.ts'
import fc from '../../../support/fast-check.ts'

const fields = ['key', 'operator', 'value', 'effect'] as const
const same = (a: Toleration, b: Toleration) =>
  fields.every((name) => (a[name] ?? '') === (b[name] ?? '')) && a.tolerationSeconds === b.tolerationSeconds

/** Whether one toleration covers another, in the way of pkg/util/tolerations of Kubernetes. */
function covers(wide: Toleration, narrow: Toleration): boolean {
  if (same(wide, narrow)) return true
  const everyKey = !wide.key && wide.operator === 'Exists'
  if ((narrow.key ?? '') !== (wide.key ?? '') && !everyKey) return false
  if (wide.effect && narrow.effect !== wide.effect) return false
  if (wide.effect === 'NoExecute' && wide.tolerationSeconds !== undefined) {
    if (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > wide.tolerationSeconds) return false
  }
  if (wide.operator === 'Exists') return true
  return (
    (wide.operator || 'Equal') === 'Equal' &&
    (wide.operator ?? '') === (narrow.operator ?? '') &&
    (wide.value ?? '') === (narrow.value ?? '')
  )
}

function merged(all: readonly Toleration[]): Toleration[] {
  const result: Toleration[] = []
  for (const [index, each] of all.entries()) {
    if (result.some((kept) => covers(kept, each))) continue
    if (!all.slice(index + 1).some((later) => !same(each, later) && covers(later, each))) result.push(each)
  }
  return result
}

const toleration: fc.Arbitrary<Toleration> = fc.record(
  {
    key: fc.constantFrom('', 'a', 'b'),
    operator: fc.constantFrom('Exists', 'Equal', '', 'Gt'),
    value: fc.constantFrom('', 'x', 'y'),
    effect: fc.constantFrom('', 'NoExecute', 'NoSchedule'),
    tolerationSeconds: fc.constantFrom(0, 1, 2),
  },
  { requiredKeys: [] },
)

test('keeps the tolerations that no other covers, as a pairwise comparison does', () => {
  fc.assert(
    fc.property(fc.array(toleration), fc.array(toleration), (first, second) => {
      assert.deepEqual(mergeTolerations(first, second), merged([...first, ...second]))
      const isCovered = covering(first)
      for (const each of second)
        assert.equal(
          isCovered(each),
          first.some((wide) => covers(wide, each)),
        )
    }),
    { numRuns: 2_000 },
  )
})

test('forty thousand tolerations that differ in tolerationSeconds', async () => {
  const many = (seconds: (index: number) => number) =>
    Array.from({ length: 40_000 }, (_, index) => ({ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: seconds(index) }))
  for (const seconds of [(index: number) => index, (index: number) => -index, (index: number) => (index === 39_999 ? 1 : -index)]) {
    const { result, milliseconds } = await processorTime(() => mergeTolerations(many(seconds), []))
    assert.equal(result.length, 1)
    assert.ok(milliseconds < 4_000, `${milliseconds} ms`)
  }
})
