/**
 * Looks for functions that hold the thread, or that take longer than what they are charged: runs every function that the environment has, with
 * inputs of 1 to 1,000 KB in many shapes. All of them in soak runs, otherwise some, with 100 KB.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCelEnvironment } from '../../core/cel/environment.ts'
import type { Overload } from '../../core/cel/functions.ts'
import { standardFunctions, standardTypes } from '../../core/cel/library/all.ts'
import { authorizerType, authorizerValues } from '../../core/cel/library/authorizer.ts'
import { jsonPatchLibrary } from '../../core/cel/library/json-patch.ts'
import type { Program } from '../../core/cel/program.ts'
import { type CelType, dynType, isOptional } from '../../core/cel/types.ts'
import { CelDouble, CelUint } from '../../core/cel/values/numbers.ts'
import { CelDuration, CelTimestamp } from '../../core/cel/values/times.ts'
import { slowness } from '../support/cost.ts'
import { randomNumbers } from '../support/random.ts'
import { progress, soak } from '../support/soak.ts'
import { probe } from './cel-probe.ts'

/** Milliseconds without interruption. */
const ceiling = 5
/** The engine lists the keys of an object at once: milliseconds for each. */
const perKey = 0.0002
/** The engine grows an array at once: milliseconds for each item. */
const perItem = 0.000005
/** Milliseconds of processor time for a unit of cost or work, which stands for 100 ns; and for any evaluation. */
const perUnit = 0.0003
const fixed = 2
const sizes = [1_000, 10_000, 100_000, 1_000_000, 3_000_000]
const maxLooks = 3
/** Milliseconds that the shorter run takes. */
const enough = 4_000

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: Math.floor(count) }, (_, index) => make(index))
const repeated = (part: string) => (size: number) => part.repeat(Math.max(1, size / new TextEncoder().encode(part).length))

type Shapes = readonly (readonly [shape: string, make: (size: number) => unknown])[]

