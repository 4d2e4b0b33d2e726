/** Watches that select a field's value get the changes of objects that have it, had it or lose it, and cost other changes nothing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoredObject } from '../../../../core/objects/storage/stored-object.ts'
import { Audience } from '../../../../core/objects/watch/audience.ts'
import { Change, eventTypeOf } from '../../../../core/objects/watch/change.ts'
import type { RequiredValue, Subscriber } from '../../../../core/objects/watch/feed.ts'
import { fieldReader } from '../../../../core/request/field-selector.ts'
import { pods } from '../../../../core/resources/core/pod.ts'
import { randomNumbers } from '../../../support/random.ts'
import { readWatch } from '../../../support/watch-reader.ts'
import { start } from '../../controllers/support.ts'

const read = fieldReader('spec.nodeName', pods)
const onNode = (value: string): RequiredValue => ({
  key: 'field spec.nodeName',
  value,
  read: (each) => each.field('spec.nodeName', read),
})

/** An object's content at a revision, as far as an audience reads it. */
function entry(key: string, revision: number, node: string) {
  const counted = {
    key,
    revision,
    size: 1,
    reads: 0,
    field() {
      counted.reads++
      return node
    },
  }
  return counted
}
const change = (now: object, before: object | undefined, deleted = false) =>
  new Change(now as StoredObject, before as StoredObject | undefined, deleted)

function recorder(): Subscriber & { readonly changesSeen: Change[]; calls: number } {
  const seen: Change[] = []
  return {
    changesSeen: seen,
    calls: 0,
    changes(changes) {
      this.calls++
      seen.push(...changes)
    },
    progress() {},
    end() {},
  }
}

test('a watcher with a term sees the same events as one without, and is called for no others', () => {
  const random = randomNumbers(41)
  const nodes = ['', 'a', 'b', 'c']
  const audience = new Audience()
  const everything = recorder()
  audience.add(everything)
  const narrow = nodes.map((node) => ({ node, subscriber: recorder() }))
  for (const { node, subscriber } of narrow) audience.add(subscriber, onNode(node))
  const objects = new Map<string, ReturnType<typeof entry>>()
  let revision = 0
  for (let round = 0; round < 300; round++) {
    const batch = Array.from({ length: 1 + random.integer(4) }, () => {
      const key = `pod-${random.integer(12)}`
      const before = objects.get(key)
      revision++
      if (before && random.chance(0.3)) {
        objects.delete(key)
        return change(entry(key, revision, before.field()), before, true)
      }
      const now = entry(key, revision, random.pick(nodes))
      objects.set(key, now)
      return change(now, before)
    })
    audience.changes(batch)
  }
  for (const { node, subscriber } of narrow) {
    const matches = (each: StoredObject) => each.field('spec.nodeName', read) === node
    const told = (changes: readonly Change[]) =>
      changes.flatMap((each) => {
        const type = eventTypeOf(each, matches)
        return type === undefined ? [] : [`${type} ${each.revision}`]
      })
    assert.deepEqual(told(subscriber.changesSeen), told(everything.changesSeen))
    assert.equal(told(subscriber.changesSeen).length, subscriber.changesSeen.length)
  }
  for (const { node, subscriber } of narrow) audience.delete(subscriber, onNode(node))
  assert.deepEqual([...audience.members()], [everything])
  audience.delete(everything)
  assert.ok(audience.isEmpty)
})

test('a change reads the field once or twice and calls no watcher of another value, however many they are', () => {
  const audience = new Audience()
  const others = Array.from({ length: 5_000 }, (_, index) => ({ term: onNode(`node-${index}`), subscriber: recorder() }))
  for (const { term, subscriber } of others) audience.add(subscriber, term)
  const [before, now] = [entry('pod', 1, 'node-7'), entry('pod', 2, 'node-7')]
  audience.changes([change(now, before)])
  assert.equal(before.reads + now.reads, 2)
  assert.deepEqual(
    others.filter(({ subscriber }) => subscriber.calls > 0).map(({ term }) => term.value),
    ['node-7'],
  )
})

