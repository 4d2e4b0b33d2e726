/** Expressions that once held the thread for seconds to minutes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCelEnvironment } from '../../core/cel/environment.ts'
import {
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  objectType,
  stringType,
  timestampType,
} from '../../core/cel/types.ts'
import { slowness } from '../support/cost.ts'
import { type Probe, probe } from './cel-probe.ts'

const environment = createCelEnvironment({
  variables: { text: stringType, list: listType(dynType), map: mapType(stringType, dynType), x: dynType },
})
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index))
const emoji = '😀'.repeat(200_000)
const manyIdentifiers = `1.2.3-${'a.'.repeat(500_000)}b`
/** `list` doubled `count` times by nested variables. */
const doubled = (value: string, count: number) => `[${value}]${'.map(v, v + v)'.repeat(count)}[0]`

/** Expression, variables, and the result; undefined: the limits end it. */
const rows: readonly (readonly [what: string, expression: string, variables: object, result: unknown])[] = [
  ['getQuery of one key', "url('/?' + text).getQuery()['a'].size()", { text: 'a=1&'.repeat(10_000) }, 10_000],
  ['getQuery of many keys', "url('/?' + text).getQuery().size()", { text: times(6_000, (index) => `k${index}=1`).join('&') }, 6_000],
  ['distinct of 100,000 numbers', 'list.distinct().size()', { list: times(100_000, (index) => index) }, undefined],
  ['distinct of 700 numbers', 'list.distinct().size()', { list: times(700, (index) => index + 0.5) }, 700],
  ['distinct of long lists', 'list.distinct().size()', { list: times(700, (index) => [...Array(1_000).fill(1), index]) }, undefined],
  ['substring of emoji', times(8, (index) => `text.substring(${index * 10_000}) != ''`).join(' && '), { text: emoji }, true],
  ['charAt of emoji', times(200, (index) => `text.charAt(${index * 10}) == '😀'`).join(' && '), { text: emoji }, true],
  ['charAt at the end of emoji', times(200, () => 'text.charAt(199999)').join(' + '), { text: emoji }, undefined],
  ['a doubled list', `${doubled('list', 22)}.size()`, { list: [1] }, undefined],
  ['a doubled string', `${doubled('text', 23)}.size()`, { text: 'a' }, undefined],
  ['a list that is doubled by format', `x${".map(v, '%s%s'.format([v, v]))".repeat(23)}[0].size()`, { x: ['a'] }, undefined],
  [
    'flatten of a list that contains one list often',
    'x.map(v, list).flatten().size()',
    { x: times(700, () => 1), list: times(10_000, () => 1) },
    undefined,
  ],
  ["findAll('')", "text.findAll('').size()", { text: 'a'.repeat(100_000) }, 100_001],
  ["findAll('') of more", "text.findAll('').size()", { text: 'a'.repeat(800_000) }, undefined],
  ['matches of a long string', "text.matches('^[a-z]+$')", { text: 'a'.repeat(500_000) }, true],
  ['matches of a hostile pattern', "text.matches('(a?){50}a{50}b')", { text: `${'a'.repeat(20)}c`.repeat(10_000) }, false],
  ['matches of a doubled string', `${doubled('text', 19)}.matches('[0-9]+x')`, { text: 'a' }, false],
  ['1,000 patterns', "list.exists(each, 'x'.matches(each))", { list: times(1_000, (index) => 'a'.repeat(300) + index) }, undefined],
  ['a large pattern', "'x'.matches(text)", { text: 'a{1000}'.repeat(100) }, undefined],
  ...['a', '(', '"\\\\', 'a{9}', '😀'].map((part): (typeof rows)[number] => {
    const x = part.repeat(3_000_000 / new TextEncoder().encode(part).length)
    return [`a pattern of 3 MB of '${part}'`, "'x'.matches(x)", { x }, undefined]
  }),
  ['a part of quadratic search', "text.indexOf('a' + x)", { text: 'a'.repeat(500_000), x: `b${'a'.repeat(5_000)}` }, -1],
  ['contains', 'text.contains(x)', { text: 'a'.repeat(50_000), x: `${'a'.repeat(900)}b${'a'.repeat(900)}` }, false],
  ['lastIndexOf', 'text.lastIndexOf(x)', { text: 'a'.repeat(200_000), x: `${'a'.repeat(5_000)}b` }, -1],
  [
    'sort of strings with a long common start',
    'list.map(v, text + string(v)).sort().size()',
    { text: 'a'.repeat(10_000), list: times(90, (index) => index) },
    90,
  ],
  [
    'equality of shared lists',
    `${'[[list, list]].map(v, [v, v])'}${'.map(v, [v, v])'.repeat(22)} == ${'[[list, list]].map(v, [v, v])'}${'.map(v, [v, v])'.repeat(22)}`,
    { list: [1] },
    undefined,
  ],
  ['traversal of shared lists', `dyn([list]${'.map(v, [v, v, v])'.repeat(22)}).indexOf(1)`, { list: [] }, undefined],
  ['format of shared lists', `'%s'.format([x])`, { x: times(2_000, () => times(2_000, () => 1)) }, undefined],
  [
    'size of a large map in a loop',
    'list.all(v, map.size() > 0)',
    { list: times(1_000, (index) => index), map: Object.fromEntries(times(20_000, (index) => [`k${index}`, 1])) },
    undefined,
  ],
  [
    'keys of a large map in a loop',
    'list.all(v, map.exists(k, true))',
    { list: times(1_000, (index) => index), map: Object.fromEntries(times(20_000, (index) => [`k${index}`, 1])) },
    undefined,
  ],
  [
    'time zones',
    "list.all(v, timestamp('2024-01-01T00:00:00Z').getHours('Europe/Vienna') == 1)",
    { list: times(20_000, (index) => index) },
    true,
  ],
  [
    'different time zones',
    "list.all(v, timestamp('2024-01-01T00:00:00Z').getHours(v) >= 0)",
    { list: times(2_000, (index) => ['Europe/Vienna', 'Asia/Tokyo', 'America/Lima', 'Africa/Cairo', 'Asia/Dubai'][index % 5]) },
    undefined,
  ],
  ['a string doubled to the bound', `${doubled('text', 21)}.size()`, { text: 'a' }, 2 ** 21],
  ['emoji doubled to the bound', `${doubled('text', 20)}.size()`, { text: '😀' }, 2 ** 20],
  ['ideographs doubled to the bound', `${doubled('text', 21)}.charAt(2000000)`, { text: '中' }, '中'],
  ['flatten to the bound', 'x.map(v, list).flatten().size()', { x: times(52, () => 1), list: times(10_000, () => 1) }, 520_000],
  ...['a'.repeat(3_000_000), '中'.repeat(1_000_000), '😀'.repeat(750_000), 'aé'.repeat(1_000_000)].flatMap((text) =>
    [
      "text.size() > 0 && text.charAt(700000) != ''",
      "text.indexOf('b') < 0",
      "text.replace('b', 'c') == text",
      'bytes(text).size() > 0',
    ].map((expression) => [`${expression} of 3 MB of ${text.slice(0, 2)}`, expression, { text }, true] as const),
  ),
  ['a long duration', 'duration(text)', { text: '1ns'.repeat(300_000) }, undefined],
  [
    'joins of a long list',
    'list.map(v, text).join().size()',
    { list: times(1_000, (index) => index), text: 'a'.repeat(10_000) },
    undefined,
  ],
  ...['ip(text)', 'isIP(text)', 'cidr(text)', 'isCIDR(text)', 'url(text)', 'isURL(text)', 'isSemver(text, true)'].map((expression) => {
    const result = expression.startsWith('is') ? false : undefined
    return [`${expression} of lone surrogates`, expression, { text: '\ud800'.repeat(333_333) }, result] as const
  }),
  ...['a', '1', ' ', '0', '中'].map((part): (typeof rows)[number] => {
    const text = part.repeat(3_000_000 / new TextEncoder().encode(part).length)
    return [`isSemver of 3 MB of '${part}', normalized`, 'isSemver(text, true)', { text }, part === '0']
  }),
  ...['a', '中', '%e4'].map((part): (typeof rows)[number] => {
    const text = `x://${part.repeat(3_000_000 / new TextEncoder().encode(part).length)}`
    return [`URL with a host of 3 MB of '${part}'`, 'url(text).getHostname().size() > 0', { text }, true]
  }),
  ['isURL of a host with a bracket in 1,000,000 characters', 'isURL(text)', { text: `https://${'乛'.repeat(1_000_000)}` }, true],
  ['format of a percent sign in 1,000,000 characters', "text.format([1]) == ''", { text: '严'.repeat(1_000_000) }, false],
  ['isURL of a long scheme', 'isURL(text)', { text: 'a-'.repeat(500_000) }, false],
  ['two errors of addresses', 'cidr(text).containsIP(ip(text))', { text: ':'.repeat(1_000_000) }, undefined],
  ['isSemver of 500,000 identifiers', 'isSemver(text)', { text: manyIdentifiers }, true],
  ['isSemver of 500,000 identifiers, normalized', 'isSemver(text, true)', { text: manyIdentifiers }, true],
  ['isSemver of a long build', 'isSemver(text)', { text: `1.2.3+${'a.'.repeat(500_000)}b` }, true],
  ['order of versions', 'semver(text).compareTo(semver(text + x))', { text: manyIdentifiers.slice(0, 400_001), x: 'c' }, -1],
  ['equality of versions', 'semver(text) == semver(text)', { text: manyIdentifiers.slice(0, 400_001) }, true],
  ['dns1123Label of many labels', 'format.dns1123Label().validate(text).hasValue()', { text: manyIdentifiers }, true],
  ['dns1123Label of a long label', 'format.dns1123Label().validate(text).hasValue()', { text: '1h'.repeat(500_000) }, true],
  ['getQuery of a long value', "url('/?a=' + text).getQuery()['a'][0].size()", { text: '%41'.repeat(300_000) }, 300_000],
  ['getQuery of 30,000 keys', "url('/?' + text).getQuery().size()", { text: times(30_000, (index) => `k${index}=1`).join('&') }, 30_000],
  ['getQuery of 60,000 keys', "url('/?' + text).getQuery().size()", { text: times(60_000, (index) => `k${index}=1`).join('&') }, undefined],
  ['getEscapedPath', "url('/' + text).getEscapedPath().size()", { text: 'é'.repeat(500_000) }, 3_000_001],
  ['sort of equal numbers', 'x.sort().size()', { x: times(500_000, () => 1) }, undefined],
]

