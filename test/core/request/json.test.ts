import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../../core/answers/status.ts'
import { maxDepth, parseJson, unrecognizedObject } from '../../../core/request/json.ts'
import { syntaxFault } from '../../../core/schema/json/syntax.ts'
import { parseJsonText } from '../../../core/schema/json/text.ts'
import type { Json } from '../../../core/schema/model.ts'
import fc from '../../support/fast-check.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const parse = (text: string) => parseJson(encode(text), { duplicates: true })

test('parses like JSON.parse, without duplicates', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      const parsed = parse(text)
      assert.deepEqual(parsed.value, parseJsonText(text))
      assert.deepEqual(parsed.duplicates, [])
      assert.equal(syntaxFault(encode(text)), undefined)
    }),
  )
})

test('reports duplicate keys with their paths; the last value counts', () => {
  const rows: [text: string, duplicates: string[]][] = [
    ['{"a":1,"a":2}', ['duplicate field "a"']],
    ['{"spec": {"replicas":1 , "replicas" :2}}', ['duplicate field "spec.replicas"']],
    ['{"a":[{"b":1},{"b":"x\\"},{","b":[]}]}', ['duplicate field "a[1].b"']],
    ['{"a":{"b":1},"a":{"b":2,"b":3},"a":true}', ['duplicate field "a"', 'duplicate field "a.b"']],
    ['{"a":1,"\\u0061":2}', ['duplicate field "a"']],
    ['{"__proto__":1,"__proto__":2}', ['duplicate field "__proto__"']],
    ['{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}', []],
    ['{"a:":1,"b":"a:,a:"}', []],
  ]
  for (const [text, duplicates] of rows) {
    const parsed = parse(text)
    assert.deepEqual(parsed.value, JSON.parse(text) as Json)
    assert.deepEqual(parsed.duplicates.toSorted(), duplicates.toSorted(), text)
    assert.deepEqual(parseJson(encode(text), { duplicates: false }).duplicates, [])
  }
})

test('reports at most 100 duplicates', () => {
  const members = Array.from({ length: 300 }, (_, index) => `"k${index % 150}":1`)
  assert.equal(parse(`{${members.join(',')}}`).duplicates.length, 100)
})

test('__proto__ is an ordinary key', () => {
  const { value } = parse('{"__proto__":{"polluted":true}}')
  assert.deepEqual(Object.keys(value as object), ['__proto__'])
  assert.equal(({} as { polluted?: boolean }).polluted, undefined)
})

test('error messages match encoding/json', () => {
  const rows: [text: string, message: string][] = [
    ['', 'unexpected end of JSON input'],
    ['{"a":', 'unexpected end of JSON input'],
    ['"abc', 'unexpected end of JSON input'],
    ['hello', "invalid character 'h' looking for beginning of value"],
    ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b":2}', `invalid character '"' after object key:value pair`],
    ['[1 2]', "invalid character '2' after array element"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{}x', "invalid character 'x' after top-level value"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['trux', "invalid character 'x' in literal true (expecting 'e')"],
    ['-x', "invalid character 'x' in numeric literal"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1ex', "invalid character 'x' in exponent of numeric literal"],
    ['01', "invalid character '1' after top-level value"],
    ["'a'", "invalid character '\\'' looking for beginning of value"],
    ['\ufeff{}', "invalid character 'ï' looking for beginning of value"],
  ]
  for (const [text, message] of rows)
    assert.throws(
      () => parse(text),
      (error) => error instanceof ApiError && error.status.code === 400 && error.message === message,
      text,
    )
})

test('invalid texts are refused with 400, never otherwise', () => {
  const broken = fc.tuple(fc.json(), fc.nat(), fc.string({ maxLength: 2 })).map(([text, at, insert]) => {
    const cut = at % (text.length + 1)
    return text.slice(0, cut) + insert + text.slice(cut + 1)
  })
  fc.assert(
    fc.property(broken, (text) => {
      let valid = true
      try {
        JSON.parse(text)
      } catch {
        valid = false
      }
      if (valid) return
      assert.throws(
        () => parse(text),
        (error) =>
          error instanceof ApiError && error.status.reason === 'BadRequest' && /invalid character|unexpected end/.test(error.message),
      )
    }),
  )
})

test('each invalid UTF-8 byte becomes U+FFFD, as in Go, unless it is refused', () => {
  const replaced: readonly [number[], string][] = [
    [[0xff, 0x61], '\ufffda'],
    [[0xe2, 0x82], '\ufffd\ufffd'],
    [[0xf0, 0x9f, 0x98, 0x61], '\ufffd\ufffd\ufffda'],
    [[0xed, 0xa0, 0x80], '\ufffd\ufffd\ufffd'],
    [[0xc0, 0xaf, 0xf4, 0x90, 0x80, 0x80], '\ufffd'.repeat(6)],
    [[0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xc3, 0xa4, 0x80], '€😀ä\ufffd'],
  ]
  for (const [bytes, text] of replaced) {
    const body = new Uint8Array([0x7b, 0x22, ...bytes, 0x22, 0x3a, 0x22, ...bytes, 0x22, 0x7d])
    assert.deepEqual(parseJson(body, { duplicates: true }), { value: { [text]: text }, duplicates: [] })
    assert.throws(() => parseJson(body, { duplicates: true, isYaml: true }), /not allowed in YAML/)
  }
  assert.throws(() => parseJson(new Uint8Array([0x7b, 0xe4, 0x7d]), { duplicates: true }), /invalid character 'ä' looking for beginning/)
})

test('limits the depth', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  assert.ok(parse(nested(maxDepth)))
  assert.throws(() => parse(nested(maxDepth + 1)), /exceeded max depth/)
  assert.throws(() => parse('['.repeat(3_000_000)), /exceeded max depth/)
  assert.ok(parse(`["${'['.repeat(maxDepth + 1)}"]`))
})

test('an unrecognized object is quoted by the start of its body', () => {
  const text = (body: string) => unrecognizedObject('Pod', 'why', encode(body)).message
  assert.equal(text(''), 'the object provided is unrecognized (must be of type Pod): why (<empty>)')
  assert.equal(text('{"a":1'), 'the object provided is unrecognized (must be of type Pod): why ({"a":1)')
  assert.equal(text('hi'), 'the object provided is unrecognized (must be of type Pod): why (6869)')
  assert.match(text(`{${'a'.repeat(50)}`), /\(\{a{29} \.\.\.\)$/)
})
