import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCelEnvironment } from '../../../core/cel/environment.ts'
import { boolType, dynType, mapType, stringType } from '../../../core/cel/types.ts'
import { toJson } from '../../../core/cel/values/json.ts'

const environment = createCelEnvironment({ variables: { x: mapType(stringType, dynType) }, escapedKeys: true })
const x = {
  s: 'abc',
  n: 3,
  list: ['b', 'a', 'b'],
  numbers: [3, 1, 2],
  map: { k: 'v', 'a.b/c-d__e': 1, in: true },
  long: [...Array(400).keys()],
}

/** The result of an expression as JSON, ints as numbers; or its error. */
function result(expression: string): unknown {
  const compiled = environment.compile(expression)
  if ('issues' in compiled) return compiled.issues
  const { value, error } = compiled.program.evaluate({ x })
  return error ?? toJson(value)
}

const rows: readonly (readonly [expression: string, expected: unknown])[] = [
  ["x.s.matches('^a.c$')", true],
  ["x.s.find('[b-z]+')", 'bc'],
  ["x.s.find('[0-9]')", ''],
  ["'a1b22'.findAll('[0-9]+')", ['1', '22']],
  ["'a1b22'.findAll('[0-9]+', 1)", ['1']],
  ['x.numbers.sort()', [1, 2, 3]],
  ['x.numbers.isSorted()', false],
  ['[1, 2, 2].isSorted()', true],
  ['x.numbers.min()', 1],
  ['x.numbers.max()', 3],
  ['[1, 2, 3].sum()', 6],
  ['[0.5, 0.25].sum()', 0.75],
  ['x.list.distinct()', ['b', 'a']],
  ["x.list.indexOf('a')", 1],
  ["x.list.lastIndexOf('b')", 2],
  ["x.list.indexOf('z')", -1],
  ['[1, 2, 3].slice(1, 3)', [2, 3]],
  ['[[1], [2, 3]].flatten()', [1, 2, 3]],
  ['[1, 2, 3].reverse()', [3, 2, 1]],
  ["sets.contains(x.list, ['a'])", true],
  ["sets.intersects(x.list, ['z', 'a'])", true],
  ["sets.equivalent(x.list, ['a', 'b'])", true],
  ["sets.equivalent(x.list, ['a'])", false],
  ['x.map.a__dot__b__slash__c__dash__d__underscores__e', 1],
  ['x.map.__in__', true],
  ['has(x.map.__in__) && !has(x.map.nothing)', true],
  ["x.?nothing.orValue('none')", 'none'],
  ["'abc'.charAt(1) + 'aXbX'.replace('X', '-') + 'aXbX'.replace('X', '-', 1) + 'ab'.replace('', '.')", 'ba-b-a-bX.a.b.'],
  ["url('https://u@a.example:443/p%20q?k=1&k=2').getHost()", 'a.example:443'],
  ["url('https://[::1]:80/').getHostname() + url('https://a.example:8443').getPort()", '::18443'],
  ["url('https://a/p%20q').getEscapedPath() + url('/x').getEscapedPath() + url('/x').getScheme()", '/p%20q/x'],
  ["url('https://a?k=1&k=2').getQuery()['k'] == ['1', '2']", true],
  ["isURL('a b') || isURL('nope')", false],
  ["ip('10.0.0.1').family() + ip('::1').family()", 10],
  ["isIP('010.0.0.1') || isIP('::ffff:1.2.3.4') || isIP('x')", false],
  ["ip('127.0.0.1').isLoopback() && ip('fe80::1').isLinkLocalUnicast() && ip('0.0.0.0').isUnspecified()", true],
  ["ip('8.8.8.8').isGlobalUnicast() && !ip('224.0.0.1').isGlobalUnicast() && ip('ff02::1').isLinkLocalMulticast()", true],
  ["ip('::0:1') == ip('::1') && string(ip('::0:1')) == '::1'", true],
  ["cidr('10.0.0.0/8').containsIP('10.1.2.3') && !cidr('10.0.0.0/8').containsIP(ip('11.0.0.1'))", true],
  ["cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && !cidr('10.1.0.0/16').containsCIDR(cidr('10.0.0.0/8'))", true],
  ["string(cidr('10.1.2.3/20').masked()) + string(cidr('10.1.2.3/20').ip())", '10.1.0.0/2010.1.2.3'],
  ["cidr('::/0').prefixLength()", 0],
  ["quantity('1Gi').isGreaterThan(quantity('1G')) && quantity('1') == quantity('1000m')", true],
  ["quantity('50M').add(quantity('20k')).sub(20000).asInteger()", 50_000_000],
  ["quantity('500m').isInteger() || isQuantity('x')", false],
  ["quantity('500m').asApproximateFloat() + double(sign(quantity('-2')))", -0.5],
  ["semver('1.2.3').isLessThan(semver('1.10.0')) && semver('1.0.0-rc.1').isLessThan(semver('1.0.0'))", true],
  ["semver('1.0.0-alpha.2').compareTo(semver('1.0.0-alpha.10')) + semver('v1.2', true).minor()", 1],
  ["isSemver('v1.0.0') || isSemver('1.0') || isSemver('1.0.0-01')", false],
  ["semver('1.0.0+a') == semver('1.0.0+b')", true],
  ["semver('1.0.0-x').isLessThan(semver('1.0.0-x.y')) && semver('1.0.0-1').isLessThan(semver('1.0.0-1a'))", true],
  ["semver('1.0.0-a.b.9').compareTo(semver('1.0.0-a.b.10.c'))", -1],
  ["format.dns1123Label().validate('a-b').hasValue()", false],
  ["format.dns1123Label().validate('A').value()[0].contains('lower case')", true],
  ["format.named('uuid').value().validate('x').value()", ['does not match the UUID format']],
  ["format.named('none').hasValue() || format.dns1123LabelPrefix().validate('a-').hasValue()", false],
  ["x.list.exists(e, e == 'a') && x.list.all(e, size(e) == 1)", true],
]