/** Milliseconds without interruption, and in all. The cost limits stand for 100 ms of work, and as much for cost units. */
const ceiling = 5
const max = 300
/** Milliseconds that any evaluation may take. */
const fixed = 2

test(`${rows.length} expressions are interrupted in time, or refused by their cost`, async () => {
  const faults: string[] = []
  for (const [what, expression, bindings, result] of rows) {
    const compiled = environment.compile(expression)
    assert.ok('program' in compiled, `${expression}: ${'issues' in compiled ? compiled.issues : ''}`)
    const variables = bindings as { [name: string]: unknown }
    const found = probe(compiled.program, variables, ({ longest, total }) => longest < ceiling && total < max)
    const factor = found.longest < ceiling && found.total < max ? 1 : await slowness()
    const { longest, total, evaluation } = found
    const { value, error, cost, work } = evaluation
    if (longest > ceiling * factor) faults.push(`${what}: held the thread for ${longest.toFixed(1)} ms`)
    if (total > max * factor) faults.push(`${what}: took ${total.toFixed(0)} ms`)
    if (result === undefined ? error === undefined : value !== result) faults.push(`${what}: ${value ?? error}, cost ${cost}, work ${work}`)
    const { work: _, ...uninterrupted } = compiled.program.evaluate(variables)
    assert.deepEqual({ ...evaluation, ...uninterrupted }, evaluation, what)
  }
  assert.deepEqual(faults, [])
})

