import assert from 'node:assert/strict'
import { test } from 'node:test'
import { History } from '../../../runtimes/stores/history.ts'
import { bytes } from '../../../runtimes/testing/store/recorder.ts'
import { seeded } from '../../support/mutate.ts'

const seed = 20_261_122

test(`remaining counts beyond a limit are right at each revision (seed ${seed})`, () => {
  const random = seeded(seed)
  const history = new History()
  const there = new Set<string>()
  for (let revision = 2; revision <= 800; revision++) {
    const key = `${random.pick(['a', 'b', 'b\uff00', 'b\u{1f600}'])}/${random.below(60)}`
    const deletes = there.has(key) && random.below(2) === 0
    history.apply({ key, revision, createRevision: revision, lease: 0n, ...(!deletes && { value: bytes(`${revision}`) }) })
    if (deletes) there.delete(key)
    else there.add(key)
    if (revision === 400) history.compact(300)
    if (revision % 10 > 0) continue
    for (const at of [0, revision, history.oldest + random.below(revision - history.oldest)]) {
      for (const prefix of ['', 'b', 'a/']) {
        const all = history.list({ prefix, revision: at }).items
        for (const limit of [1, 7, all.length]) {
          const from = random.pick([prefix, all[random.below(all.length)]?.key ?? ''])
          const wanted = all.slice(from === prefix ? 0 : all.findIndex(({ key: other }) => other === from))
          const { items, more, remaining } = history.list({ prefix, from, limit, revision: at })
          assert.deepEqual(items, wanted.slice(0, limit))
          assert.deepEqual({ more, remaining }, { more: wanted.length > limit, remaining: Math.max(0, wanted.length - limit) })
        }
      }
    }
  }
})

test('lists of the past do not read values that are left out', () => {
  let loads = 0
  const history = new History(1, (revision) => {
    loads++
    return { key: '', value: bytes(`${revision}`), createRevision: revision, modRevision: revision }
  })
  const keys = Array.from({ length: 50 }, (_, index) => `k${index}`)
  let revision = 1
  for (let round = 0; round < 2; round++)
    for (const key of keys) history.apply({ key, revision: ++revision, createRevision: 2, lease: 0n, value: bytes(key) })
  assert.equal(history.list({ prefix: 'k', limit: 3, revision: 51 }).remaining, 47)
  assert.equal(loads, 3)
})
