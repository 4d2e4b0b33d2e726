import assert from 'node:assert/strict'
import { test } from 'node:test'
import { coalesce } from '../../../../runtimes/stores/etcd/coalesce.ts'
import { eventually } from '../../../support/wait.ts'

/** Requests in order; each resolves when the test says so. */
function requests() {
  const begun: { resolve(value: string): void; reject(error: Error): void }[] = []
  const ask = coalesce(() => new Promise<string>((resolve, reject) => begun.push({ resolve, reject })))
  return { begun, ask, count: (wanted: number) => eventually(`request ${wanted}`, async () => begun.length === wanted) }
}

test('callers share the request that begins after them', async () => {
  const { begun, ask, count } = requests()
  const first = [ask(), ask()]
  await count(1)
  const later = ask()
  await count(2)
  begun[0]?.resolve('one')
  begun[1]?.resolve('two')
  assert.deepEqual(await Promise.all([...first, later]), ['one', 'one', 'two'])
})

test('two requests are in flight at most; all who come then share the third', async () => {
  const { begun, ask, count } = requests()
  const first = ask()
  await count(1)
  const second = ask()
  await count(2)
  const others = Array.from({ length: 10 }, ask)
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  assert.equal(begun.length, 2)
  begun[0]?.resolve('one')
  await count(3)
  begun[1]?.resolve('two')
  begun[2]?.resolve('three')
  assert.deepEqual(await Promise.all([first, second]), ['one', 'two'])
  assert.deepEqual(new Set(await Promise.all(others)), new Set(['three']))
})

test('a failure is that of its callers only', async () => {
  const { begun, ask, count } = requests()
  const failing = [ask(), ask()]
  await count(1)
  begun[0]?.reject(new Error('no leader'))
  for (const each of failing) await assert.rejects(each, /no leader/)
  for (let wanted = 2; wanted < 6; wanted++) {
    const next = ask()
    await count(wanted)
    begun[wanted - 1]?.resolve('again')
    assert.equal(await next, 'again')
  }
})