const texts: Shapes = [
  ...[
    'a',
    '😀',
    'é',
    '中',
    '1',
    ' ',
    '%',
    ',',
    ':',
    '.',
    '[',
    '(',
    '~/',
    '"\\',
    '%s',
    '%41',
    'aB',
    '1h',
    'a=1&',
    'a{9}',
    'a|',
    '\ud800',
    'a-',
    // Each of these has a byte of a separator, which the engine's search stumbles over: . : / ? % &
    '丮',
    '为',
    '丯',
    '丿',
    '严',
    '丆',
  ].map((part) => [`repeated ${JSON.stringify(part)}`, repeated(part)] as const),
  ['a URL', (size) => `https://example.com/${'a/'.repeat(size / 4)}?${times(size / 16, (index) => `k${index}=1`).join('&')}`],
  ['a URL with a long host', (size) => `x://${'a'.repeat(size)}`],
  ['a URL with many ports', (size) => `x://${':1'.repeat(size / 2)}`],
  ['a URL with a bracket in other characters', (size) => `https://${'乛'.repeat(size / 3)}`],
  ['a URL with a long literal', (size) => `https://[${'1:'.repeat(size / 2)}]`],
  ['a URL with long escapes', (size) => `/?a=${'%41'.repeat(size / 3)}`],
  ['a version with a long number', (size) => `v1.2.${'0'.repeat(size / 2)}${'1'.repeat(size / 2)}`],
  ['a version with a long identifier', (size) => `1.2.3-${'0'.repeat(size / 2)}a+${'1'.repeat(size / 2)}`],
  ['a version', (size) => `1.2.3-${'a.'.repeat(size / 2)}b`],
  ['a time', (size) => `2024-01-01T00:00:00.${'9'.repeat(size)}Z`],
  ['an address', () => '10.0.0.1'],
  ['a network', () => '10.0.0.0/8'],
  ['a quantity', () => '12Mi'],
  ['different words', (size) => times(size / 6, (index) => `w${index}`).join(' ')],
]
const numbers: Shapes = [
  ['different numbers', (size) => times(size / 6, (index) => index)],
  ['equal numbers', (size) => times(size / 2, () => 1)],
  ['large numbers', (size) => times(size / 20, (index) => 2n ** 62n + BigInt(index))],
  ['700 numbers', (size) => times(Math.min(700, size / 2), (index) => 700 - index)],
]
const words: Shapes = [
  ['short texts', (size) => times(size / 8, (index) => `t${index}`)],
  ['long texts', (size) => times(10, (index) => 'a'.repeat(size / 10) + index)],
  ['100 emoji texts', (size) => times(100, () => '😀'.repeat(size / 400))],
  ['empty texts', (size) => times(size / 3, () => '')],
]
const nested: Shapes = [
  ['empty lists', (size) => times(size / 3, () => [])],
  ['lists of numbers', (size) => times(Math.sqrt(size / 2), () => times(Math.sqrt(size / 2), (index) => index))],
  ['700 lists', (size) => times(Math.min(700, size / 10), (index) => [...times(size / 1_400, () => 1), index])],
  ['lists in lists', (size) => times(Math.min(200, size), () => 0).reduce<unknown>((list) => [list, 1], [])],
]
const mixed: Shapes = [
  ...numbers,
  ...words,
  ...nested,
  ['maps', (size) => times(size / 12, (index) => ({ key: index }))],
  ['doubles that are no numbers', (size) => times(size / 6, () => new CelDouble(Number.NaN))],
]
const listsOf: { readonly [kind: string]: Shapes } = {
  string: words,
  int: numbers,
  list: nested,
  uint: [['uints', (size) => times(Math.min(700, size / 4), (index) => new CelUint(index))]],
  double: [['doubles', (size) => times(Math.min(700, size / 4), (index) => new CelDouble(index / 2))]],
  bool: [['bools', (size) => times(Math.min(700, size / 5), (index) => index % 2 === 0)]],
  bytes: [['bytes', (size) => times(100, () => new Uint8Array(size / 100))]],
  timestamp: [['timestamps', (size) => times(Math.min(700, size / 20), (index) => new CelTimestamp(BigInt(index)))]],
  duration: [['durations', (size) => times(Math.min(700, size / 5), (index) => new CelDuration(BigInt(index)))]],
}
const maps: Shapes = [
  ['a map of numbers', (size) => Object.fromEntries(times(size / 14, (index) => [`k${index}`, index]))],
  ['a map of a long text', (size) => ({ key: 'a'.repeat(size) })],
]
const scalars: { readonly [kind: string]: Shapes } = {
  bool: [['true', () => true]],
  int: [
    ['0', () => 0],
    ['5', () => 5],
    ['half of the size', (size) => size / 2],
  ],
  uint: [['1u', () => new CelUint(1)]],
  double: [['1.5', () => new CelDouble(1.5)]],
  bytes: [
    ['zero bytes', (size) => new Uint8Array(size)],
    ['letters', (size) => new Uint8Array(size).fill(97)],
  ],
  null: [['null', () => null]],
  timestamp: [['a timestamp', () => new CelTimestamp(0n)]],
  duration: [['a duration', () => new CelDuration(0n)]],
  map: maps,
  string: texts,
}

function shapesOf(type: CelType): Shapes {
  if (type.kind === 'list') return listsOf[type.parameters[0]?.kind ?? ''] ?? mixed
  if (type.kind === 'dyn' || type.kind === 'parameter') return [...mixed, ...maps, ...(scalars['string'] ?? [])]
  return scalars[type.kind] ?? []
}

const functions = [...standardFunctions(), ...jsonPatchLibrary()]
const overloads = functions.flatMap(({ name, overloads: all }) => all.map((overload) => ({ name, overload })))

/** Functions that only macros call. */
const macros: { readonly [name: string]: (...args: readonly string[]) => string } = {
  '@not_strictly_false': (condition) => `[1].all(each, ${condition})`,
  '@sortByAssociatedKeys': (_list, keys) => `${keys}.sortBy(each, each)`,
  'cel.@mapInsert': (map) => `${map}.transformMap(key, value, value)`,
  '_?._': (operand) => `${operand}.?key`,
  '_?_:_': (condition, yes, no) => `${condition} ? ${yes} : ${no}`,
  '_[_]': (operand, key) => `${operand}[${key}]`,
  '_[?_]': (operand, key) => `${operand}[?${key}]`,
  '@in': (item, list) => `${item} in ${list}`,
  '!_': (operand) => `!${operand}`,
  '-_': (operand) => `-${operand}`,
}

