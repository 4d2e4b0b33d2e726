import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printable, quote } from '../../../../core/schema/go/quote.ts'

/** As printed by Go's `%q`. */
const cases: readonly (readonly [text: string, quoted: string])[] = [
  ['a b/~', 'a b/~'],
  ['"\\', String.raw`\"\\`],
  ['\x00\x07\b\t\n\v\f\r\x1b\x7f', String.raw`\x00\a\b\t\n\v\f\r\x1b\x7f`],
  // C1 controls: U+009B starts a command of terminals.
  ['\x80\x85\x9b\x9f', String.raw`\u0080\u0085\u009b\u009f`],
  ['\u00a0\u00ad\u200b\u2028\u202e\u3000\ufeff', String.raw`\u00a0\u00ad\u200b\u2028\u202e\u3000\ufeff`],
  ['\ue000\u{e0001}\u{10fffe}', String.raw`\ue000\U000e0001\U0010fffe`],
  ['é日本😀\ufffd', 'é日本😀\ufffd'],
]

for (const [text, quoted] of cases) test(`quotes ${quoted}`, () => assert.equal(quote(text), `"${quoted}"`))

test('no character that is not printable is left', () => {
  for (let code = 0; code < 0x11_0000; code++) {
    const text = String.fromCodePoint(code)
    assert.doesNotMatch(quote(text), /[\p{C}\p{Zl}\p{Zp}]/u)
    assert.doesNotMatch(printable(text), /(?![\n\t])[\p{C}\p{Zl}\p{Zp}]/u)
  }
})
