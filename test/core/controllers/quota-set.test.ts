import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { QuotaObject } from '../../../core/admission/quota/quota.ts'
import { QuotaSet } from '../../../core/controllers/quota-set.ts'

const quota = (namespace: string, ...names: string[]) =>
  ({ metadata: { namespace, name: 'q' }, spec: { hard: Object.fromEntries(names.map((name) => [name, '1'])) } }) as unknown as QuotaObject

test('the limited resource names change only with the first and the last quota that has them', () => {
  const set = new QuotaSet()
  assert.equal(set.set('a', quota('one', 'pods', 'services')), true)
  assert.equal(set.set('b', quota('one', 'pods')), false)
  assert.equal(set.set('b', quota('one', 'pods')), false)
  assert.deepEqual(set.names(), ['pods', 'services'])
  assert.equal(set.set('a', quota('one', 'pods', 'secrets')), true)
  assert.deepEqual(set.names(), ['pods', 'secrets'])
  assert.equal(set.delete('b'), false)
  assert.equal(set.delete('b'), false)
  assert.equal(set.delete('a'), true)
  assert.deepEqual(set.names(), [])
})

test('quotas are found by namespace', () => {
  const set = new QuotaSet()
  set.set('a', quota('one', 'pods'))
  set.set('b', quota('one', 'pods'))
  set.set('c', quota('two', 'pods'))
  assert.deepEqual([set.keysIn('one'), set.keysIn('two'), set.keysIn('three')], [['a', 'b'], ['c'], []])
  set.delete('a')
  assert.deepEqual([set.keysIn('one'), set.namespaces()], [['b'], ['one', 'two']])
  set.delete('c')
  assert.deepEqual(set.namespaces(), ['one'])
  set.delete('b')
  assert.deepEqual([set.keysIn('one'), set.namespaces(), set.names()], [[], [], []])
})

test('of ten thousand quotas with the same names only the first changes the names', () => {
  const set = new QuotaSet()
  let changes = 0
  for (let index = 0; index < 10_000; index++) if (set.set(`${index}`, quota(`namespace-${index}`, 'pods', 'services'))) changes++
  assert.equal(changes, 1)
})
