import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse as parseAnother, stringify } from 'yaml'
import { ApiError } from '../../../core/answers/status.ts'
import { parseYaml } from '../../../core/request/yaml.ts'
import { parseExact, printJson } from '../../../core/schema/json/text.ts'
import { yamlText } from '../../../core/schema/yaml/text.ts'
import fc from '../../support/fast-check.ts'
import { trials } from '../../support/soak.ts'

const parse = (text: string) => parseYaml(new TextEncoder().encode(text), { duplicates: true })
const value = (text: string) => parse(text).value
const refused = (text: string, message: RegExp) =>
  assert.throws(
    () => parse(text),
    (error) => error instanceof ApiError && error.status.code === 400 && message.test(error.message),
    text.slice(0, 80),
  )

test('YAML 1.1 scalars become JSON values', () => {
  const rows: [text: string, expected: unknown][] = [
    ['yes', true],
    ['On', true],
    ['no', false],
    ['off', false],
    ['"yes"', 'yes'],
    ["'on'", 'on'],
    ['010', 8],
    ['0x1f', 31],
    ['1_000', 1000],
    ['1e3', 1000],
    ['~', null],
    ['', null],
    ['2001-12-14', '2001-12-14'],
    ['2001-12-14T21:59:43Z', '2001-12-14T21:59:43Z'],
    ['12:30', '12:30'],
    ['1.5', 1.5],
    ['v1', 'v1'],
  ]
  for (const [text, expected] of rows) assert.deepEqual(value(text), expected, text)
})

test('parses objects', () => {
  const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: {x: "1"}\ndata:\n  script: |\n    a\n    b\n  1: "x"\n'
  assert.deepEqual(value(text), {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', labels: { x: '1' } },
    data: { 1: 'x', script: 'a\nb\n' },
  })
  assert.deepEqual(value('---\na: 1\n'), { a: 1 })
  assert.deepEqual(value('{"a": [1, {"b": null}]}'), { a: [1, { b: null }] })
})

const styles = fc.record({
  collectionStyle: fc.constantFrom('any' as const, 'flow' as const),
  defaultStringType: fc.constantFrom(
    'PLAIN' as const,
    'QUOTE_SINGLE' as const,
    'QUOTE_DOUBLE' as const,
    'BLOCK_LITERAL' as const,
    'BLOCK_FOLDED' as const,
  ),
  defaultKeyType: fc.constantFrom('PLAIN' as const, 'QUOTE_SINGLE' as const, 'QUOTE_DOUBLE' as const),
  lineWidth: fc.constantFrom(0, 30, 80),
  indentSeq: fc.boolean(),
})
const words = fc.constantFrom(
  'a',
  'b c',
  'yes',
  '010',
  '1e3',
  ' x ',
  '#',
  'a: b',
  '- ',
  "it's",
  'two\nlines\n',
  '\n',
  '\ttab',
  'a\n\n b\n',
  'é',
  '😀',
  '',
)
const objects = fc.dictionary(fc.oneof(words, fc.string()), fc.oneof(words, fc.jsonValue({ maxDepth: 3 }), fc.array(words)))

