/** Random expressions have the same result as in cel-js, an independent implementation of the language, except for the known differences. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCelEnvironment } from '../../../core/cel/environment.ts'
import { dynType } from '../../../core/cel/types.ts'
import { CelDouble, CelUint } from '../../../core/cel/values/numbers.ts'
import { CelDuration, CelTimestamp } from '../../../core/cel/values/times.ts'
import { CelMap, CelOptional, CelTypeValue } from '../../../core/cel/values/values.ts'
import fc from '../../support/fast-check.ts'
import { trials } from '../../support/soak.ts'

const values = {
  s: 'aXb',
  e: '😀b',
  n: 3,
  z: 0,
  t: true,
  d: 1.5,
  nil: null,
  numbers: [1, 2, 3],
  words: ['a', 'b', 'a'],
  pairs: { a: 1, b: 2 },
}
const theirValues = { ...values, n: 3n, z: 0n, numbers: [1n, 2n, 3n], pairs: { a: 1n, b: 2n } }
const names = Object.keys(values)

const ours = createCelEnvironment({ variables: Object.fromEntries(names.map((name) => [name, dynType])) })
interface CelJs {
  readonly Environment: new (
    options: object,
  ) => { registerVariable(name: string, type: string): void; evaluate(expression: string, variables: object): unknown }
}
// Loaded by a computed name, so that types can be checked in an installation from before the package was added.
const packageName: string = '@marcbachmann/cel-js'
const { Environment } = (await import(packageName)) as CelJs
const theirs = new Environment({ homogeneousAggregateLiterals: false, enableOptionalTypes: true })
for (const name of names) theirs.registerVariable(name, 'dyn')

/** Expressions that are valid for both, by the type of their result. */
const grammar = fc.letrec<{ [type in 'bool' | 'int' | 'double' | 'text' | 'ints' | 'words' | 'map']: string }>((tie) => {
  const any = fc.oneof(tie('bool'), tie('int'), tie('text'), tie('ints'))
  const unary = (arg: fc.Arbitrary<string>, ...forms: readonly ((a: string) => string)[]) =>
    fc.tuple(arg, fc.constantFrom(...forms)).map(([a, form]) => form(a))
  const binary = (left: fc.Arbitrary<string>, right: fc.Arbitrary<string>, ...forms: readonly ((a: string, b: string) => string)[]) =>
    fc.tuple(left, right, fc.constantFrom(...forms)).map(([a, b, form]) => form(a, b))
  const infix = (...operators: readonly string[]) => operators.map((operator) => (a: string, b: string) => `(${a} ${operator} ${b})`)
  const choice = (type: fc.Arbitrary<string>) => fc.tuple(tie('bool'), type, type).map(([test, yes, no]) => `(${test} ? ${yes} : ${no})`)
  const depth = { maxDepth: 4, depthSize: 'small' } as const
  return {
    bool: fc.oneof(
      depth,
      fc.constantFrom('true', 'false', 't', 'has(pairs.a)', 'has(pairs.zz)', "('b' in pairs)"),
      binary(tie('bool'), tie('bool'), ...infix('&&', '||', '==', '!=')),
      unary(tie('bool'), (a) => `!${a}`),
      binary(tie('int'), tie('int'), ...infix('<', '<=', '>', '>=', '==', '!=')),
      binary(tie('double'), tie('double'), ...infix('<', '<=', '>', '>=', '==', '!=')),
      binary(tie('text'), tie('text'), ...infix('<', '<=', '>', '>=', '==', '!=')),
      binary(
        tie('text'),
        tie('text'),
        ...['startsWith', 'endsWith', 'contains'].map((name) => (a: string, b: string) => `${a}.${name}(${b})`),
      ),
      binary(tie('int'), tie('ints'), (a, b) => `(${a} in ${b})`),
      binary(tie('text'), tie('words'), (a, b) => `(${a} in ${b})`),
      binary(tie('ints'), tie('ints'), ...infix('==', '!=')),
      binary(tie('map'), tie('map'), ...infix('==', '!=')),
      binary(
        tie('ints'),
        tie('int'),
        (a, b) => `${a}.all(v, v < ${b})`,
        (a, b) => `${a}.exists(v, v == ${b})`,
        (a, b) => `${a}.exists_one(v, v > ${b})`,
      ),
      unary(
        tie('text'),
        (a) => `${a}.matches('^[a-b]+$')`,
        (a) => `${a}.matches('X|b')`,
      ),
    ),
    int: fc.oneof(
      depth,
      fc.constantFrom('n', 'z', '0', '1', '7', '-3', '9223372036854775807', 'pairs.a', "pairs['b']", 'numbers[1]'),
      binary(tie('int'), tie('int'), ...infix('+', '-', '*', '/', '%')),
      unary(tie('int'), (a) => `-(${a})`),
      unary(any, (a) => `int(size(string(${a}) + 'x'))`),
      unary(
        fc.oneof(tie('text'), tie('ints'), tie('words'), tie('map')),
        (a) => `size(${a})`,
        (a) => `${a}.size()`,
      ),
      unary(tie('double'), (a) => `int(${a})`),
      binary(
        tie('text'),
        tie('text'),
        (a, b) => `${a}.indexOf(${b})`,
        (a, b) => `${a}.lastIndexOf(${b})`,
      ),
      binary(tie('ints'), tie('int'), (a, b) => `${a}[${b}]`),
      choice(tie('int')),
    ),
    double: fc.oneof(
      depth,
      fc.constantFrom('d', '1.5', '0.0', '-2.25', '1e10'),
      binary(tie('double'), tie('double'), ...infix('+', '-', '*', '/')),
      unary(tie('int'), (a) => `double(${a})`),
      choice(tie('double')),
    ),
    text: fc.oneof(
      depth,
      fc.constantFrom('s', 'e', "''", "'a'", "'X'", "'b'", "'é'", 'words[0]'),
      binary(tie('text'), tie('text'), ...infix('+')),
      unary(tie('text'), ...['lowerAscii', 'upperAscii', 'trim'].map((name) => (a: string) => `${a}.${name}()`)),
      unary(fc.oneof(tie('int'), tie('bool'), fc.constant('d')), (a) => `string(${a})`),
      fc.tuple(tie('text'), fc.integer({ min: 0, max: 3 })).map(([a, at]) => `${a}.substring(${at})`),
      binary(tie('words'), fc.constantFrom("','", "''"), (a, b) => `${a}.join(${b})`),
      choice(tie('text')),
    ),
    ints: fc.oneof(
      depth,
      fc.constantFrom('numbers', '[1, 2, 3]', '[n]'),
      fc.array(tie('int'), { minLength: 1, maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
      binary(tie('ints'), tie('ints'), ...infix('+')),
      binary(
        tie('ints'),
        tie('int'),
        (a, b) => `${a}.map(v, v + ${b})`,
        (a, b) => `${a}.filter(v, v != ${b})`,
        (a, b) => `${a}.map(v, v > ${b}, v * 2)`,
      ),
      choice(tie('ints')),
    ),
    words: fc.oneof(
      depth,
      fc.constantFrom('words', "['a', 'b']"),
      binary(tie('text'), fc.constantFrom("','", "'b'", "''"), (a, b) => `${a}.split(${b})`),
      binary(tie('words'), tie('words'), ...infix('+')),
      unary(
        tie('words'),
        (a) => `${a}.filter(v, v != 'a')`,
        (a) => `${a}.map(v, v + 'c')`,
      ),
    ),
    map: fc.oneof(
      depth,
      fc.constantFrom('pairs', "{'a': 1}", "{'a': 1, 'b': 2}"),
      binary(tie('text'), tie('int'), (a, b) => `{${a}: ${b}}`),
    ),
  }
})

/** A value in a form that can be compared. */
function plain(value: unknown): unknown {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value)
  if (value instanceof CelDouble) return `double ${value.value}`
  if (value instanceof CelUint) return `uint ${value.value}`
  if (value instanceof CelTimestamp || value instanceof CelDuration || value instanceof CelOptional || value instanceof CelTypeValue)
    return value
  if (value instanceof CelMap) return new Map([...value.entries.values()].map(([key, each]) => [plain(key), plain(each)]))
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === 'object' && value !== null) return new Map(Object.entries(value).map(([key, each]) => [key, plain(each)]))
  return value
}

