/** Texts in UTF-8: what is faster than the built-in encoder has its results. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLongerThan } from '../../../../core/schema/bytes.ts'
import { encodeUtf8 } from '../../../../core/schema/formats/utf8.ts'

const characters = ['a', '\0', '\x7f', 'é', '߿', '日', '😀', '\ud800', '\udfff']
const lengths = [0, 1, 8_191, 8_192, 8_193, 100_000]
const bytesOf = (text: string) => new TextEncoder().encode(text)

test('a text is encoded as by the built-in encoder, into an array of its own', () => {
  for (const character of characters)
    for (const length of lengths) {
      const bytes = encodeUtf8(character.repeat(length))
      assert.deepEqual(bytes, bytesOf(character.repeat(length)))
      assert.equal(bytes.buffer.byteLength, bytes.length)
    }
  const first = encodeUtf8('first')
  encodeUtf8('other')
  assert.deepEqual(first, bytesOf('first'))
})

test('texts are too long from one byte beyond the limit on', () => {
  for (const character of characters)
    for (const texts of [[], [''], [character], [character.repeat(10)], [character, 'b', character.repeat(1_001)]]) {
      const bytes = texts.reduce((sum, text) => sum + bytesOf(text).length, 0)
      assert.equal(isLongerThan(bytes, texts), false)
      assert.equal(isLongerThan(bytes - 1, texts), true)
      assert.equal(isLongerThan(bytes + 1, texts), false)
    }
})