function callOf(name: string, { member }: Overload, args: readonly string[]): string {
  const macro = Object.hasOwn(macros, name) ? macros[name] : undefined
  if (macro) return `(${macro(...args)})`
  const [, operator] = /^_(.+)_$/.exec(name) ?? []
  if (operator !== undefined) return `(${args[0]} ${operator} ${args[1]})`
  assert.match(name, /^[\w.]+$/, 'a function that expressions can call, or one of the macros above')
  return member ? `${args[0]}.${name}(${args.slice(1).join(', ')})` : `${name}(${args.join(', ')})`
}

interface Variable {
  readonly name: string
  readonly type: CelType
}

/** An expression for an argument of this type; its variables are added to `variables`. */
function argument(type: CelType, variables: Variable[]): string | undefined {
  if (type.name === authorizerType.name) return 'authorizer'
  if (isOptional(type)) return `optional.of(${argument(type.parameters[0] ?? dynType, variables)})`
  if (type.kind === 'type') return 'type(1)'
  if (type.kind === 'object' || type.kind === 'opaque') {
    const maker = overloads.find(({ name, overload: { result, parameters } }) => {
      return result.name === type.name && !/[_@]/.test(name) && parameters.every((each) => each.name !== type.name)
    })
    return (
      maker &&
      callOf(
        maker.name,
        maker.overload,
        maker.overload.parameters.map((each) => argument(each, variables) ?? ''),
      )
    )
  }
  const name = `a${variables.length}`
  variables.push({ name, type: withoutParameters(type) })
  return name
}

const withoutParameters = (type: CelType): CelType =>
  type.kind === 'parameter' ? dynType : { ...type, parameters: type.parameters.map(withoutParameters) }

interface Case {
  readonly what: string
  readonly program: Program
  readonly bindings: { readonly [name: string]: unknown }
  /** The same for every size. */
  readonly key: string
}

/** The variables of a case in one combination of shapes. */
function* combinations(
  variables: readonly Variable[],
  size: number,
): Generator<readonly [shapes: string, bindings: () => { [name: string]: unknown }]> {
  const [first, ...others] = variables
  if (!first) {
    yield ['', () => ({})]
    return
  }
  for (const [shape, make] of shapesOf(first.type)) {
    // Further arguments are short, half as long, or of the same shape.
    const further = others.map(({ type }): Shapes => {
      const all = shapesOf(type)
      if (type.kind !== 'string') return all.slice(0, 4)
      return [
        ['', () => ''],
        ['a', () => 'a'],
        ['nearly repeated', (length) => `${'a'.repeat(length / 2)}b`],
        ...all.filter(([name]) => name === shape),
      ]
    })
    const most = Math.max(1, ...further.map(({ length }) => length))
    let made: { readonly value: unknown } | undefined
    for (let at = 0; at < most; at++) {
      const chosen = further.map((shapes) => shapes[at % shapes.length])
      const bindings = () => {
        made ??= { value: make(size) }
        return { ...Object.fromEntries(others.map(({ name }, index) => [name, chosen[index]?.[1](size)])), [first.name]: made.value }
      }
      yield [[shape, ...chosen.map((each) => each?.[0])].join(', '), bindings]
    }
  }
}

interface Subject {
  readonly what: string
  readonly program: Program
  readonly variables: readonly Variable[]
}

/** Calls of a function: with the types that it declares, and with values of which nothing is known before. */
function subjectsOf(name: string, overload: Overload): Subject[] {
  return [false, true].flatMap((dynamic) => {
    const variables: Variable[] = []
    const args = overload.parameters.map((each) => argument(each, variables))
    assert.ok(
      args.every((each) => each !== undefined),
      `${name}: an argument of each type`,
    )
    const expression = callOf(name, overload, args as string[])
    const declared = variables.map((each) => [each.name, dynamic ? dynType : each.type])
    const environment = createCelEnvironment({
      variables: { ...Object.fromEntries(declared), authorizer: authorizerType },
      types: standardTypes,
      libraries: [jsonPatchLibrary()],
    })
    const compiled = environment.compile(expression)
    if ('program' in compiled) {
      return [{ what: `${overload.id}: ${expression} of ${dynamic ? 'dynamic ' : ''}`, program: compiled.program, variables }]
    }
    assert.ok(dynamic, `${expression}: ${compiled.issues}`)
    return []
  })
}