/** Their ints are bigints, their doubles are numbers. */
function theirPlain(value: unknown): unknown {
  if (typeof value === 'number') return `double ${value}`
  if (Array.isArray(value)) return value.map(theirPlain)
  if (value instanceof Map) return new Map([...value].map(([key, each]) => [theirPlain(key), theirPlain(each)]))
  if (typeof value === 'object' && value !== null) return new Map(Object.entries(value).map(([key, each]) => [key, theirPlain(each)]))
  return value
}

type Opinion = { readonly value: unknown } | { readonly error: string }

function our(expression: string): Opinion {
  const compiled = ours.compile(expression)
  if ('issues' in compiled) return { error: compiled.issues }
  const { value, error } = compiled.program.evaluate(values)
  return error === undefined ? { value: plain(value) } : { error }
}

function their(expression: string): Opinion {
  try {
    return { value: theirPlain(theirs.evaluate(expression, theirValues)) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

/** Differences: which expressions they concern, and why. */
const differences: readonly { readonly why: string; applies(expression: string, ours: Opinion, theirs: Opinion): boolean }[] = [
  {
    why: 'positions in strings are UTF-16 code units in cel-js, and code points in the reference',
    applies: (expression) => /\be\b/.test(expression) && /substring|ndexOf|split\(''\)/.test(expression),
  },
  {
    why: 'lowerAscii and upperAscii of cel-js change other letters too',
    applies: (expression) => /é/.test(expression) && /Ascii/.test(expression),
  },
  {
    why: 'cel-js allows items of several types in a literal, which can be turned off only together with items of type dyn',
    applies: (_, mine) => 'error' in mine && /expected type '.*' but found/.test(mine.error),
  },
  {
    why: 'cel-js orders NaN, which is an error in the reference',
    applies: (_, mine) => 'error' in mine && mine.error.includes('NaN values cannot be ordered'),
  },
  {
    why: 'cel-js negates the smallest int',
    applies: (expression, mine) => 'error' in mine && mine.error.includes('integer overflow') && /-\(/.test(expression),
  },
  {
    why: 'int(double) of cel-js is not limited to 64 bits',
    applies: (expression, mine) => 'error' in mine && mine.error.includes('integer overflow') && /int\(/.test(expression),
  },
]

test('random expressions have the same result in cel-js', (context) => {
  const seen = new Map<string, number>()
  let same = 0
  let failed = 0
  const expression = fc.oneof(grammar.bool, grammar.int, grammar.double, grammar.text, grammar.ints, grammar.words, grammar.map)
  const property = fc.property(expression, (text) => {
    const [mine, other] = [our(text), their(text)]
    if ('error' in mine && 'error' in other) failed++
    else {
      const known = differences.find((each) => each.applies(text, mine, other))
      if (known) seen.set(known.why, (seen.get(known.why) ?? 0) + 1)
      else {
        assert.deepEqual(mine, other, text)
        same++
      }
    }
  })
  fc.assert(property, { numRuns: trials(3_000, 200_000) })
  context.diagnostic(
    `${same} with the same result, ${failed} fail in both; ${[...seen].map(([why, count]) => `${count}: ${why}`).join('; ')}`,
  )
  assert.ok(same > failed, 'most expressions are valid')
})
