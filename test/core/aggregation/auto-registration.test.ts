/** Which registrations a server writes, changes and deletes by itself. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryStore } from '../../../runtimes/web/index.ts'
import { apiOf, type TestObject } from '../../support/api.ts'
import { startCore } from '../../support/core-server.ts'

const path = '/apis/apiregistration.k8s.io/v1/apiservices'
const label = 'kube-aggregator.kubernetes.io/automanaged'

interface Stored extends TestObject {
  readonly spec: { readonly groupPriorityMinimum: number }
}

const own = (group: string, priority: number, kept?: string) => ({
  kind: 'APIService',
  apiVersion: 'apiregistration.k8s.io/v1',
  metadata: { name: `v1.${group}`, ...(kept !== undefined && { labels: { [label]: kept } }) },
  spec: { group, version: 'v1', groupPriorityMinimum: priority, versionPriority: 1 },
})

test('built-in ones are restored at a start, unless their label says otherwise; others with the label are deleted', async () => {
  const store = memoryStore()
  const start = async () => {
    const server = await startCore({}, { store })
    const api = apiOf((target, init) => server.fetch(new Request(`http://server${target}`, init)))
    return { server, api }
  }
  const priorityOf = async (api: ReturnType<typeof apiOf>, name: string) => {
    const { status, body } = await api.get<Stored>(`${path}/${name}`)
    return status === 404 ? undefined : body.spec.groupPriorityMinimum
  }
  const first = await start()
  const names = (await first.api.list(path)).items.map(({ metadata }) => metadata.name)
  assert.ok(names.includes('v1.') && names.includes('v1.apps') && !names.some((name) => name.endsWith('.apiregistration.k8s.io')))
  await first.api.delete(`${path}/v1.batch`)
  await first.api.patch(`${path}/v1.apps`, { spec: { groupPriorityMinimum: 5 } })
  await first.api.patch(`${path}/v1.policy`, { spec: { groupPriorityMinimum: 5 }, metadata: { labels: { [label]: null } } })
  await first.api.create(path, own('old.example.com', 7, 'onstart'))
  await first.api.create(path, own('mine.example.com', 7))
  assert.deepEqual([await priorityOf(first.api, 'v1.batch'), await priorityOf(first.api, 'v1.apps')], [undefined, 5], 'a change lasts')
  await first.server.close()

  const second = await start()
  const expected = { 'v1.batch': 17400, 'v1.apps': 17800, 'v1.policy': 5, 'v1.old.example.com': undefined, 'v1.mine.example.com': 7 }
  for (const [name, priority] of Object.entries(expected)) assert.equal(await priorityOf(second.api, name), priority, name)
  await second.server.close()
})
