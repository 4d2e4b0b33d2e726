import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCelEnvironment } from '../../../core/cel/environment.ts'
import { jsonPatchLibrary } from '../../../core/cel/library/json-patch.ts'
import { dynType } from '../../../core/cel/types.ts'
import { equal } from '../../../core/cel/values/compare.ts'
import { formatValue } from '../../../core/cel/values/format.ts'
import { documented } from './documented-rows.ts'

const environment = createCelEnvironment({ variables: { x: dynType }, libraries: [jsonPatchLibrary()] })

function evaluate(expression: string): { readonly value?: unknown; readonly error?: string } {
  const compiled = environment.compile(expression)
  if ('issues' in compiled) return { error: compiled.issues }
  const { value, error } = compiled.program.evaluate({ x: { a: { b: [1] } } })
  return error === undefined ? { value } : { error }
}

/** Cases that the documentation describes in prose, or adapted to the enabled functions. */
const more: readonly (readonly [expression: string, result: string])[] = [
  ["[duration('1m'), duration('1s')].sum()", "duration('1m1s')"],
  ['[1].filter(e, e > 1).sum()', '0'],
  ['[1.0].filter(e, e > 1.0).sum()', '0.0'],
  ['([0] + [1].filter(e, e > 1)).min()', '0'],
  ['"abc 123".find("[0-9]*")', "''"],
  ['"abc 123".find("[0-9]+")', "'123'"],
  ['"123 abc 456".findAll("[0-9]+")', "['123', '456']"],
  ['"123 abc 456".findAll("[0-9]*").size()', '6'],
  ["type(url('/a')) == kubernetes.URL", 'true'],
  ["ip.isCanonical('127.0.0.1')", 'true'],
  ["ip('127.0.0.1').family()", '4'],
  ["type(ip('::1')) == net.IP", 'true'],
  ["string(cidr('192.168.0.1/24').ip())", "'192.168.0.1'"],
  ["cidr('192.168.0.0/24') == cidr('192.168.0.0/24').masked()", 'true'],
  ["cidr('192.168.0.1/24') == cidr('192.168.0.1/24').masked()", 'false'],
  ["type(quantity('1.5G')) == kubernetes.Quantity", 'true'],
  ["quantity('50k').sub(20000).asApproximateFloat() == 30000.0", 'true'],
  ["quantity('50k').add(quantity('20k')) == quantity('70k')", 'true'],
  ["sign(quantity('-50k'))", '-1'],
  ["semver('v1.0.0', true) == semver('1.0.0')", 'true'],
  ["semver('1.0', true) == semver('1.0.0')", 'true'],
  ["semver('01.01.01', true) == semver('1.1.1')", 'true'],
  ["isSemver('v1.0')", 'false'],
  ["semver('1.0-rc.1', true)", 'error'],
  ['[[1], [2, 3]].flatten()', '[1, 2, 3]'],
  ['[dyn(1), dyn([dyn(2), dyn([3])])].flatten(2)', '[1, 2, 3]'],
  ["[dyn(1), dyn('b'), dyn(1.0)].distinct()", "[dyn(1), dyn('b')]"],
  ['sets.contains([dyn(1), dyn(2.0), dyn(3u)], [dyn(1.0), dyn(2u), dyn(3)])', 'true'],
  ['lists.range(3)', '[0, 1, 2]'],
  ["['b', 'a', 'c'].sortBy(e, e == 'c' ? 0 : 1)", "['c', 'b', 'a']"],
  ["strings.quote('a\"b\\n')", '"\\"a\\\\\\"b\\\\n\\""'],
  ["timestamp('2023-07-14T10:30:45.123Z').getHours('America/Los_Angeles')", '3'],
  ["timestamp('2023-07-14T10:30:45.123Z').getMinutes('-02:30')", '0'],
  ['1 / 0 == 1 && false', 'false'],
  ['1 / 0 == 1 || true', 'true'],
  ['1 / 0 == 1 || 1 / 0 == 1', 'error'],
  ['optional.of(1) == optional.of(1) && optional.none() != optional.of(dyn(1))', 'true'],
  ['[1].existsOne(i, i < 2)', 'error'],
  ['optional.of(1).optMap(v, v + 1).value()', '2'],
  ['optional.of([7]).optFlatMap(v, v[?0]).value()', '7'],
  ['optional.ofNonZeroValue([1]).hasValue() && !optional.ofNonZeroValue([]).hasValue()', 'true'],
  ['optional.unwrap([optional.of(42), optional.none()])', '[42]'],
  ['[optional.of(42), optional.none()].unwrapOpt()', '[42]'],
  ['[1, 2, 3].first().value() + [1, 2, 3].last().value()', '4'],
  ['x.?a.b[?0].orValue(2)', '1'],
  ['x.?a.c[?0].or(x.?a.b[?0]).value()', '1'],
  ['x.?z.optMap(z, z.size()).orValue(0)', '0'],
  ["{?'k': x.?z, ?'l': x.?a.b}", "{'l': [1]}"],
  ['[?x.?z, ?x.?a.b]', '[[1]]'],
  ["{'a': 1, 'b': 2}.transformMapEntry(k, v, {'same': v})", 'error'],
  [
    "'%s %d %.2f %e %b %o %x %X'.format([dyn('a'), dyn(3), dyn(2.5), dyn(1052.032911275), dyn(5), dyn(8), dyn(255), dyn(255)])",
    "'a 3 2.50 1.052033×10⁰³ 101 10 ff FF'",
  ],
  ["'%s'.format([dyn({'b': [1, 2], 'a': duration('1m')})])", `'{"a":duration("60s"), "b":[1, 2]}'`],
  ["'%s'.format([{'b': [1, 2], 'a': [3]}])", `'{"a":[3], "b":[1, 2]}'`],
  ["'%d%%'.format([10])", "'10%'"],
  ["'%s'.format([])", 'error'],
  ["jsonpatch.escapeKey('k8s.io/my~label')", "'k8s.io~1my~0label'"],
]

for (const [library, rows] of Object.entries({ ...documented, more })) {
  test(`${rows.length} documented expressions: ${library}`, () => {
    for (const [expression, result] of rows) {
      const { value, error } = evaluate(expression)
      if (result === 'error') {
        assert.notEqual(error, undefined, expression)
        continue
      }
      assert.equal(error, undefined, expression)
      assert.ok(equal(value, evaluate(result).value), `${expression}: ${formatValue(value)} instead of ${result}`)
    }
  })
}
