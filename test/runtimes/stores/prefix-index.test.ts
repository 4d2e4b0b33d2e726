/** Which prefixes a key has, of those in an index. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoreEvent } from '../../../core/ports.ts'
import { PrefixIndex } from '../../../runtimes/stores/prefix-index.ts'

const put = (key: string): StoreEvent => ({
  type: 'put',
  kv: { key, value: new Uint8Array(0), createRevision: 1, modRevision: 1 },
})

const selected = (index: PrefixIndex<string>, ...keys: string[]) =>
  index
    .select(keys.map(put))
    .flatMap(([items, events]) =>
      items.map((item) => `${item}: ${events.map((event) => (event.type === 'put' ? event.kv.key : '')).join(' ')}`),
    )
    .sort()

test('items get the events of keys with their prefix, whatever it ends with', () => {
  const index = new PrefixIndex<string>()
  for (const prefix of ['', '/a/', '/b/', '/a/b', '/a/c', '/a/b/c', '/ab']) index.add(prefix, `<${prefix}>`)
  index.add('/a/', 'second')
  assert.deepEqual(selected(index, '/a/b/c', '/a/b', '/b/x', '/a'), [
    '</a/>: /a/b/c /a/b',
    '</a/b/c>: /a/b/c',
    '</a/b>: /a/b/c /a/b',
    '</b/>: /b/x',
    '<>: /a/b/c /a/b /b/x /a',
    'second: /a/b/c /a/b',
  ])
  index.delete('/a/b', '</a/b>')
  index.delete('', '<>')
  index.delete('/a/', '</a/>')
  assert.deepEqual(selected(index, '/a/b/c', '/a/c'), ['</a/b/c>: /a/b/c', '</a/c>: /a/c', 'second: /a/b/c /a/c'])
  assert.deepEqual(selected(index, ''), [])
})
