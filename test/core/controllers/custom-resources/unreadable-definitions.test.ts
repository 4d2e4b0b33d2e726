/** A definition that looks odd, or can't be read, does not stop the others, and readiness names it. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { KeyValueStore } from '../../../../core/ports.ts'
import { memoryStore } from '../../../../runtimes/web/index.ts'
import { define, definitionOf, definitionsPath, isGone, versionOf, widget } from '../../../conformance/definitions.ts'
import type { Api } from '../../../support/api.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { eventually } from '../../../support/wait.ts'

const open = async (t: TestContext, store: KeyValueStore, watchCache: boolean) => (await startInProcess({ store, watchCache }, t)).api

/** Establishes a definition, uses it, and deletes it again. */
async function works(api: Api, group: string): Promise<void> {
  await define(api, definitionOf(group, { names: { plural: 'widgets', kind: 'Widget' } }))
  await api.create(`/apis/${group}/v1/namespaces/default/widgets`, widget(group, 'a'))
  await api.delete(`${definitionsPath}/widgets.${group}`)
  await isGone(api, `${definitionsPath}/widgets.${group}`)
}

const readiness = async (api: Api) => (await api.send<string>('GET', '/readyz/custom-resource-definitions')).status

for (const watchCache of [true, false]) {
  const how = watchCache ? '' : ' (without watch cache)'

  test(`labels and annotations named as parts of a definition${how}`, async (t) => {
    const store = memoryStore()
    const api = await open(t, store, watchCache)
    await define(api, definitionOf('odd.example.com'))
    const odd = Object.fromEntries(['openAPIV3Schema', 'schema', 'spec', 'versions', 'managedFields', 'labels'].map((name) => [name, 'x']))
    const annotations = { ...odd, text: '"openAPIV3Schema":{"a":[', 'last-applied': JSON.stringify(versionOf('v1')) }
    const path = `${definitionsPath}/widgets.odd.example.com`
    assert.equal((await api.patch(path, { metadata: { labels: odd, annotations } })).status, 200)
    await works(api, 'first.example.com')
    const after = await open(t, store, watchCache)
    assert.equal((await after.get('/apis/odd.example.com/v1/widgets')).status, 200)
    assert.equal(await readiness(after), 200)
    await works(after, 'second.example.com')
  })

  test(`a stored definition that is no JSON${how}`, async (t) => {
    const store = memoryStore()
    const api = await open(t, store, watchCache)
    await define(api, definitionOf('good.example.com'))
    const { items } = await store.list({ prefix: '/' })
    const { key } = items.find((each) => each.key.endsWith('widgets.good.example.com')) ?? assert.fail()
    const bad = key.replace('good', 'bad')
    assert.ok((await store.put(bad, new TextEncoder().encode('{"kind":'), 0)).ok)

    const served = async (from: Api) => (await from.get('/apis/good.example.com/v1/widgets')).status === 200
    await eventually('readiness fails', async () => (await readiness(api)) !== 200)
    assert.ok(await served(api), 'definitions that were served before still are')
    const after = await open(t, store, watchCache)
    assert.ok(await served(after), 'the others are served after a restart')
    assert.notEqual(await readiness(after), 200)
    const late = { ...definitionOf('late.example.com') }
    assert.equal((await after.send('POST', definitionsPath, late)).status, 201)
    await eventually('a new definition is served', async () => (await after.get('/apis/late.example.com/v1/widgets')).status === 200)

    assert.ok((await store.delete(bad, (await store.get(bad)).kv?.modRevision ?? 0)).ok)
    for (const each of [api, after]) await eventually('readiness recovers', async () => (await readiness(each)) === 200)
    await works(after, 'next.example.com')
  })
}
