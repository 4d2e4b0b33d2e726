import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SortedIndex } from '../../../core/common/sorted-index.ts'
import { seeded } from '../../support/mutate.ts'

const seed = 20_261_125
/** Enough for several chunks, and for chunks that become empty. */
const steps = 20_000

const itemsOf = (index: SortedIndex<string>, prefix: string, from?: string) =>
  [...index.parts(prefix, from)].flatMap(([chunk, start, end]) => chunk.slice(start, end))

test(`an index equals a plain sorted list, however long nobody asks for the order (seed ${seed})`, () => {
  const random = seeded(seed)
  for (const pause of [1, 10, 700, 5_000]) {
    const index = new SortedIndex((text: string) => text)
    let plain = new Set<string>()
    const check = () => {
      const prefix = random.pick(['', 'a', 'a/', 'a/1', 'b-', '\uffff', 'c'])
      const from = random.pick(['', 'a/5', 'b', 'c/9', '\uffff\uffff'])
      const expected = [...plain].filter((text) => text.startsWith(prefix) && text >= from).sort()
      assert.deepEqual(itemsOf(index, prefix, from), expected, `${prefix} from ${from}`)
      assert.equal(index.count(prefix, from), expected.length)
    }
    for (let step = 0; step < steps; step++) {
      const text = `${random.pick(['a', 'b', 'b-1', 'c', '\uffff'])}/${random.below(3_000)}`
      // The index grows first and shrinks later.
      if (random.below(steps) < step) {
        index.remove(text)
        plain.delete(text)
      } else if (plain.has(text)) index.replace(text)
      else {
        index.add(text)
        plain.add(text)
      }
      if (step % pause === 0 && random.below(20) === 0) check()
    }
    check()
    const filled = Array.from({ length: random.below(3_000) }, (_, at) => `c/${at}`).sort()
    index.fill(filled)
    plain = new Set(filled)
    index.add('c')
    plain.add('c')
    check()
    assert.equal(filled.includes('c'), false, 'the list that it is filled with is not changed')
    index.clear()
    plain.clear()
    check()
  }
})
