/** Custom resources on several servers with one store, and on a restarted server. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { KeyValueStore } from '../../../../core/ports.ts'
import { memoryStore } from '../../../../runtimes/web/index.ts'
import {
  condition,
  define,
  definitionOf,
  definitionsPath,
  reached,
  readDefinition,
  stored,
  versionOf,
  widget,
} from '../../../conformance/custom-resources.ts'
import type { Api } from '../../../support/api.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { eventually } from '../../../support/wait.ts'
import { watchAt } from '../../../support/watch-reader.ts'

const group = 'cluster.example.com'
const widgets = `/apis/${group}/v1/namespaces/default/widgets`

async function open(
  t: TestContext,
  store: KeyValueStore,
  options: { watchCache?: boolean; controllers?: string[] } = {},
): Promise<Api & { close(): Promise<void> }> {
  const { api, close } = await startInProcess({ store, ...options }, t)
  return { ...api, close }
}

for (const watchCache of [true, false]) {
  test(`a definition established on one server is served by the other, ${watchCache ? 'with' : 'without'} watch cache`, async (t) => {
    const store = memoryStore()
    const [one, other] = [await open(t, store, { watchCache }), await open(t, store, { watchCache })]
    await one.create(definitionsPath, definitionOf(group))
    await reached(other, `widgets.${group}`, (found) => condition(found, 'Established')?.[0] === 'True')
    if (watchCache) assert.equal((await other.get(widgets)).status, 200)
    await eventually('both serve it', async () =>
      (await Promise.all([one, other].map(({ get }) => get(widgets)))).every(({ status }) => status === 200),
    )
    const { metadata } = await other.create(widgets, widget(group, 'a'))
    assert.equal((await one.get(`${widgets}/a`)).body.metadata.uid, metadata.uid)
    const watch = await watchAt(one.fetch, widgets)
    await other.delete(`${definitionsPath}/widgets.${group}`)
    const seen = await watch.rest()
    assert.deepEqual([seen.at(0)?.type, seen.at(-1)?.type], ['ADDED', 'DELETED'])
    for (const { get } of [one, other]) await eventually('it is gone', async () => (await get(widgets)).status === 404)
  })
}

test('of two concurrent definitions with the same names, one gets the names', async (t) => {
  const store = memoryStore()
  const servers = [await open(t, store), await open(t, store)] as const
  const kinds = ['ones', 'twos']
  await Promise.all(
    kinds.map((plural, index) =>
      servers[index as 0 | 1].create(
        definitionsPath,
        definitionOf(group, { names: { plural, kind: 'Same', singular: plural.slice(0, -1) } }, plural),
      ),
    ),
  )
  const settled = await eventually('both are decided on', async () => {
    const found = await Promise.all(kinds.map((plural) => readDefinition(servers[0], `${plural}.${group}`)))
    return found.every((each) => condition(each, 'NamesAccepted') !== undefined) && found
  })
  const winners = settled.filter((each) => condition(each, 'NamesAccepted')?.[0] === 'True')
  const losers = settled.filter((each) => condition(each, 'NamesAccepted')?.[0] === 'False')
  assert.deepEqual([winners.length, losers.length], [1, 1])
  assert.match(condition(losers[0]!, 'NamesAccepted')?.join() ?? '', /^False,(Kind|ListKind)Conflict,"Same(List)?" is already in use$/)
})

test('a restarted server serves existing custom resources from its first response on, and continues pending deletions', async (t) => {
  const store = memoryStore()
  const first = await open(t, store)
  await define(first, definitionOf(group, { versions: [{ ...stored, served: false }, versionOf('v2')] }))
  await define(first, definitionOf('other.example.com'))
  const second = `/apis/${group}/v2/namespaces/default/widgets`
  await first.create(second, {
    ...widget(group, 'held', { size: 'small' }, { finalizers: ['example.com/hold'] }),
    apiVersion: `${group}/v2`,
  })
  const others = '/apis/other.example.com/v1/namespaces/default/widgets'
  const { apiVersion, kind, metadata } = await first.create(others, widget('other.example.com', 'owner'))
  const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid }]
  const configMaps = '/api/v1/namespaces/default/configmaps'
  await first.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'dependent', ownerReferences } })
  await first.close()
  const idle = await open(t, store, { controllers: [] })
  assert.equal((await idle.get(`${second}/held`)).status, 200)
  assert.equal((await idle.get(widgets)).status, 404)
  await idle.delete(`${others}/owner`)
  await idle.delete(`${definitionsPath}/widgets.${group}`)
  await eventually('deletion has begun', async () => (await idle.get(`${second}/held`)).body.metadata.deletionTimestamp !== undefined)
  await idle.close()
  const last = await open(t, store)
  await eventually(
    'the dependents of the deleted owner are deleted',
    async () => (await last.get(`${configMaps}/dependent`)).status === 404,
  )
  await last.patch(`${second}/held`, { metadata: { finalizers: null } })
  await eventually('the definition is deleted', async () => (await last.get(`${definitionsPath}/widgets.${group}`)).status === 404)
})

test('objects in a version that is not served are deleted with their definition', async (t) => {
  const api = await open(t, memoryStore())
  await define(api, definitionOf(group))
  await api.create(widgets, widget(group, 'a'))
  await api.patch(`${definitionsPath}/widgets.${group}`, { spec: { versions: [{ ...stored, served: false }] } })
  await eventually('nothing is served', async () => (await api.get(widgets)).status === 404)
  await api.delete(`${definitionsPath}/widgets.${group}`)
  await eventually('the definition is deleted', async () => (await api.get(`${definitionsPath}/widgets.${group}`)).status === 404)
  await define(api, definitionOf(group))
  assert.deepEqual((await api.list(widgets)).items, [])
})