const failures: readonly (readonly [expression: string, why: RegExp])[] = [
  ["x.s.matches('(')", /invalid matches argument/],
  ["x.s.matches('(' + x.s)", /missing closing/],
  ['x.n.matches(x.s)', /no such overload: matches/],
  ["ip('x')", /IP Address "x" parse error during conversion from string: ParseAddr\("x"\): unable to parse IP/],
  ["quantity('x')", /quantities must match/],
  ["quantity('500m').asInteger()", /cannot convert value to integer/],
  ["semver('x')", /No Major.Minor.Patch elements found/],
  ["semver('99999999999999999999.0.0')", /^strconv.ParseUint: parsing "99999999999999999999": value out of range$/],
  ["semver('1..0')", /^strconv.ParseUint: parsing "": invalid syntax$/],
  ["semver('1.2.3-a..b')", /^Prerelease is empty$/],
  ["semver('1.2.3-a_b')", /^Invalid character\(s\) found in prerelease "a_b"$/],
  ["semver('1.2.3+')", /^Build meta data is empty$/],
  ["semver('1.2.3+a_b')", /^Invalid character\(s\) found in build meta data "a_b"$/],
  [
    `ip('${'x'.repeat(2_000)}')`,
    /^IP Address "x{1024}…" parse error during conversion from string: ParseAddr\("x{1024}…"\): unable to parse IP$/,
  ],
  ["'aaaaaaaaaaaaaaaa'.replace('', x.s).charAt(99)", /index out of range: 99/],
  ['cel.bind(a, [1, 2], a + a).size() > 0', /undeclared reference to 'cel'/],
  ['1 +', /^compilation failed: /],
  ['y', /undeclared reference to 'y'/],
  ["1 + 'a'", /found no matching overload for '_\+_' applied to '\(int, string\)'/],
  ['x.nothing', /no such key: nothing/],
  ['[1, 2].slice(2, 5)', /cannot slice\(2, 5\), list is length 2/],
  ['x.numbers.filter(n, n > 9.0).min()', /min called on empty list/],
  ["[dyn(1), dyn('a')].sort()", /list elements must have the same type/],
  ['x.long.all(a, x.long.all(b, x.long.all(c, true)))', /cost limit exceeded/],
  ['x.long.exists(a, x.long.exists(b, x.long.exists(c, false)))', /cost limit exceeded/],
  ['x.long.map(a, x.long.map(b, x.long.filter(c, true)))', /cost limit exceeded/],
  [`${'('.repeat(300)}1${')'.repeat(300)}`, /^compilation failed: /],
]

test(`${rows.length} expressions`, () => {
  for (const [expression, expected] of rows) assert.deepEqual(result(expression), expected, expression)
})

test(`${failures.length} expressions that fail`, () => {
  for (const [expression, why] of failures) assert.match(String(result(expression)), why, expression)
})

test('each evaluation has its own cost budget', () => {
  const compiled = environment.compile('x.long.all(a, x.long.all(b, x.long.all(c, a == a)))')
  assert.ok('program' in compiled, 'an expression')
  const { evaluate } = compiled.program
  for (let turn = 0; turn < 3; turn++) assert.match(evaluate({ x }).error ?? '', /cost limit exceeded/)
  assert.equal(evaluate({ x: { long: [1, 2, 3] } }).value, true)
  assert.match(evaluate({ x }, { costLimit: 1000 }).error ?? '', /cost limit exceeded/)
})

test('patterns match in linear time', () => {
  const compiled = environment.compile("x.s.matches('^(a+)+$')", { result: [boolType] })
  assert.ok('program' in compiled, 'an expression')
  assert.equal(compiled.program.evaluate({ x: { s: `${'a'.repeat(10_000)}!` } }).value, false)
})
