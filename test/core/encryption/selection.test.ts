import assert from 'node:assert/strict'
import { test } from 'node:test'
import { identity } from '../../../core/encryption/identity.ts'
import { inOrder } from '../../../core/encryption/in-order.ts'
import { Recent } from '../../../core/encryption/kms/recent.ts'
import { resourceOfKey, selectTransformer } from '../../../core/encryption/selection.ts'

test('store keys map to resources', () => {
  const storageKeys = new Map([
    ['secrets', { group: '', resource: 'secrets' }],
    ['services/specs', { group: '', resource: 'services' }],
    ['apiregistration.k8s.io/apiservices', { group: 'apiregistration.k8s.io', resource: 'apiservices' }],
  ])
  const resourceOf = resourceOfKey('/registry', storageKeys)
  const rows = [
    ['/registry/secrets/default/a', 'secrets'],
    ['/registry/secrets/default', 'secrets'],
    ['/registry/services/specs/default/a', 'services'],
    ['/registry/services/endpoints/default/a', undefined],
    ['/registry/apiregistration.k8s.io/apiservices/v1.', 'apiservices.apiregistration.k8s.io'],
    ['/registry/example.com/widgets/default/a', 'widgets.example.com'],
    ['/registry/example.com/widgets', undefined],
    ['/registry/ranges/servicenodeports', undefined],
    ['/registry/secrets', undefined],
    ['/other/secrets/default/a', undefined],
    ['compact_rev_key', undefined],
  ] as const
  for (const [key, expected] of rows) {
    const on = resourceOf(key)
    assert.equal(on && (on.group === '' ? on.resource : `${on.resource}.${on.group}`), expected, key)
  }
})

test('the most specific entry wins: resource, then group, then wildcard', () => {
  const named = (...names: readonly string[]) => ({ names, transformer: { ...identity } })
  const [one, group, core, all] = [named('deployments.apps', 'secrets'), named('*.apps'), named('*.'), named('*.*')]
  const select = selectTransformer([one, group, core, all])
  const rows = [
    ['apps', 'deployments', one],
    ['', 'secrets', one],
    ['apps', 'replicasets', group],
    ['', 'pods', core],
    ['example.com', 'widgets', all],
    ['example.com', 'secrets', all],
  ] as const
  for (const [group, resource, expected] of rows) assert.equal(select({ group, resource }), expected.transformer, `${resource}.${group}`)
  assert.equal(selectTransformer([one])({ group: '', resource: 'pods' }), undefined)
})

test('calls run in order: at once when none is pending, otherwise after the pending ones', async () => {
  const log: string[] = []
  const failures: unknown[] = []
  const deliver = inOrder((error) => failures.push(error))
  const [gate, open] = (() => {
    let release = () => {}
    const promise = new Promise<void>((resolve) => {
      release = resolve
    })
    return [promise, release] as const
  })()
  deliver(() => void log.push('a'))
  assert.deepEqual(log, ['a'])
  deliver(() => gate.then(() => void log.push('b')))
  deliver(() => void log.push('c'))
  deliver(() => {
    throw new Error('d')
  })
  const last = new Promise<void>((resolve) =>
    deliver(() => {
      log.push('e')
      resolve()
    }),
  )
  assert.deepEqual(log, ['a'])
  open()
  await last
  assert.deepEqual(log, ['a', 'b', 'c', 'e'])
  assert.equal(String(failures), 'Error: d')
  await new Promise((resolve) => setImmediate(resolve))
  deliver(() => void log.push('f'))
  assert.equal(log.at(-1), 'f', 'at once again')
})

test('the cache is bounded, shares pending values and drops failed ones', async () => {
  const recent = new Recent<number>(2)
  let made = 0
  const get = (key: string) => recent.get(key, async () => ++made)
  assert.deepEqual(await Promise.all([get('a'), get('a'), get('b')]), [1, 1, 2])
  await get('a')
  assert.equal(await get('c'), 3)
  assert.equal(recent.size, 2)
  assert.equal(await get('a'), 1, 'used more recently than b')
  assert.equal(await get('b'), 4)
  await assert.rejects(recent.get('d', () => Promise.reject(new Error('no'))))
  assert.equal(await get('d'), 5)
})
