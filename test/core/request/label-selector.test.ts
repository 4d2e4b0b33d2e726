import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../../core/answers/status.ts'
import { labelSelectorOf, parseLabelSelector } from '../../../core/request/label-selector.ts'
import fc from '../../support/fast-check.ts'

test('matches labels', () => {
  const rows: [text: string, labels: { [key: string]: string }, matches: boolean][] = [
    ['', { x: 'y' }, true],
    ['x=y', { x: 'y' }, true],
    ['x==y', { x: 'y' }, true],
    ['x=y,z=w', { x: 'y', z: 'w' }, true],
    ['x=y,z=w', { x: 'w', z: 'w' }, false],
    ['x!=y', {}, true],
    ['x!=y', { x: 'y' }, false],
    ['notin=in', { notin: 'in' }, true],
    ['x', { x: '' }, true],
    ['x', {}, false],
    ['!x', {}, true],
    ['!x', { x: 'z' }, false],
    ['x in (a,b)', { x: 'b' }, true],
    ['x in (a,b)', {}, false],
    ['x in ()', { x: '' }, true],
    ['x notin (a,b)', { x: 'c' }, true],
    ['x notin (a,b)', {}, true],
    ['x notin (a,)', { x: '' }, false],
    ['x>1', { x: '2' }, true],
    ['x>1', { x: '1' }, false],
    ['x>1', { x: 'two' }, false],
    ['x<9223372036854775807', { x: '9223372036854775806' }, true],
    ['constructor', {}, false],
    ['x=', { x: '' }, true],
    ['example.com/role = db', { 'example.com/role': 'db' }, true],
  ]
  for (const [text, labels, matches] of rows)
    assert.equal(parseLabelSelector(text).matches(labels), matches, `${text} ${JSON.stringify(labels)}`)
  assert.equal(parseLabelSelector('!x').matches(undefined), true)
})

test('the canonical text parses to the same selector', () => {
  const rows: [text: string, canonical: string][] = [
    ['x=a,a=x', 'a=x,x=a'],
    [' x in ( b , a ) ', 'x in (a,b)'],
    ['x notin (,b,,a)', 'x notin (,a,b)'],
    ['x in ()', 'x in ()'],
    ['x= , z', 'x=,z'],
    ['!x,y', '!x,y'],
    ['x>1,z<5', 'x>1,z<5'],
    ['a==b', 'a==b'],
  ]
  for (const [text, canonical] of rows) {
    assert.equal(parseLabelSelector(text).toString(), canonical)
    assert.equal(parseLabelSelector(canonical).toString(), canonical)
  }
})

test('error messages match kube-apiserver', () => {
  const rows: [text: string, message: string | RegExp][] = [
    [
      'x=a||y=b',
      /^unable to parse requirement: values\[0\]\[x\]: Invalid value: "a\|\|y": a valid label must be an empty string or consist of/,
    ],
    ['x==a==b', "found '==', expected: ',' or 'end of string'"],
    ['!x=a', "found '=', expected: ',' or 'end of string'"],
    ['x<a', `unable to parse requirement: values[0]: Invalid value: "a": for 'Gt', 'Lt' operators, the value must be an integer`],
    ['x,', "found '', expected: identifier after ','"],
    [',x', "found ',', expected: !, identifier, or 'end of string'"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['x y', "unable to parse requirement: found 'y', expected: in, notin, =, ==, !=, gt, lt"],
    ['x in a', "unable to parse requirement: found 'a' expected: '('"],
    ['x in (a b)', "unable to parse requirement: found 'b', expected: ',' or ')'"],
    ['x in (a', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['x in (=', "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    ['x=(', "unable to parse requirement: found '(', expected: identifier"],
    [
      'a/b/c=d',
      `unable to parse requirement: <nil>: Invalid value: "a/b/c": a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ],
    ['-a', /^unable to parse requirement: <nil>: Invalid value: "-a": name part must consist of alphanumeric/],
  ]
  for (const [text, message] of rows)
    assert.throws(
      () => parseLabelSelector(text),
      (error) =>
        error instanceof ApiError &&
        error.status.code === 400 &&
        (typeof message === 'string' ? error.message === message : message.test(error.message)),
      text,
    )
})

test('any text is either a selector or a bad request', () => {
  const piece = fc.constantFrom('a', 'b/c', 'in', 'notin', '=', '==', '!=', '!', '(', ')', ',', ' ', '>', '<', '1', '', 'é')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      try {
        const selector = parseLabelSelector(pieces.join(''))
        assert.equal(parseLabelSelector(selector.toString()).toString(), selector.toString())
      } catch (error) {
        assert.ok(error instanceof ApiError && error.status.code === 400, String(error))
      }
    }),
    { numRuns: 2000 },
  )
})

test('from LabelSelector objects', () => {
  const object = {
    matchLabels: { b: '1', a: '2' },
    matchExpressions: [
      { key: 'c', operator: 'In', values: ['y', 'x'] },
      { key: 'd', operator: 'DoesNotExist' },
    ],
  }
  const selector = labelSelectorOf(object)
  assert.equal(selector.toString(), 'a=2,b=1,c in (x,y),!d')
  assert.equal(selector.matches({ a: '2', b: '1', c: 'x' }), true)
  assert.deepEqual(selector.exact, { key: 'a', value: '2' })
  assert.deepEqual(parseLabelSelector('a!=1,b in (x,y),c in (z)').exact, { key: 'c', value: 'z' })
  assert.equal(parseLabelSelector('a!=1,b in (x,y),!c').exact, undefined)
  assert.equal(labelSelectorOf({}).matches({ a: 'b' }), true)
  assert.equal(labelSelectorOf({}).empty, true)
  assert.equal(labelSelectorOf(undefined).matches({}), false)
  assert.equal(labelSelectorOf(undefined).empty, false)
  assert.throws(
    () => labelSelectorOf({ matchExpressions: [{ key: 'a', operator: 'Near' }] }),
    /"Near" is not a valid label selector operator/,
  )
  assert.throws(
    () => labelSelectorOf({ matchExpressions: [{ key: 'a', operator: 'In' }] }),
    /values: Invalid value: \[\]: for 'in', 'notin' operators/,
  )
})

test('many requirements match the same labels as one by one', () => {
  const key = fc.constantFrom('a', 'b', 'constructor')
  const value = fc.constantFrom('', 'x', 'y', '1', '2', '3')
  const term = fc.oneof(
    key,
    key.map((k) => `!${k}`),
    fc.tuple(key, fc.constantFrom('=', '!='), value).map(([k, operator, v]) => `${k}${operator}${v}`),
    fc.tuple(key, fc.constantFrom(' in ', ' notin '), fc.array(value, { minLength: 1 })).map(([k, operator, v]) => `${k}${operator}(${v})`),
    fc.tuple(key, fc.constantFrom('>', '<'), fc.integer({ min: 0, max: 5 })).map(([k, operator, v]) => `${k}${operator}${v}`),
  )
  fc.assert(
    fc.property(fc.array(term, { minLength: 9, maxLength: 12 }), fc.dictionary(key, value), (terms, labels) => {
      const whole = parseLabelSelector(terms.join(',')).matches(labels)
      assert.equal(
        whole,
        terms.every((each) => parseLabelSelector(each).matches(labels)),
      )
    }),
  )
})
