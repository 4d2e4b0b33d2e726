import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Slices } from '../../../../core/common/slices.ts'
import type { Codec } from '../../../../core/objects/storage/codec.ts'
import { createKeys } from '../../../../core/objects/storage/keys.ts'
import { unobserved } from '../../../../core/objects/storage/metrics.ts'
import { StoredObject } from '../../../../core/objects/storage/stored-object.ts'
import { CachedLists } from '../../../../core/objects/watch/cached-lists.ts'
import type { FeedList, FeedQuery } from '../../../../core/objects/watch/feed.ts'
import { SortedEntries } from '../../../../core/objects/watch/sorted-entries.ts'

const keys = createKeys('/registry', 'configmaps', true)
const entryOf = (name: string) => new StoredObject(keys.of('default', name), 1, new Uint8Array(), {} as Codec)

function tenEntries() {
  const entries = new SortedEntries()
  for (let i = 0; i < 10; i++) entries.set(entryOf(`o${i}`))
  return { entries, lists: new CachedLists(entries, keys, true, unobserved().cache) }
}

test('the encoded list, or its first page, is reused until something changes', () => {
  const { entries, lists } = tenEntries()
  for (const query of [{ namespace: 'default' }, { namespace: 'default', limit: 3 }]) {
    const first = lists.select(query, 10) as FeedList
    const again = lists.select(query, 11) as FeedList
    assert.ok(first.kept, 'worth keeping')
    assert.equal(again.kept, first.kept)
    assert.deepEqual([again.revision, again.next], [11, first.next])
    entries.set(entryOf(`p${query.limit}`))
    lists.forget()
    assert.notEqual((lists.select(query, 12) as FeedList).kept, first.kept)
  }
})

test('pages with other limits, selectors or start keys are not confused', () => {
  const { lists } = tenEntries()
  const odd = { namespace: 'default', matches: ({ key }: StoredObject) => /[13579]$/.test(key), selector: 'odd' }
  const at = (query: FeedQuery) => lists.select(query, 1) as FeedList
  const names = (query: FeedQuery) => at(query).entries.map(({ key }) => key.slice(-2))
  assert.deepEqual(names({ namespace: 'default', limit: 2 }), ['o0', 'o1'])
  assert.deepEqual(names({ namespace: 'default', limit: 3 }), ['o0', 'o1', 'o2'])
  assert.deepEqual(names({ namespace: 'default', limit: 4 }), ['o0', 'o1', 'o2', 'o3'])
  assert.deepEqual(names({ namespace: 'default', limit: 2 }), ['o0', 'o1'])
  assert.deepEqual(names({ ...odd, limit: 2 }), ['o1', 'o3'])
  assert.deepEqual(names({ namespace: 'default', limit: 2, from: 'o5\0' }), ['o6', 'o7'])
  assert.equal(at({ ...odd, limit: 2 }).remaining, undefined)
  assert.equal(at({ namespace: 'default', limit: 2 }).remaining, 8)
  const behind = (name: string, limit: number) => {
    const { entries, next, remaining } = at({ namespace: 'default', limit, from: `${name}\0` })
    return [entries.length, next?.slice(-3), remaining]
  }
  assert.deepEqual(behind('o5', 2), [2, 'o7\0', 2])
  assert.deepEqual(behind('o5', 4), [4, undefined, undefined])
  assert.deepEqual(behind('o5', 5), [4, undefined, undefined])
  assert.deepEqual(behind('o9', 5), [0, undefined, undefined])
})

test('selectors are evaluated in slices; changes in between are neither shown nor cached', async () => {
  const entries = new SortedEntries()
  for (let i = 0; i < 500; i++) entries.set(entryOf(`o${String(i).padStart(3, '0')}`))
  const lists = new CachedLists(entries, keys, true, unobserved().cache)
  let asked = 0
  let pauses = 0
  const matches = ({ key }: StoredObject) => ++asked > 0 && /[05]$/.test(key)
  const slices = {
    get over() {
      return asked % 50 === 49
    },
    async next() {
      asked++
      if (++pauses > 1) return
      entries.set(entryOf('o005a5'))
      entries.delete(keys.of('default', 'o495'))
      lists.forget()
    },
  } as unknown as Slices
  const query = { namespace: 'default', matches, selector: 'fives', slices }
  const first = await lists.select(query, 10)
  assert.ok(pauses > 5, `${pauses} pauses`)
  assert.deepEqual([first.entries.length, first.entries.at(-1)?.key.slice(-4)], [100, 'o495'])
  assert.equal(first.kept, undefined)
  const second = await lists.select(query, 11)
  assert.equal(second.entries.length, 100)
  assert.ok(second.entries.some(({ key }) => key.endsWith('o005a5')))
  assert.equal(((await lists.select(query, 12)) as FeedList).kept, second.kept)
})

test('a page of a selection that was found in slices is reused, and no longer list is taken for it', async () => {
  const entries = new SortedEntries()
  for (let i = 0; i < 500; i++) entries.set(entryOf(`o${String(i).padStart(3, '0')}`))
  const lists = new CachedLists(entries, keys, true, unobserved().cache)
  let asked = 0
  const matches = ({ key }: StoredObject) => ++asked > 0 && /[05]$/.test(key)
  const slices = { over: false } as Slices
  const page = async (limit: number) => lists.select({ namespace: 'default', matches, selector: 'fives', slices, limit }, 1)
  const first = await page(3)
  const compared = asked
  assert.ok(compared < 20, `${compared} objects were compared for 3`)
  assert.equal((await page(3)).kept, first.kept)
  assert.equal(asked, compared)
  assert.equal((await page(4)).entries.length, 4)
  // Fewer than the page may have: that is the whole selection, and serves every page.
  assert.deepEqual([(await page(200)).entries.length, (await page(200)).next], [100, undefined])
  const all = asked
  assert.deepEqual([(await page(50)).entries.length, asked], [50, all])
})
