import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { stringify } from 'yaml'
import { parseYaml } from '../../../core/request/yaml.ts'
import { ApiError } from '../../../core/respond/status.ts'
import { parseExact, printJson } from '../../../core/schema/json-text.ts'

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

test('reads what an object looks like', () => {
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

test('every JSON value survives being written as YAML', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (object) => {
      const plain = parseExact(JSON.stringify(object)) as { [key: string]: unknown }
      // The writer leaves `<<` without quotes, which makes it a merge key.
      if (printJson(plain).includes('"<<":')) return
      assert.deepEqual(
        value(stringify(plain, { version: '1.1', defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'QUOTE_DOUBLE' })),
        plain,
      )
    }),
    { numRuns: 50 },
  )
})

test('aliases are copied, and merge keys apply', () => {
  const parsed = value('base: &b {x: {q: 1}}\none: *b\ntwo:\n  <<: *b\n  z: 2\n') as { [key: string]: { x: object } }
  assert.deepEqual(parsed, { base: { x: { q: 1 } }, one: { x: { q: 1 } }, two: { x: { q: 1 }, z: 2 } })
  assert.notEqual(parsed['base']?.x, parsed['one']?.x)
})

test('reports duplicate keys by line; the last one wins', () => {
  const parsed = parse('a: 1\nb:\n  c: 1\n  c: 2\na: 3\n')
  assert.deepEqual(parsed.value, { a: 3, b: { c: 2 } })
  assert.deepEqual(parsed.duplicates.toSorted(), ['line 4: key "c" already set in map', 'line 5: key "a" already set in map'])
})

test('refuses what is no single JSON document', () => {
  refused('a: 1\n---\nb: 2\n', /single document/)
  refused('a: [1', /yaml: line \d+/)
  refused('a: b: c', /yaml: line 1/)
  refused('a: .nan', /unsupported value: NaN/)
  refused('a: .inf', /unsupported value/)
})

test('bounds depth and aliases', () => {
  for (const open of ['[', '{a: ', '- ', '? ']) refused(open.repeat(500_000), /exceeded max depth/)
  assert.ok(value(`${'['.repeat(200)}${']'.repeat(200)}`))
  refused('- a\n'.repeat(750_000), /too complex/)
  refused('? [a]\n: b', /unsupported map key/)
  refused('a: &a [*a]', /unknown anchor 'a'/)
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

test('a colon ends a plain scalar only before white space, as in the parser of the reference', () => {
  assert.deepEqual(value('a: [1.2.3.4, 001:db8::]'), { a: ['1.2.3.4', '001:db8::'] })
  assert.deepEqual(value('{a: b:, c: d, e:f, "g":1}'), { a: 'b:', c: 'd', 'e:f': null, g: 1 })
  assert.deepEqual(value('[a:, x::, y:: ]'), ['a:', 'x::', { 'y:': null }])
  assert.deepEqual(value('a:\n  - b:\n  - [c: d]'), { a: [{ b: null }, [{ c: 'd' }]] })
  refused('[a:{b: c}]', /yaml: line 1/)
})

test('__proto__ is an ordinary key', () => {
  const parsed = value('__proto__: {polluted: true}') as object
  assert.deepEqual(Object.keys(parsed), ['__proto__'])
  assert.equal(({} as { polluted?: boolean }).polluted, undefined)
})
