import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCelEnvironment } from '../../../core/cel/environment.ts'
import { dynType, intType, listType, mapType, objectType, stringType } from '../../../core/cel/types.ts'
import { toJson } from '../../../core/cel/values/json.ts'
import fc from '../../support/fast-check.ts'
import { trials } from '../../support/soak.ts'

const self = objectType('Self', { name: stringType, count: intType, names: listType(stringType), labels: mapType(stringType, stringType) })
const environment = createCelEnvironment({ variables: { self, x: dynType } })
const bindings = {
  self: { name: 'web', count: 3, names: ['a', 'b', 'b'], labels: { a: '1', b: '2' } },
  x: { s: 'abc', n: 3, half: 0.5, none: null, list: [1, 'a', [2]], deep: { a: { b: {} } } },
}

/** Leaves, and ways to combine them into expressions that are mostly valid; some have type errors. */
const leaf = fc.constantFrom(
  'self.name',
  'self.count',
  'self.names',
  'self.labels',
  'x',
  'x.s',
  'x.n',
  'x.half',
  'x.none',
  'x.list',
  'x.?z',
  'e',
  'k',
  '1',
  '-1',
  '0',
  '9223372036854775807',
  '2u',
  '1.5',
  "''",
  "'a'",
  "'%s%d'",
  "'(a+)+$'",
  "b'ab'",
  'true',
  'false',
  'null',
  '[]',
  '{}',
  'optional.none()',
  "duration('1h')",
  "timestamp('2024-01-01T00:00:00Z')",
  "quantity('1Gi')",
  "ip('::1')",
  'int',
  'type',
)
const two = ['+', '-', '*', '/', '%', '==', '!=', '<', '>=', '&&', '||', 'in']
const methods = [
  'size',
  'sum',
  'min',
  'sort',
  'distinct',
  'reverse',
  'flatten',
  'trim',
  'upperAscii',
  'first',
  'value',
  'hasValue',
  'family',
  'asInteger',
  'getFullYear',
  'join',
  'isSorted',
  'unwrapOpt',
]
const binary = [
  'contains',
  'startsWith',
  'matches',
  'find',
  'findAll',
  'split',
  'indexOf',
  'lastIndexOf',
  'charAt',
  'substring',
  'format',
  'orValue',
  'or',
  'join',
  'flatten',
  'isLessThan',
  'add',
  'getHours',
]
const globals = [
  'int',
  'uint',
  'double',
  'string',
  'bytes',
  'bool',
  'dyn',
  'type',
  'size',
  'duration',
  'timestamp',
  'quantity',
  'semver',
  'url',
  'lists.range',
  'optional.of',
  'optional.ofNonZeroValue',
  'strings.quote',
  'isIP',
  'cidr',
]
const loops = ['all', 'exists', 'exists_one', 'map', 'filter', 'sortBy', 'optMap']
const loops2 = ['all', 'exists', 'existsOne', 'transformList', 'transformMap', 'transformMapEntry']

const expression = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 6, depthSize: 'small' },
    leaf,
    // A dynamic type, with which more expressions compile.
    leaf.map((each) => `dyn(${each})`),
    fc.tuple(tie('node'), fc.constantFrom(...two), tie('node')).map(([a, operator, b]) => `(${a} ${operator} ${b})`),
    fc.tuple(tie('node'), fc.constantFrom(...methods)).map(([a, name]) => `${a}.${name}()`),
    fc.tuple(tie('node'), fc.constantFrom(...binary), tie('node')).map(([a, name, b]) => `${a}.${name}(${b})`),
    fc.tuple(fc.constantFrom(...globals), tie('node')).map(([name, a]) => `${name}(${a})`),
    fc.tuple(tie('node'), fc.constantFrom(...loops), tie('node')).map(([a, name, b]) => `${a}.${name}(e, ${b})`),
    fc.tuple(tie('node'), fc.constantFrom(...loops2), tie('node')).map(([a, name, b]) => `${a}.${name}(k, e, ${b})`),
    fc.tuple(tie('node'), tie('node'), tie('node')).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    fc.tuple(tie('node'), tie('node')).map(([a, b]) => `[dyn(${a}), ?optional.of(dyn(${b}))]`),
    fc.tuple(tie('node'), tie('node')).map(([a, b]) => `{dyn(${a}): dyn(${b})}`),
    fc.tuple(tie('node'), tie('node')).map(([a, b]) => `${a}[${b}]`),
    tie('node').map((a) => `${a}.?field`),
    tie('node').map((a) => `has(${a}.name)`),
  ),
})).node