/** Cases of one size: also those that the cost ends with a smaller input already, because the look at a larger one may take long. */
function* casesOf(subjects: readonly Subject[], size: number): Generator<Case> {
  for (const { what, program, variables } of subjects) {
    for (const [shapes, bindings] of combinations(variables, size)) {
      const key = what + shapes
      const values = { ...bindings(), ...authorizerValues(() => ({ allowed: true, reason: '' })) }
      yield { what: `${key}, ${size / 1000} KB`, key, program, bindings: values }
    }
  }
}

test(`${overloads.length} functions are interrupted in time, and take no longer than they are charged`, async (context) => {
  const random = randomNumbers(27)
  const order = overloads.map((each) => ({ ...each, at: random.next() })).sort((a, b) => a.at - b.at)
  const subjects = order.map(({ name, overload }) => subjectsOf(name, overload))
  const faults: string[] = []
  /** What its cost ends with some input. */
  const refused = new Set<string>()
  const worst = { longest: 0, perUnit: 0, what: '', whatPerUnit: '' }
  let count = 0
  const began = process.cpuUsage()
  const used = () => (process.cpuUsage(began).user + process.cpuUsage(began).system) / 1000
  const summary = () =>
    `${count} cases, ${refused.size} ended by cost, ${Math.round(used() / 1000)} s of processor time, ${faults.length} faults`

  if (soak) {
    for (const size of sizes) {
      const report = progress(`functions with ${size / 1000} KB`, subjects.length)
      for (const [index, each] of subjects.entries()) {
        for (const one of casesOf(each, size)) await examine(one)
        report(index + 1, summary)
      }
    }
  } else {
    // One case of each function after another, and not always the first.
    let open = subjects.map((each) => casesOf(each, 100_000))
    while (open.length > 0 && used() < enough) {
      const next: typeof open = []
      for (const cases of open) {
        if (used() >= enough) break
        for (let skipped = random.integer(3); skipped > 0; skipped--) cases.next()
        const { value, done } = cases.next()
        if (done) continue
        next.push(cases)
        await examine(value)
      }
      open = next
    }
  }

  async function examine(one: Case): Promise<void> {
    count++
    let found: string[] = []
    // A fault must show in every measurement, because other processes disturb single ones.
    for (let looks = 0; looks < maxLooks; looks++) {
      found = await faultsOf(one)
      if (found.length === 0) return
    }
    faults.push(...found)
    if (soak) process.stderr.write(`${found.join('\n')}\n`)
  }

  async function faultsOf({ what, key, program, bindings }: Case): Promise<string[]> {
    const maps = Object.values(bindings).filter((each) => Object.getPrototypeOf(each ?? 0) === Object.prototype)
    const listing = maps.reduce<number>((sum, each) => sum + Object.keys(each as object).length * perKey, 0)
    const growing = Object.values(bindings).reduce<number>((sum, each) => sum + (Array.isArray(each) ? each.length * perItem : 0), 0)
    const longestAllowed = ceiling + listing + growing
    const allowed = ({ evaluation: { cost, work } }: ReturnType<typeof probe>) =>
      fixed + listing + Math.min(cost + work, 2_000_000) * perUnit
    const found = probe(program, bindings, (each) => each.longest < longestAllowed && each.total < allowed(each))
    const { longest, total, evaluation } = found
    if (evaluation.error !== undefined && evaluation.cancelled) refused.add(key)
    if (longest > worst.longest) Object.assign(worst, { longest, what })
    const units = Math.min(evaluation.cost + evaluation.work, 2_000_000)
    if (total > fixed && (total / units) * 1e6 > worst.perUnit) Object.assign(worst, { perUnit: (total / units) * 1e6, whatPerUnit: what })
    if (longest < longestAllowed && total < allowed(found)) return []
    const factor = await slowness()
    const told = `cost ${evaluation.cost}, work ${evaluation.work}, ${evaluation.error?.slice(0, 60) ?? ''}`
    return [
      ...(longest > longestAllowed * factor ? [`${what}: held the thread for ${longest.toFixed(1)} ms`] : []),
      ...(total > allowed(found) * factor ? [`${what}: took ${total.toFixed(1)} ms, ${told}`] : []),
    ]
  }

  const told = `${summary()}; longest part ${worst.longest.toFixed(1)} ms (${worst.what}); most nanoseconds per unit ${worst.perUnit.toFixed(0)} (${worst.whatPerUnit})`
  context.diagnostic(told)
  if (soak) process.stderr.write(`${told}\n`)
  assert.deepEqual(faults, [])
})
