/** Headers of one name in many lines, and many headers: which line counts, and that thousands of them take little time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readImpersonation } from '../../../../core/access/authn/impersonation-headers.ts'
import { LightHeaders } from '../../../../core/answers/light-headers.ts'
import { endToEnd } from '../../../../core/outgoing/forwarding/headers.ts'
import { assertCheap } from '../../../support/cost.ts'

/** As many as the listener permits. */
const count = 16_000
/** Milliseconds of processor time of an idle machine: quadratic work on so many takes seconds. */
const enough = 400

const many = (field: (index: number) => readonly [name: string, value: string]) =>
  LightHeaders.fromRaw(Array.from({ length: count }, (_, i) => field(i)).flat())

const user = ['Impersonate-User', 'x'] as const
const cases: { readonly [name: string]: readonly [make: () => LightHeaders, use: (headers: LightHeaders) => unknown] } = {
  'groups to impersonate': [() => many((i) => (i === 0 ? user : ['Impersonate-Group', `g${i}`])), readImpersonation],
  'extra to impersonate': [() => many((i) => (i === 0 ? user : [`Impersonate-Extra-${i}`, 'v'])), readImpersonation],
  'extra of one key': [() => many((i) => (i === 0 ? user : [`Impersonate-Extra-${i % 2 ? 'a' : '%61'}`, 'v'])), readImpersonation],
  'different names': [() => many((i) => [`X-${i}`, 'v']), (headers) => [...headers.entries()]],
  'one name': [() => many((i) => ['X', `v${i}`]), (headers) => [...headers.entries()]],
  'names to leave out': [() => many((i) => ['Connection', `x-${i}`]), endToEnd],
  'headers to pass on': [() => many((i) => [`X-${i}`, 'v']), endToEnd],
  'lines to delete': [() => many((i) => ['X', `v${i}`]), (headers) => headers.delete('x')],
  'lines to replace': [() => many((i) => ['X', `v${i}`]), (headers) => headers.set('x', '1')],
}
for (const [name, [make, use]] of Object.entries(cases))
  test(`${count} headers: ${name}`, async () => {
    await assertCheap(name, enough, () => use(make()))
  })

test('all groups and extras are read', () => {
  const { groups, extra } = readImpersonation(cases['groups to impersonate']?.[0]() as LightHeaders) ?? {}
  assert.equal(groups?.length, count - 1)
  assert.equal(extra, undefined)
  const found = readImpersonation(cases['extra of one key']?.[0]() as LightHeaders)
  assert.deepEqual([Object.keys(found?.extra ?? {}), found?.extra?.['a']?.length], [['a'], count - 1])
})

test('of several lines of a header with one value the first counts, as where kube-apiserver reads it', () => {
  const headers = LightHeaders.fromRaw(
    ['Authorization', 'Accept', 'Content-Type', 'Impersonate-User', 'X-Other'].flatMap((name) => [name, 'first', name, 'second']),
  )
  for (const name of ['authorization', 'accept', 'content-type', 'impersonate-user']) assert.equal(headers.get(name), 'first')
  assert.equal(headers.get('x-other'), 'first, second')
  assert.equal(readImpersonation(headers)?.name, 'first')
  assert.equal(new Headers(headers).get('authorization'), 'first, second', 'what is passed on has all lines')
})

test('replacing a header removes its other lines, and no others', () => {
  const headers = LightHeaders.fromRaw(['A', '1', 'B', 'a', 'A', '2', 'C', '3', 'a', '4'])
  headers.set('A', 'x')
  assert.deepEqual(headers.flat, ['a', 'x', 'b', 'a', 'c', '3'])
  headers.set('D', 'y')
  headers.delete('b')
  assert.deepEqual(headers.flat, ['a', 'x', 'c', '3', 'd', 'y'])
})
