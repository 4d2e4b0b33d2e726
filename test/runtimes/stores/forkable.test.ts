import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { KeyValueStore } from '../../../core/ports.ts'
import { forkableStore } from '../../../runtimes/stores/forkable.ts'
import { webClock } from '../../../runtimes/web/ports.ts'
import { ManualClock } from '../../support/clock.ts'
import { storeConformance } from '../../support/store-conformance.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const entries = async (store: KeyValueStore, revision = 0) => {
  const { items } = await store.list({ prefix: '', revision })
  return items.map(({ key, value }) => `${key}=${new TextDecoder().decode(value)}`).join(' ')
}
const revisionOf = async (store: KeyValueStore, key: string) => (await store.get(key)).kv?.modRevision ?? 0

async function set(store: KeyValueStore, key: string, value: string, lease?: bigint): Promise<void> {
  const result = await store.put(key, bytes(value), await revisionOf(store, key), lease)
  assert(result.ok, `${key} was swapped`)
}

storeConformance('forkable store', async () => {
  const store = forkableStore({ clock: webClock })
  return { store, close: () => store.close() }
})

storeConformance('a store continued from a snapshot', async () => {
  const first = forkableStore({ clock: webClock })
  for (const key of ['k', 'a/1', 'zz']) {
    const put = await first.put(key, bytes('gone'), 0)
    await first.delete(key, put.revision)
  }
  const store = forkableStore({ clock: webClock, from: first.snapshot() })
  return { store, close: () => Promise.all([store.close(), first.close()]).then(() => undefined) }
})

describe('snapshots of a store', () => {
  test('do not change when stores continue from them', async () => {
    const clock = new ManualClock()
    const first = forkableStore({ clock })
    for (const key of ['a', 'b', 'c']) await set(first, key, '1')
    const snapshot = first.snapshot()
    const revision = await first.currentRevision()
    const second = forkableStore({ clock, from: snapshot })
    await set(first, 'b', 'first')
    await second.delete('a', await revisionOf(second, 'a'))
    await set(second, 'd', 'second')
    assert.equal(await entries(first), 'a=1 b=first c=1')
    assert.equal(await entries(second), 'b=1 c=1 d=second')
    assert.deepEqual([await first.count(''), await second.count('')], [3, 3], 'counts of both')
    assert.equal(await entries(second, revision), 'a=1 b=1 c=1', 'past revisions are readable')
    await second.compact(await second.currentRevision())
    await first.compact(await first.currentRevision())
    assert.equal(await entries(second), 'b=1 c=1 d=second', 'a compaction does not restore deleted keys')
    await assert.rejects(second.list({ prefix: '', revision }), /compacted/)
    assert.equal(await entries(forkableStore({ clock, from: snapshot })), 'a=1 b=1 c=1')
  })

  test('watches report events before and after the snapshot', async () => {
    const first = forkableStore({ clock: new ManualClock() })
    await set(first, 'a', '1')
    await set(first, 'b', '1')
    const second = forkableStore({ clock: new ManualClock(), from: first.snapshot() })
    await set(second, 'a', '2')
    const seen: string[] = []
    await new Promise<void>((resolve) => {
      second.watch('', 2, {
        events(events) {
          for (const event of events)
            seen.push(event.type === 'put' ? `${event.kv.key}@${event.kv.modRevision}<${event.previous?.modRevision ?? ''}` : event.key)
          resolve()
        },
        progress() {},
        end() {},
      })
    })
    assert.deepEqual(seen, ['b@3<', 'a@4<2'])
  })

  test('contain leases, which end in every store by its own clock', async () => {
    const clock = new ManualClock()
    const first = forkableStore({ clock })
    await set(first, 'kept', '1')
    await set(first, 'leased', '1', await first.grantLease(60))
    const snapshot = first.snapshot()
    const later = new ManualClock()
    const second = forkableStore({ clock: later, from: snapshot })
    clock.advance(61_000)
    await new Promise(setImmediate)
    assert.equal(await entries(first), 'kept=1')
    assert.equal(await entries(second), 'kept=1 leased=1')
    later.advance(61_000)
    await new Promise(setImmediate)
    assert.equal(await entries(second), 'kept=1')
  })

  test('can be taken repeatedly', async () => {
    const store = forkableStore({ clock: new ManualClock() })
    const all: string[] = []
    for (let i = 0; i < 30; i++) {
      await set(store, `k${String(i).padStart(2, '0')}`, 'x')
      all.push(`k${String(i).padStart(2, '0')}=x`)
      assert.equal(store.snapshot().base, store.snapshot().base, 'no change in between')
    }
    assert.equal(await entries(store), all.join(' '))
    assert.equal(await store.count('k1'), 10)
  })
})
