/** The comparison itself: what it clears, and what it must not overlook. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { classOf, differences } from './difference.ts'
import type { Answer } from './exchange.ts'
import { normalOf } from './normal.ts'

const answer = (body: unknown, status = 200, headers: readonly [string, string][] = []): Answer => ({
  status,
  headers: [['content-type', 'application/json'], ...headers],
  body: Buffer.from(typeof body === 'string' ? body : `${JSON.stringify(body)}\n`),
})

const map = (uid: string, resourceVersion: string, more: object = {}) => ({
  kind: 'ConfigMap',
  metadata: { name: 'a', uid, resourceVersion, creationTimestamp: new Date().toISOString().replace(/\.\d+/, ''), ...more },
})
const [one, two] = ['8f2b6c1e-1111-4222-8333-944455556666', '0f2b6c1e-1111-4222-8333-944455556667']

const compared = (left: Answer, right: Answer) => differences(normalOf(left), normalOf(right), 100)

test('uids, revisions and times of servers are cleared', () => {
  assert.deepEqual(compared(answer(map(one, '12')), answer(map(two, '3456'))), [])
})

test('values of a request are kept', () => {
  const kept = { labels: { created: '2020-01-01T00:00:00Z' } }
  assert.deepEqual(compared(answer(map(one, '12', kept)), answer(map(one, '12'))).length, 1)
  assert.deepEqual(compared(answer(map(one, '12')), answer(map(one, '0'))).length, 1, 'revision 0 is a meaning')
})

test('every part of an answer is compared', () => {
  const base = answer({ a: 1, b: 2 })
  const paths = (other: Answer) => compared(base, other).map(({ path }) => path)
  assert.deepEqual(paths(answer({ b: 2, a: 1 })), ['body order of members'])
  assert.deepEqual(paths(answer({ a: 1 })), ['body.b'])
  assert.deepEqual(paths(answer('{"a":1,"b":2}')), ['layout'])
  assert.deepEqual(paths(answer({ a: 1, b: 2 }, 201)), ['code'])
  assert.deepEqual(paths(answer({ a: 1, b: 2 }, 200, [['warning', '299 - "x"']])), ['headers.warning'])
})

test('requests that fail in the same way are of one class', () => {
  const refusal = (name: string) => answer({ kind: 'Status', message: `configmaps "${name}" not found`, code: 404 }, 404)
  const classes = ['a', 'b'].map((name) => {
    const [left, right] = [normalOf(refusal(name)), normalOf(answer(map(one, '1')))]
    return classOf(left, right, differences(left, right, 100))
  })
  assert.deepEqual(classes, ['code 404 → 200: configmaps "…" not found', 'code 404 → 200: configmaps "…" not found'])
})
