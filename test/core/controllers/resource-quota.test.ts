/** Usage of quotas that exist before their objects are counted, or whose objects go. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Clock, KeyValueStore } from '../../../core/ports.ts'
import { memoryStore } from '../../../runtimes/web/index.ts'
import { webClock } from '../../../runtimes/web/ports.ts'
import { define, definitionOf, definitionsPath, stored, versionOf, widget } from '../../conformance/custom-resources.ts'
import { startInProcess } from '../../support/in-process.ts'
import { eventually } from '../../support/wait.ts'

const quotas = '/api/v1/namespaces/default/resourcequotas'
const configMaps = '/api/v1/namespaces/default/configmaps'
const secrets = '/api/v1/namespaces/default/secrets'
const count = 300

const quota = (name: string, hard: object, scopes?: readonly string[]) => ({
  metadata: { name },
  spec: { hard, ...(scopes && { scopes }) },
})

/** Advances with each reading, so that every time slice ends soon; `pauses` counts their ends. */
function hastyClock(): Clock & { pauses: number } {
  let now = 0
  return {
    ...webClock,
    pauses: 0,
    monotonic: () => webClock.monotonic() + now++,
    pause() {
      this.pauses++
      return new Promise((resolve) => void setImmediate(resolve))
    },
  }
}

/** An in-memory store, and a promise of the first value that contains a text. */
function storeWaitingFor(text: string) {
  const store = memoryStore()
  let found = () => {}
  const written = new Promise<void>((resolve) => {
    found = resolve
  })
  const put: KeyValueStore['put'] = (key, value, ...rest) => {
    if (new TextDecoder().decode(value).includes(text)) found()
    return store.put(key, value, ...rest)
  }
  return { store: { ...store, put }, written }
}

test('counting the objects of a namespace yields to requests', async (t) => {
  const { store, written } = storeWaitingFor(`"used":{"configmaps":"${count}"}`)
  const clock = hastyClock()
  const { api } = await startInProcess({ controllers: ['resourcequota'], store, clock }, t)
  for (let index = 0; index < count; index++) await api.create(configMaps, { metadata: { name: `c${index}` } })
  // Fills the cache, which yields by itself.
  await api.list(configMaps)
  const before = clock.pauses
  await api.create(quotas, quota('all', { configmaps: '1k' }))
  await written
  assert.ok(clock.pauses - before > count / 10, `${clock.pauses - before} pauses`)
})

test('each quota of a namespace is counted, and again when objects are deleted', async (t) => {
  const { api } = await startInProcess({ controllers: ['resourcequota'] }, t)
  for (const name of ['c0', 'c1', 'c2']) await api.create(configMaps, { metadata: { name } })
  await api.create(secrets, { metadata: { name: 'one' } })
  const wanted: readonly (readonly [ReturnType<typeof quota>, used: object])[] = [
    [quota('first', { configmaps: '1k' }), { configmaps: '3' }],
    [quota('equal', { configmaps: '1k' }), { configmaps: '3' }],
    [quota('both', { configmaps: '1k', secrets: '5' }), { configmaps: '3', secrets: '1' }],
    [quota('scoped', { pods: '5' }, ['Terminating']), { pods: '0' }],
  ]
  for (const [given] of wanted) await api.create(quotas, given)
  const used = async () => (await api.list(quotas)).items.map(({ metadata, status }) => [metadata.name, status?.['used']])
  const expected = wanted.map(([{ metadata }, amounts]) => [metadata.name, amounts]).toSorted()
  await eventually('all are counted', async () => JSON.stringify(await used()) === JSON.stringify(expected))
  await api.delete(`${configMaps}/c0`)
  await api.delete(`${secrets}/one`)
  const after = { first: '2', both: '0' }
  await eventually('what is deleted is not counted any more', async () => {
    const found = new Map((await api.list(quotas)).items.map(({ metadata, status }) => [metadata.name, status?.['used'] as never]))
    const { first, both } = { first: found.get('first')?.['configmaps'], both: found.get('both')?.['secrets'] }
    return first === after.first && both === after.both
  })
})

/** A clock on which no lost watch is started again: those who follow a resource must notice themselves that it was replaced. */
const withoutRetries: Clock = {
  ...webClock,
  after: (milliseconds, callback) => (milliseconds === 1_000 ? () => {} : webClock.after(milliseconds, callback)),
}

test('custom resources are counted after changes of their definition', async (t) => {
  const { api } = await startInProcess({ controllers: ['resourcequota'], clock: withoutRetries }, t)
  const group = 'counted.example.com'
  const definition = `${definitionsPath}/widgets.${group}`
  const widgets = `/apis/${group}/v1/namespaces/default/widgets`
  const becomes = (count: string) =>
    eventually(`the usage is ${count}`, async () => {
      const { status } = (await api.get(`${quotas}/widgets`)).body
      return JSON.stringify(status?.['used']) === JSON.stringify({ [`count/widgets.${group}`]: count })
    })
  const add = (name: string) => api.create(widgets, widget(group, name))

  await define(api, definitionOf(group))
  await api.create(quotas, quota('widgets', { [`count/widgets.${group}`]: '9' }))
  await becomes('0')
  for (const name of ['a', 'b', 'c']) await add(name)
  await becomes('3')

  await api.patch(definition, { spec: { versions: [stored, versionOf('v2')] } })
  await eventually('v2 is served', async () => (await api.get(`/apis/${group}/v2/widgets`)).status === 200)
  await api.delete(`${widgets}/a`)
  await becomes('2')

  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  await api.patch(definition, { spec: { versions: [{ ...stored, schema: { openAPIV3Schema } }] } })
  await eventually('v2 is not served', async () => (await api.get(`/apis/${group}/v2/widgets`)).status === 404)
  await api.delete(`${widgets}/b`)
  await becomes('1')

  await api.delete(definition)
  await eventually('the definition is gone', async () => (await api.get(definition)).status === 404)
  await becomes('0')
  await define(api, definitionOf(group))
  for (const name of ['a', 'b']) await add(name)
  await becomes('2')
  await api.delete(`${widgets}/a`)
  await becomes('1')
})