test('a node agent sees its pods when they are bound, changed and deleted', async (t) => {
  const server = await start(t, { controllers: [] })
  const path = '/api/v1/namespaces/default/pods'
  const open = async (node: string) => {
    const response = await server.fetch(
      `/api/v1/pods?watch=1&fieldSelector=spec.nodeName%3D${node}&resourceVersion=1&allowWatchBookmarks=true`,
    )
    const reader = readWatch(response.body!, () => {}, node)
    t.after(() => reader.close())
    return reader
  }
  await server.create('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } })
  const [own, other, unbound] = [await open('own'), await open('other'), await open('')]
  await server.create(path, { metadata: { name: 'one' }, spec: { containers: [{ name: 'c', image: 'i' }] } })
  await server.create(`${path}/one/binding`, { metadata: { name: 'one' }, target: { kind: 'Node', name: 'own' } })
  await server.create(path, { metadata: { name: 'two' }, spec: { nodeName: 'other', containers: [{ name: 'c', image: 'i' }] } })
  await server.patch(`${path}/one`, { metadata: { labels: { a: 'b' } } })
  await server.delete(`${path}/one`, { gracePeriodSeconds: 0 })
  const take = async (reader: Awaited<ReturnType<typeof open>>, count: number) => {
    const events: string[] = []
    for (let n = 0; n < count; n++) {
      const { type, object } = await reader.object()
      events.push(`${type} ${object.metadata.name}`)
    }
    return events
  }
  assert.deepEqual(await take(unbound, 2), ['ADDED one', 'DELETED one'])
  // The second change marks it for deletion.
  assert.deepEqual(await take(own, 4), ['ADDED one', 'MODIFIED one', 'MODIFIED one', 'DELETED one'])
  assert.deepEqual(await take(other, 1), ['ADDED two'])
})

test('a watch by a label or any other field sees objects come, change and leave', async (t) => {
  const server = await start(t, { controllers: [] })
  const path = '/api/v1/namespaces/default/secrets'
  const open = async (selector: string) => {
    const response = await server.fetch(`/api/v1/secrets?watch=1&${selector}&resourceVersion=1`)
    const reader = readWatch(response.body!, () => {}, selector)
    t.after(() => reader.close())
    return reader
  }
  const [web, both, opaque, last] = [
    await open('labelSelector=app%3Dweb'),
    await open('labelSelector=app+in+(web),tier!%3Dback'),
    await open('fieldSelector=type%3Dexample.com/a'),
    await open('labelSelector=app%3Dlast'),
  ]
  const secret = (name: string, labels: object, type = 'Opaque') => ({ metadata: { name, labels }, type })
  await server.create(path, secret('one', { app: 'web' }))
  await server.create(path, secret('two', { constructor: 'web' }, 'example.com/a'))
  await server.patch(`${path}/one`, { metadata: { labels: { tier: 'back' } } })
  await server.patch(`${path}/one`, { metadata: { labels: { app: null } } })
  await server.patch(`${path}/two`, { metadata: { labels: { app: 'web' } } })
  await server.delete(`${path}/two`)
  await server.create(path, secret('end', { app: 'last' }))
  await last.next()
  const seen = async (reader: Awaited<ReturnType<typeof open>>, count: number) => {
    const events: string[] = []
    for (let n = 0; n < count; n++) {
      const { type, object } = await reader.object()
      events.push(`${type} ${object.metadata.name}`)
    }
    return events
  }
  assert.deepEqual(await seen(web, 5), ['ADDED one', 'MODIFIED one', 'DELETED one', 'ADDED two', 'DELETED two'])
  assert.deepEqual(await seen(both, 4), ['ADDED one', 'DELETED one', 'ADDED two', 'DELETED two'])
  assert.deepEqual(await seen(opaque, 3), ['ADDED two', 'MODIFIED two', 'DELETED two'])
})