test('round trip through another YAML writer, in each of its styles', () => {
  fc.assert(
    fc.property(objects, styles, (object, style) => {
      const plain = parseExact(JSON.stringify(object)) as { [key: string]: unknown }
      // The writer leaves `<<` unquoted, which is a merge key, and writes tabs and characters that YAML 1.1 does not allow.
      if (/"<<":|(?:"|\\n)\\t|[\x7f-\x9f\u2028\u2029\ufeff]/.test(printJson(plain))) return
      // It sometimes omits the indentation indicator of blocks that begin with white space.
      if (style.defaultStringType.startsWith('BLOCK') && /"(?: |\\n)|\\n | "/.test(printJson(plain))) return
      // It leaves colons in flow collections unquoted, where they end a plain scalar in go-yaml.
      const quotes = style.collectionStyle === 'flow' && ({ defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'QUOTE_DOUBLE' } as const)
      const text = stringify(plain, { version: '1.1', ...style, ...quotes })
      assert.deepEqual(value(text), plain, text)
    }),
    { numRuns: trials(300, 20_000) },
  )
})

test('round trip through our writer, with our parser and another one', () => {
  fc.assert(
    fc.property(objects, (object) => {
      const plain = parseExact(JSON.stringify(object))
      const text = yamlText(plain)
      assert.deepEqual(value(text), plain, text)
      // The other parser has no integers beyond the range of a double.
      if (!/"<<"|\d{16}/.test(printJson(plain))) assert.deepEqual(parseAnother(text, { version: '1.2' }), plain, text)
    }),
    { numRuns: trials(300, 20_000) },
  )
})

test('parses like kube-apiserver (go-yaml v2)', () => {
  const rows: [text: string, expected: unknown][] = [
    ['a: &x {b: 1}\nc: {b: 2, <<: *x}', { a: { b: 1 }, c: { b: 1 } }],
    ['a:\n- b\n-\n  - c\n- - d', { a: ['b', ['c'], ['d']] }],
    ['? a\n: b\n? c', { a: 'b', c: null }],
    ['"a\n  b\n\n  c\\\n  d"', 'a b\ncd'],
    ['a: >-\n  x\n  y\n\n  z\n   w\n', { a: 'x y\nz\n w' }],
    ['a: |2-\n   x\n  y\n', { a: ' x\ny' }],
    ['[a b, "c": d, e: f, ? g : h]', ['a b', { c: 'd' }, { e: 'f' }, { g: 'h' }]],
    ['a: !!str 1\nb: !!int "2"\nc: !own x\nd: !!binary aGk=', { a: '1', b: 2, c: 'x', d: 'hi' }],
    ['a: plain text\n  on two lines # a comment\nb: c#d', { a: 'plain text on two lines', b: 'c#d' }],
    ['%YAML 1.1\n---\na: 0b11\nb: 0o17\nc: 08\nd: 1e400\ne: +1\n...\n', { a: 3, b: 15, c: 8, d: '1e400', e: 1 }],
    ['a: 18446744073709551615', { a: 18446744073709551615n }],
  ]
  for (const [text, expected] of rows) assert.deepEqual(value(text), expected, text)
  for (const [text, message] of [
    ['a: b: c', /^yaml: mapping values are not allowed in this context$/],
    ['a:\n\t- b', /^yaml: line 2: found character that cannot start any token$/],
    ['a: [b\nc: d', /^yaml: line 1: did not find expected ',' or '\]'$/],
    ['a: "b', /^yaml: found unexpected end of stream$/],
    ['a\nb: c', /^yaml: line 2: mapping values are not allowed in this context$/],
    ['a: b\n c: d', /^yaml: line 2: mapping values are not allowed in this context$/],
    ['a: @b', /^yaml: found character that cannot start any token$/],
    ['a: !!int b', /^yaml: cannot decode !!str `b` as a !!int$/],
    ['a: "\\q"', /^yaml: found unknown escape character$/],
    ['a: b\n]', /^yaml: line 1: did not find expected key$/],
  ] as const)
    refused(text, message)
})

test('says what is wrong with bytes that are not UTF-8', () => {
  const rows: readonly (readonly [readonly number[], string])[] = [
    [[0xff], 'invalid leading UTF-8 octet'],
    [[0xe2, 0x82], 'incomplete UTF-8 octet sequence'],
    [[0xe2, 0x41, 0x41], 'invalid trailing UTF-8 octet'],
    [[0xc0, 0x80], 'invalid length of a UTF-8 sequence'],
    [[0xed, 0xa0, 0x80], 'invalid Unicode character'],
  ]
  for (const [bytes, fault] of rows)
    assert.throws(() => parseYaml(new Uint8Array([0x61, ...bytes]), { duplicates: false }), { message: `yaml: ${fault}` })
})

test('aliases are copied, and merge keys apply', () => {
  const parsed = value('base: &b {x: {q: 1}}\none: *b\ntwo:\n  <<: *b\n  z: 2\n') as { [key: string]: { x: object } }
  assert.deepEqual(parsed, { base: { x: { q: 1 } }, one: { x: { q: 1 } }, two: { x: { q: 1 }, z: 2 } })
  assert.notEqual(parsed['base']?.x, parsed['one']?.x)
})

test('reports duplicate keys by line; the last value counts', () => {
  const parsed = parse('a: 1\nb:\n  c: 1\n  c: 2\na: 3\n')
  assert.deepEqual(parsed.value, { a: 3, b: { c: 2 } })
  assert.deepEqual(parsed.duplicates.toSorted(), ['line 4: key "c" already set in map', 'line 5: key "a" already set in map'])
})

test('reads the first document only', () => {
  for (const text of ['a: 1\n---\nb: [', '{a: 1}{a: 2}', '{a: 1}\n...\n}']) assert.deepEqual(value(text), { a: 1 })
  refused('{a: 1}\n@', /^yaml: line 2: found character that cannot start any token$/)
})

test('refuses texts that are not JSON-compatible', () => {
  refused('a: [1', /^yaml: line 1: did not find expected ',' or '\]'$/)
  refused('a: .nan', /unsupported value: NaN/)
  refused('a: .inf', /unsupported value/)
})

test('limits depth and aliases', () => {
  for (const open of ['[', '{a: ', '- ', '? ']) refused(open.repeat(500_000), /exceeded max depth/)
  assert.ok(value(`${'['.repeat(200)}${']'.repeat(200)}`))
  refused('? [a]\n: b', /unsupported map key/)
  refused('a: &a [*a]', /anchor 'a' value contains itself/)
  refused('<<: 1', /map merge requires/)
  const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
  for (let level = 1; level < 9; level++)
    bomb.push(
      `a${level}: &a${level} [${Array(9)
        .fill(`*a${level - 1}`)
        .join(', ')}]`,
    )
  refused(bomb.join('\n'), /excessive aliasing/)
})

test('a colon ends a plain scalar only before white space, as in kube-apiserver', () => {
  assert.deepEqual(value('a: [1.2.3.4, 001:db8::]'), { a: ['1.2.3.4', '001:db8::'] })
  assert.deepEqual(value('{a: b:, c: d, e:f, "g":1}'), { a: 'b:', c: 'd', 'e:f': null, g: 1 })
  assert.deepEqual(value('[a:, x::, y:: ]'), ['a:', 'x::', { 'y:': null }])
  assert.deepEqual(value('a:\n  - b:\n  - [c: d]'), { a: [{ b: null }, [{ c: 'd' }]] })
  refused('[a:{b: c}]', /^yaml: did not find expected ',' or '\]'$/)
})

test('__proto__ is an ordinary key', () => {
  const parsed = value('__proto__: {polluted: true}') as object
  assert.deepEqual(Object.keys(parsed), ['__proto__'])
  assert.equal(({} as { polluted?: boolean }).polluted, undefined)
})

const utf16 = (text: string, isBig = false) => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le')
  return isBig ? bytes.swap16() : bytes
}
const read = (bytes: Uint8Array) => parseYaml(bytes, { duplicates: true }).value
const faultOf = (bytes: Uint8Array) => {
  try {
    return read(bytes)
  } catch (error) {
    return (error as Error).message
  }
}

test('a byte order mark is no part of the first key, and may declare UTF-16', () => {
  assert.deepEqual(value('\ufeffa: b\nc: d\n'), { a: 'b', c: 'd' })
  // A later one is a character like others.
  assert.deepEqual(value('# x\n\ufeffa: b\nc: d\n'), { '\ufeffa': 'b', c: 'd' })
  assert.equal(faultOf(Buffer.from('a: b\n\ufeff')), "yaml: line 3: could not find expected ':'")
  for (const isBig of [false, true]) assert.deepEqual(read(utf16('a: é😀\nc: d\n', isBig)), { a: 'é😀', c: 'd' })
  assert.equal(faultOf(utf16('a: b').subarray(0, 9)), 'yaml: incomplete UTF-16 character')
  assert.equal(faultOf(Buffer.from('fffe00dc', 'hex')), 'yaml: unexpected low surrogate area')
  assert.equal(faultOf(Buffer.from('fffe00d8', 'hex')), 'yaml: incomplete UTF-16 surrogate pair')
  assert.equal(faultOf(Buffer.from('fffe00d86100', 'hex')), 'yaml: expected low surrogate area')
})

test('control characters are refused where the reader gets to them, before errors of the same piece of 512 bytes', () => {
  const control = 'yaml: control characters are not allowed'
  for (const text of ['a: "x\u0007"', 'a: [\u007f', '# \u009f', 'a: \ufffe', `a: b\n---\n${'c'.repeat(400)}\u0001`])
    assert.equal(faultOf(Buffer.from(text)), control, JSON.stringify(text))
  assert.deepEqual(value('a: "x\u0085\u00a0"'), { a: 'x \u00a0' })
  assert.deepEqual(value(`a: b\n---\n${'c'.repeat(600)}\u0001`), { a: 'b' })
  assert.equal(faultOf(Buffer.from(`a: b: c\n${'d'.repeat(600)}\u0001`)), 'yaml: mapping values are not allowed in this context')
})

test('directives and tags are scanned as by the reference', () => {
  assert.deepEqual(value('%YAML 1.1 # x\n%TAG !e! tag:yaml.org,2002:\n---\na: !e!str 1\nb: !<tag:yaml.org,2002:str> 2\nc: !!s%74r 3\n'), {
    a: '1',
    b: '2',
    c: '3',
  })
  const rows = {
    '%\n---\na': 'yaml: could not find expected directive name',
    '%YAML:\n---\na': 'yaml: found unexpected non-alphabetical character',
    '%FOO\n---\na': 'yaml: found unknown directive name',
    '%YAML x\n---\na': 'yaml: did not find expected version number',
    '%YAML 1\n---\na': "yaml: did not find expected digit or '.' character",
    '%YAML 111.1\n---\na': 'yaml: found extremely long version number',
    '%YAML 1.2\n---\na': 'yaml: found incompatible YAML document',
    '%TAG x y\n---\na': "yaml: did not find expected '!'",
    'a: 1\n%x': 'yaml: line 2: found unknown directive name',
    '!a\\b c': 'yaml: did not find expected whitespace or line break',
    '!% c': 'yaml: did not find URI escaped octet',
    '!! c': 'yaml: did not find expected tag URI',
    '!<a c': "yaml: did not find the expected '>'",
    '!x!y c': 'yaml: found undefined tag handle',
    '...\na: b': 'yaml: did not find expected node content',
  }
  for (const [text, message] of Object.entries(rows)) assert.equal(faultOf(Buffer.from(text)), message, text)
})

test('what no JSON value holds is refused after the syntax of the document', () => {
  assert.equal(faultOf(Buffer.from('a: .nan\nb: [')), 'yaml: line 2: did not find expected node content')
  assert.equal(faultOf(Buffer.from('a: .nan')), 'json: unsupported value: NaN')
  assert.equal(faultOf(Buffer.from('a: -.inf')), 'json: unsupported value: -Inf')
  assert.deepEqual(value('.inf: a'), { '.inf': 'a' })
  assert.deepEqual(value('-9223372036854775809'), -9223372036854776000n)
})