const cat = objectType('Cat', { name: stringType })
const stored = { timestamp: timestampType, date: timestampType, duration: durationType, double: doubleType, bytes: bytesType }
const storedType = (name: keyof typeof stored) => ({ ...stored[name], stored: name })
const selfType = objectType('Self', {
  objects: listType(cat),
  times: listType(storedType('timestamp')),
  dates: listType(storedType('date')),
  durations: listType(storedType('duration')),
  doubles: listType(storedType('double')),
  bytes: storedType('bytes'),
  set: { ...listType(intType), listType: 'set' as const },
  nested: listType(listType(cat)),
  map: mapType(stringType, cat),
})
/** Values of a decoded object, of 300 KB to 1 MB in JSON, that are converted when an expression selects them. */
const self: { readonly [field: string]: unknown } = {
  objects: times(300_000, () => ({})),
  times: times(40_000, () => '2024-01-01T00:00:00Z'),
  dates: times(50_000, () => '2024-01-01'),
  durations: times(100_000, () => '1s'),
  doubles: times(300_000, () => 1.5),
  bytes: 'YWJj'.repeat(250_000),
  set: times(300_000, (index) => index),
  nested: times(500, () => times(500, () => ({}))),
  map: Object.fromEntries(times(50_000, (index) => [`k${index}`, {}])),
}

test('values of a schema are read in parts, and only when they are needed', async () => {
  const typed = createCelEnvironment({ variables: { self: selfType, variable: listType(cat) } })
  const faults: string[] = []
  for (const name of Object.keys(self)) {
    const expressions: (readonly [string, unknown])[] = [
      [`size(self.${name}) > 0`, true],
      [`self.?${name}.hasValue()`, true],
      [`dyn(self)['${name}'] != null`, true],
      [`has(self.${name})`, true],
    ]
    for (const [expression, result] of name === 'objects' ? [...expressions, ['variable.size() > 0', true] as const] : expressions) {
      const compiled = typed.compile(expression)
      assert.ok('program' in compiled, 'issues' in compiled ? compiled.issues : '')
      const allowed = expression.startsWith('has') ? 0.5 : name === 'map' ? 2 * ceiling : ceiling
      const mayTake = ({ evaluation }: Pick<Probe, 'evaluation'>) => fixed + (evaluation.cost + evaluation.work) * 0.0003
      const found = probe(
        compiled.program,
        { self, variable: self['objects'] },
        (each) => each.longest < allowed && each.total < mayTake(each),
      )
      const { value, error, work } = found.evaluation
      assert.equal(value, result, `${expression}: ${error}`)
      if (found.longest > allowed * (await slowness())) faults.push(`${expression}: held the thread for ${found.longest.toFixed(1)} ms`)
      if (found.total > mayTake(found) * (await slowness())) faults.push(`${expression}: took ${found.total.toFixed(1)} ms, work ${work}`)
      assert.deepEqual(compiled.program.evaluate({ self, variable: self['objects'] }), found.evaluation, expression)
    }
  }
  assert.deepEqual(faults, [])
})
