import assert from 'node:assert/strict'
import { test } from 'node:test'
import { covers, parseAccept } from '../../../core/request/accept.ts'

test('media ranges are sorted by quality; equal ones keep their order', () => {
  const clauses = parseAccept('text/html;q=0.2, application/json, application/yaml, */*;q=0.1, text/plain;q=0')
  const types = clauses.map(({ type, subtype }) => `${type}/${subtype}`)
  assert.deepEqual(types, ['application/json', 'application/yaml', 'text/html', '*/*', 'text/plain'])
  assert.ok(!covers(clauses[4]!, 'text/plain'))
})

test('spaces around parameters are removed', () => {
  const [range] = parseAccept('application/json; g=a.b ; v=v2;as=List')
  assert.deepEqual(Object.fromEntries(range?.parameters ?? []), { g: 'a.b', v: 'v2', as: 'List' })
})

test('a missing or empty header accepts everything', () => {
  for (const header of [null, '', ' ']) assert.ok(parseAccept(header).every((range) => covers(range, 'application/json')))
})

test('a range matches only its own types', () => {
  const [own, family, other] = parseAccept('application/json, application/*, text/*')
  assert.ok(own && covers(own, 'application/json'))
  assert.ok(own && !covers(own, 'application/yaml'))
  assert.ok(family && covers(family, 'application/yaml'))
  assert.ok(other && !covers(other, 'application/json'))
})
