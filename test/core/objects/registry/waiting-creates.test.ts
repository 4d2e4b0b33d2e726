/** Creates that wait, as for a webhook, while their namespace or definition changes: what admission checked holds when the object is stored. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { KeyValueStore } from '../../../../core/ports.ts'
import { memoryStore } from '../../../../runtimes/web/index.ts'
import { define, definitionOf, definitionsPath, isGone, widget } from '../../../conformance/definitions.ts'
import { assertFailure, configMap } from '../../../support/api.ts'
import { startInProcess } from '../../../support/in-process.ts'

const team = '/api/v1/namespaces/team'
const group = 'late.example.com'
const widgets = `/apis/${group}/v1/namespaces/default/widgets`

/** A server whose store holds back writes of keys that end with `/late` until `release` is called; `held` resolves when one waits. */
async function open(t: TestContext, watchCache: boolean) {
  const store = memoryStore()
  let release = () => {}
  let arrived = () => {}
  const held = new Promise<void>((resolve) => {
    arrived = resolve
  })
  const open = new Promise<void>((resolve) => {
    release = resolve
  })
  const slow: KeyValueStore = {
    ...store,
    async put(key, ...args) {
      if (key.endsWith('/late')) {
        arrived()
        await open
      }
      return store.put(key, ...args)
    },
  }
  const { api } = await startInProcess({ store: slow, watchCache }, t)
  const stored = async () => (await store.list({ prefix: '/' })).items.filter(({ key }) => key.endsWith('/late')).length
  return { api, held, release: () => release(), stored }
}

for (const watchCache of [true, false]) {
  const how = watchCache ? '' : ' (without watch cache)'
  const namespace = { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'team' } }

  test(`the namespace goes${how}`, async (t) => {
    const { api, held, release, stored } = await open(t, watchCache)
    await api.create('/api/v1/namespaces', namespace)
    const creating = api.send('POST', `${team}/configmaps`, configMap('late'))
    await held
    await api.delete(team)
    await isGone(api, team)
    release()
    assertFailure(await creating, 404, 'NotFound', 'namespaces "team" not found')
    assert.equal(await stored(), 0)
  })

  test(`the namespace is being deleted${how}`, async (t) => {
    const { api, held, release, stored } = await open(t, watchCache)
    await api.create('/api/v1/namespaces', namespace)
    await api.create(`${team}/configmaps`, configMap('kept', {}, { finalizers: ['example.com/hold'] }))
    const creating = api.send('POST', `${team}/configmaps`, configMap('late'))
    await held
    await api.delete(team)
    release()
    const why = 'configmaps "late" is forbidden: unable to create new content in namespace team because it is being terminated'
    assertFailure(await creating, 403, 'Forbidden', why)
    assert.equal(await stored(), 0)
  })

  test(`the namespace only changes${how}`, async (t) => {
    const { api, held, release } = await open(t, watchCache)
    await api.create('/api/v1/namespaces', namespace)
    const creating = api.send('POST', `${team}/configmaps`, configMap('late'))
    await held
    await api.patch(team, { metadata: { labels: { changed: 'yes' } } })
    release()
    assert.equal((await creating).status, 201)
  })

  for (const next of [false, true])
    test(`the definition goes${next ? ', and the next one of its name comes' : ''}${how}`, async (t) => {
      const { api, held, release, stored } = await open(t, watchCache)
      await define(api, definitionOf(group))
      const creating = api.send('POST', widgets, widget(group, 'late'))
      await held
      await api.delete(`${definitionsPath}/widgets.${group}`)
      await isGone(api, `${definitionsPath}/widgets.${group}`)
      if (next) await define(api, definitionOf(group))
      release()
      assertFailure(await creating, 404, 'NotFound', 'the server could not find the requested resource')
      assert.equal(await stored(), 0)
    })

  test(`the definition only changes${how}`, async (t) => {
    const { api, held, release, stored } = await open(t, watchCache)
    await define(api, definitionOf(group))
    const creating = api.send('POST', widgets, widget(group, 'late'))
    await held
    await api.patch(`${definitionsPath}/widgets.${group}`, { metadata: { labels: { changed: 'yes' } } })
    release()
    assert.equal((await creating).status, 201)
    assert.equal(await stored(), 1)
  })
}