/** Milliseconds of processor time of one evaluation without a cost limit; far above observed values. */
const longest = 5_000

function tryOut(text: string): 'refused' | 'failed' | 'evaluated' {
  const compiled = environment.compile(text)
  if ('issues' in compiled) {
    assert.match(compiled.issues, /^(compilation failed: ERROR: <input>:-?\d+:\d+: |program instantiation failed: )/)
    return 'refused'
  }
  const { min, max } = compiled.program.estimateCost()
  assert.ok(min <= max && min >= 0, `an estimate of ${text}`)
  const started = process.cpuUsage()
  const { value, error, cost } = compiled.program.evaluate(bindings, { costLimit: 100_000 })
  const { user, system } = process.cpuUsage(started)
  assert.ok((user + system) / 1000 < longest, `${text} takes long`)
  assert.ok(Number.isSafeInteger(cost), `a cost of ${text}`)
  if (error !== undefined) return 'failed'
  assert.notEqual(value, undefined, text)
  try {
    toJson(value)
  } catch (problem) {
    assert.ok(typeof problem === 'object' && problem !== null && 'message' in problem, 'an error of the language')
  }
  return 'evaluated'
}

test('random expressions are refused, fail or have a value, in bounded time', () => {
  const outcomes = { refused: 0, failed: 0, evaluated: 0 }
  fc.assert(
    fc.property(expression, (text) => {
      outcomes[tryOut(text)]++
    }),
    { numRuns: trials(2_000, 500_000) },
  )
  for (const [name, count] of Object.entries(outcomes)) assert.ok(count > 50, `${count} ${name}: the expressions test little`)
})

test('random texts are refused or compile', () => {
  const piece = fc.oneof(
    leaf,
    fc.constantFrom(
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      '.',
      ',',
      '?',
      ':',
      '-',
      '!',
      '"',
      "'''",
      '\\',
      '`',
      '//',
      '\n',
      'in',
      'é',
      '😀',
      '\u0000',
    ),
    fc.string(),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (parts) => {
      tryOut(parts.join(''))
    }),
    { numRuns: trials(2_000, 500_000) },
  )
})

test('deep, wide and long expressions are bounded', () => {
  const refused = (text: string) => assert.equal(tryOut(text), 'refused', text.slice(0, 20))
  refused(`${'('.repeat(300)}1${')'.repeat(300)}`)
  refused('['.repeat(300))
  refused(`x${'.a'.repeat(300)}`)
  refused(`1${' + 1'.repeat(300)}`)
  refused(`'${'a'.repeat(100_001)}'`)
  assert.equal(tryOut(Array(2_000).fill('true').join(' && ')), 'evaluated')
  assert.equal(tryOut(`[${'1, '.repeat(20_000)}1].size() == 20001`), 'evaluated')
  assert.equal(tryOut('lists.range(1000000000).size()'), 'failed')
  assert.equal(tryOut('lists.range(9999).map(e, lists.range(9999).map(k, lists.range(9999)))'), 'failed')
  assert.equal(
    tryOut(
      "lists.range(9999).map(e, 'aaaaaaaaaaaaaaaa').join('bbbbbbbbbbbbbbb').replace('a', 'cccccccccccccccccccccccccccccccc').size() > 0",
    ),
    'failed',
  )
})

test('the cost stays a number when an argument fails', () => {
  for (const depth of ['1 / 0', 'x.half', 'x.half.size()']) assert.equal(tryOut(`x.list.flatten(${depth})`), 'failed')
})
