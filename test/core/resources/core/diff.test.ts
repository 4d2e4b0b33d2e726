import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { changesOf } from '../../../../core/resources/core/diff.ts'
import { decode } from '../../../../core/schema/decode.ts'
import { givenEmpty } from '../../../../core/schema/json/given-empty.ts'
import { field, type Json, list, message, string } from '../../../../core/schema/model.ts'

const diff = (before: Json, after: Json) => changesOf(before, after, (value) => value)

const fields = (changes: object) => ({
  A: null,
  B: null,
  C: null,
  D: null,
  E: null,
  F: null,
  G: null,
  H: null,
  I: null,
  J: null,
  ...changes,
})

describe('diff', () => {
  it('is empty for an empty list in place of an absent one', () => {
    const Words = message('Words', 'Words.', { words: field(1, list(string), 'Words.'), first: field(2, string, 'A word.') })
    const read = (value: Json) => decode(Words, value).value
    const shown = (value: Json) => ({ ...(value as object), empty: givenEmpty(value as object, 'words') !== undefined })
    assert.equal(changesOf(read({}), read({ words: [] }), shown), '')
    assert.match(changesOf(read({}), read({ words: [], first: 'x' }), shown), /\+ "empty": true/)
  })

  it('is empty for equal values', () => assert.equal(diff({ A: [1] }, { A: [1] }), ''))

  it('shows three lines around a change', () =>
    assert.equal(
      diff(fields({}), fields({ E: { X: 1 } })),
      '@@ -3,7 +3,9 @@\n  "B": null,\n  "C": null,\n  "D": null,\n- "E": null,\n+ "E": {\n+  "X": 1\n+ },\n  "F": null,\n  "G": null,\n  "H": null,\n',
    ))

  it('shows distant changes apart, and the first and last line', () =>
    assert.equal(
      diff(fields({}), fields({ A: 1, J: 2 })),
      '@@ -1,5 +1,5 @@\n {\n- "A": null,\n+ "A": 1,\n  "B": null,\n  "C": null,\n  "D": null,\n@@ -8,5 +8,5 @@\n  "G": null,\n  "H": null,\n  "I": null,\n- "J": null\n+ "J": 2\n }\n',
    ))

  it('takes no longer than a moment for large lists', () => {
    const list = (size: number, item: string) => Array.from({ length: size }, (_, at) => (at % 2 ? 'x' : `${item}${at}`))
    assert.match(diff(list(50_000, 'a'), list(50_000, 'b')), /^@@ /)
  })
})
