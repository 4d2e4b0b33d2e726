import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DiscoveredGroup } from '../../../core/meta/aggregated-discovery.ts'
import { mergedOrder, mergeServers } from '../../../core/meta/merge-servers.ts'

test('names are in an order that every list agrees with', () => {
  const rows: readonly (readonly [lists: string, merged: string])[] = [
    ['', ''],
    ['abc', 'abc'],
    ['abc bc', 'abc'],
    ['ac bc', 'abc'],
    ['cb ab', 'acb'],
    ['zy zxy', 'zxy'],
    ['dcba dxa', 'dcbxa'],
    // A list with all names counts, whatever the others say.
    ['ab ba', 'ab'],
    // They contradict each other, and none is complete.
    ['bac cbd', 'abcd'],
  ]
  for (const [lists, merged] of rows) {
    const named = lists.split(' ').map((list) => [...list])
    assert.equal(mergedOrder(named).join(''), merged, lists)
  }
})

test('a long list is merged in time', () => {
  const names = Array.from({ length: 20_000 }, (_, index) => `n${String(index).padStart(5, '0')}`)
  const halves = [names.filter((_, index) => index % 2 === 0), names.filter((_, index) => index % 2 === 1)]
  assert.deepEqual(mergedOrder(halves), names)
})

test('the order of the servers is that of their names, not of the map', () => {
  const group = (...versions: string[]) => [{ metadata: { name: 'g' }, versions: versions.map((version) => ({ version })) }]
  const merged = mergeServers(
    new Map([
      ['b', group('v2', 'v1')],
      ['a', group('v1', 'v2')],
    ]),
  )
  assert.deepEqual(merged, group('v1', 'v2'))
})

test('verbs and subresources of both servers are listed, also of one that has none', () => {
  const group = (verbs: unknown, ...subresources: string[]) => {
    const resource = {
      resource: 'r',
      scope: 'Cluster',
      singularResource: '',
      verbs,
      subresources: subresources.map((name) => ({ subresource: name, verbs: [] })),
    }
    return [{ metadata: { name: 'g' }, versions: [{ version: 'v1', resources: [resource] }] }] as unknown as DiscoveredGroup[]
  }
  const of = (...servers: DiscoveredGroup[][]) => mergeServers(new Map(servers.map((groups, index) => [String(index), groups])))
  assert.deepEqual(
    of(group(['list', 'get'], 'status'), group(['get', 'create'], 'scale')),
    group(['create', 'get', 'list'], 'scale', 'status'),
  )
  assert.deepEqual(of(group(null), group(['get'])), group(['get']))
  // Equal ones stay as they are.
  assert.deepEqual(of(group(['list', 'get'], 'b', 'a'), group(['list', 'get'], 'b', 'a')), group(['list', 'get'], 'b', 'a'))
})
