import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import { parseYamlText, yamlText } from '../../../../core/schema/yaml/text.ts'

/** Strings that YAML 1.1 or 1.2 would read as another type when unquoted, or that readers refuse or take for a line end. */
const texts = [
  ...['yes', 'off', 'Y', 'n', 'null', '~', '', '0777', '0o17', '0x1f', '1_000', '1e3', '.5', '1.', '12:30', '1:20:30.5', '2001-01-01', '='],
  ...['<<', 'a: b', '# c', ' lead', 'two\nlines\n', 'a\tb', 'a\u0085b', 'a\u007fb', '\ufeff', 'a\u0001b', '- x', '{', '"'],
]

test('strings stay strings in both versions of YAML, as values and as keys', () => {
  for (const each of texts) {
    const value = { member: each, items: [each], ...(each !== '<<' && { [each]: 'key' }) }
    const written = yamlText(value)
    assert.deepEqual(parseYamlText(written), value, written)
    assert.doesNotMatch(written, /[\x7f-\x9f\u2028\u2029\ufeff]/)
    assert.deepEqual(parse(written, { version: '1.2' }), value, written)
  }
})

test('line and paragraph separators are line breaks, as kube-apiserver writes them for readers of YAML 1.1', () => {
  const rows = {
    'a\u2028b': "'a\u2028  b'\n",
    '\u2029': "'\u2029'\n",
    'a\n\u2028b': '|-\n  a\n\u2028  b\n',
    'a\n\u2028': '|+\n  a\n\u2028',
    ' \u2028': '" \\L"\n',
    'a\u2029 b': '"a\\P b"\n',
    '\ufeffa b': '"\\uFEFF\\x61\\x20\\x62"\n',
  }
  for (const [text, written] of Object.entries(rows)) {
    assert.equal(yamlText(text), written, JSON.stringify(text))
    assert.equal(parseYamlText(written), text)
  }
})

test('numbers stay numbers, however large', () => {
  const value = {
    int: 1,
    long: 12345678901234567890n,
    negative: -9007199254740993n,
    double: 1.5,
    large: 1e21,
    yes: true,
    no: false,
    none: null,
  }
  assert.deepEqual(parseYamlText(yamlText(value)), value)
})

test('reads YAML written by kube-apiserver', () => {
  const text =
    'apiVersion: v1\ndata:\n  at: 2001-01-01\n  "on": "yes"\nkind: ConfigMap\nmetadata:\n  creationTimestamp: "2026-01-01T00:00:00Z"\n'
  assert.deepEqual(parseYamlText(text), {
    apiVersion: 'v1',
    data: { at: '2001-01-01', on: 'yes' },
    kind: 'ConfigMap',
    metadata: { creationTimestamp: '2026-01-01T00:00:00Z' },
  })
})

test('members are in the order of kube-apiserver: other characters, then letters; numbers by value', () => {
  // As kube-apiserver 1.36.2 answers a config map with these keys.
  const sorted = '.x _y 0 9 10 B Z a a-b a.b a_b a0 a00 a1 a1.b a9 a10 a010 a100 ab b x1 x01'.split(' ')
  const shuffled = sorted.toSorted((a, b) => (a + a.length * 7).split('').reverse().join('').localeCompare(b))
  const written = yamlText(Object.fromEntries(shuffled.map((key) => [key, 'v'])))
  const keys = written
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/: v$/, '').replaceAll('"', ''))
  assert.deepEqual(keys, sorted)
})

test('strings are written as kube-apiserver writes them', () => {
  const long =
    'message: only the following media types are accepted: application/json;stream=watch, application/vnd.example.protobuf;stream=watch'
  // As kube-apiserver 1.36.2 answers config maps with these values.
  const written: readonly (readonly [string, string])[] = [
    ['f:data', 'f:data'],
    ['.', '.'],
    ['-', "'-'"],
    ["it's", "it's"],
    ["'", "''''"],
    ['a: b', "'a: b'"],
    [' a', "' a'"],
    ['yes', '"yes"'],
    ['2026-01-01T00:00:00Z', '"2026-01-01T00:00:00Z"'],
    ['2026-02-30', '2026-02-30'],
    ['12:30', '"12:30"'],
    ['<<', '<<'],
    ['a\tb', '"a\\tb"'],
    ['\u{1f600}', '"\\U0001F600"'],
    ['é', 'é'],
    ['a\n b\n', '|\n  a\n   b'],
    [' a\n', '|2\n   a'],
    ['a \nb', '"a \\nb"'],
    [
      long,
      "'message: only the following media types are accepted: application/json;stream=watch,\n  application/vnd.example.protobuf;stream=watch'",
    ],
    [`${'word '.repeat(20)}end`, `${'word '.repeat(16).trim()}\n  ${'word '.repeat(4)}end`],
    [`${'x'.repeat(90)} "\t y`, `"${'x'.repeat(90)}\n  \\"\\t y"`],
  ]
  for (const [text, expected] of written) assert.equal(yamlText({ k: text }), `k: ${expected}\n`)
  const key = 'k'.repeat(129)
  assert.equal(yamlText({ [key]: { a: ['b'] } }), `? ${key}\n: a:\n  - b\n`)
  assert.equal(yamlText({ a: 1e21, b: 0.00001, c: 123456789.5, d: 1.5 }), 'a: 1e+21\nb: 1e-05\nc: 1.234567895e+08\nd: 1.5\n')
})
