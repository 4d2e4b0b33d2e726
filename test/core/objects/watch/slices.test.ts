/** Long work before a list is answered yields to other requests: the first read of a resource, and conversion of its objects. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiServer } from '../../../../core/server.ts'
import { memoryStore } from '../../../../runtimes/stores/memory.ts'
import { webClock } from '../../../../runtimes/web/ports.ts'
import { definitionsPath, smallDefinition } from '../../../conformance/definitions.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { eventually } from '../../../support/wait.ts'

const count = 300

/** A clock that counts pauses; while `hasty`, every slice is over at once. */
function countingClock() {
  let ahead = 0
  const clock = {
    ...webClock,
    pauses: 0,
    hasty: false,
    monotonic() {
      if (clock.hasty) ahead += 10
      return webClock.monotonic() + ahead
    },
    async pause() {
      clock.pauses++
    },
  }
  return clock
}

const json = { 'content-type': 'application/json' }
async function ask(server: ApiServer, method: string, path: string, body?: object) {
  const init = body === undefined ? { method } : { method, headers: json, body: JSON.stringify(body) }
  const response = await server.fetch(new Request(`http://server${path}`, init))
  const answer = (await response.json()) as {
    items?: { apiVersion: string; spec: object }[]
    status?: { conditions?: { type: string; status: string }[] }
  }
  assert.ok(response.ok, JSON.stringify(answer))
  return answer
}

/** Number of pauses during a list. */
async function pausesOf(clock: ReturnType<typeof countingClock>, list: () => Promise<{ items?: object[] }>): Promise<number> {
  const before = clock.pauses
  clock.hasty = true
  const { items } = await list()
  clock.hasty = false
  assert.equal(items?.length, count)
  return clock.pauses - before
}

test('the first list of a resource reads it in slices', async () => {
  const store = memoryStore()
  const path = '/api/v1/namespaces/default/configmaps'
  const { server: before } = await startInProcess({ store })
  for (let n = 0; n < count; n++) await ask(before, 'POST', path, { metadata: { name: `a${n}` } })
  await before.close()
  const clock = countingClock()
  const { server } = await startInProcess({ store, clock })
  const first = await pausesOf(clock, () => ask(server, 'GET', path))
  const second = await pausesOf(clock, () => ask(server, 'GET', path))
  assert.ok(first >= count && second < count, `${first} pauses, then ${second}`)
  await server.close()
})

test('a list in another version is converted and selected in slices', async () => {
  const clock = countingClock()
  const { server } = await startInProcess({ clock })
  const openAPIV3Schema = {
    type: 'object',
    properties: { spec: { type: 'object', properties: { size: { type: 'integer', default: 3 } } } },
  }
  await ask(server, 'POST', definitionsPath, smallDefinition('example.com', 'Widget', { versions: ['v1', 'v2'], openAPIV3Schema }))
  const pathOf = (name: string) => `/apis/example.com/${name}/namespaces/default/widgets`
  await eventually('the definition is established', async () => {
    const { status } = await ask(server, 'GET', `${definitionsPath}/widgets.example.com`)
    return status?.conditions?.some((each) => each.type === 'Established' && each.status === 'True')
  })
  for (let n = 0; n < count; n++)
    await ask(server, 'POST', pathOf('v1'), {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: `a${n}`, labels: { a: 'b' } },
      spec: {},
    })
  await ask(server, 'GET', pathOf('v1'))
  const first = await pausesOf(clock, () => ask(server, 'GET', pathOf('v2')))
  const again = await pausesOf(clock, () => ask(server, 'GET', pathOf('v2')))
  // Two pauses per object: before and after its conversion.
  assert.ok(first >= 2 * count && again < count, `${first} pauses, then ${again}`)
  const selected = await pausesOf(clock, () => ask(server, 'GET', `${pathOf('v2')}?labelSelector=a%3Db`))
  assert.ok(selected >= count, `${selected} pauses with a selector`)
  const { items } = await ask(server, 'GET', `${pathOf('v2')}?limit=1`)
  assert.deepEqual(
    items?.map(({ apiVersion, spec }) => ({ apiVersion, spec })),
    [{ apiVersion: 'example.com/v2', spec: { size: 3 } }],
  )
  await server.close()
})

test('an index is made in slices, once; a page of selected objects stops where it is full', async () => {
  const store = memoryStore()
  const pods = '/api/v1/namespaces/default/pods'
  const { server: filling } = await startInProcess({ admissionPlugins: { disable: ['ServiceAccount'] }, store })
  const spec = { containers: [{ name: 'c', image: 'i' }], nodeName: 'full' }
  for (let n = 0; n < count; n++) await ask(filling, 'POST', pods, { metadata: { name: `p${n}`, labels: { a: 'b' } }, spec })
  await filling.close()
  const clock = countingClock()
  const { server } = await startInProcess({ admissionPlugins: { disable: ['ServiceAccount'] }, store, clock })
  await ask(server, 'GET', pods)
  const pauses = async (query: string, found: number) => {
    const before = clock.pauses
    clock.hasty = true
    const { items } = await ask(server, 'GET', `${pods}?${query}`)
    clock.hasty = false
    assert.equal(items?.length, found, query)
    return clock.pauses - before
  }
  const onNode = (node: string) => `fieldSelector=spec.nodeName%3D${node}`
  const [one, other] = await Promise.all([onNode('empty'), onNode('empty')].map((query) => ask(server, 'GET', `${pods}?${query}`)))
  assert.deepEqual([one?.items, other?.items], [[], []])
  assert.ok((await pauses('fieldSelector=status.phase%3DPending', count)) >= count, 'all objects are looked at')
  assert.ok((await pauses('labelSelector=a%3Db&limit=1', 1)) < 10, 'a page')
  assert.ok((await pauses(onNode('empty'), 0)) < 10, 'the index is there')
  await server.close()

  const { server: later } = await startInProcess({ admissionPlugins: { disable: ['ServiceAccount'] }, store, clock })
  await ask(later, 'GET', pods)
  const before = clock.pauses
  clock.hasty = true
  await ask(later, 'GET', `${pods}?${onNode('empty')}`)
  clock.hasty = false
  assert.ok(clock.pauses - before >= count, `${clock.pauses - before} pauses for the index`)
  await later.close()
})
