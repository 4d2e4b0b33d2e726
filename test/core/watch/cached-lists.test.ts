import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Codec } from '../../../core/storage/codec.ts'
import { Entry } from '../../../core/storage/entry.ts'
import { createKeys } from '../../../core/storage/keys.ts'
import { CachedLists } from '../../../core/watch/cached-lists.ts'
import { SortedEntries } from '../../../core/watch/sorted-entries.ts'

const keys = createKeys('/registry', 'configmaps', true)
const entryOf = (name: string) => new Entry(keys.of('default', name), 1, new Uint8Array(), {} as Codec)

function tenEntries() {
  const entries = new SortedEntries()
  for (let i = 0; i < 10; i++) entries.set(entryOf(`o${i}`))
  return { entries, lists: new CachedLists(entries, keys, true) }
}

test('what was made of a list or of its first page is there until something changes', () => {
  const { entries, lists } = tenEntries()
  for (const query of [{ namespace: 'default' }, { namespace: 'default', limit: 3 }]) {
    const first = lists.select(query, 10)
    const again = lists.select(query, 11)
    assert.ok(first.kept, 'worth keeping')
    assert.equal(again.kept, first.kept)
    assert.deepEqual([again.revision, again.next], [11, first.next])
    entries.set(entryOf(`p${query.limit}`))
    lists.forget()
    assert.notEqual(lists.select(query, 12).kept, first.kept)
  }
})

test('pages of other sizes, of other selectors and from the middle of a list are not mixed up', () => {
  const { lists } = tenEntries()
  const odd = { namespace: 'default', matches: ({ key }: Entry) => /[13579]$/.test(key), selector: 'odd' }
  const names = (query: Parameters<CachedLists['select']>[0]) => lists.select(query, 1).entries.map(({ key }) => key.slice(-2))
  assert.deepEqual(names({ namespace: 'default', limit: 2 }), ['o0', 'o1'])
  assert.deepEqual(names({ namespace: 'default', limit: 3 }), ['o0', 'o1', 'o2'])
  assert.deepEqual(names({ namespace: 'default', limit: 4 }), ['o0', 'o1', 'o2', 'o3'])
  assert.deepEqual(names({ namespace: 'default', limit: 2 }), ['o0', 'o1'])
  assert.deepEqual(names({ ...odd, limit: 2 }), ['o1', 'o3'])
  assert.deepEqual(names({ namespace: 'default', limit: 2, after: keys.of('default', 'o5') }), ['o6', 'o7'])
  assert.equal(lists.select({ ...odd, limit: 2 }, 1).remaining, undefined)
  assert.equal(lists.select({ namespace: 'default', limit: 2 }, 1).remaining, 8)
})
