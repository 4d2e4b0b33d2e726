/** Which registrations a server writes, changes and deletes by itself. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryStore } from '../../../runtimes/web/index.ts'
import { definitionsPath, smallDefinition } from '../../conformance/definitions.ts'
import type { apiOf, TestObject } from '../../support/api.ts'
import { startInProcess } from '../../support/in-process.ts'
import { eventually } from '../../support/wait.ts'

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
  const start = () => startInProcess({ store })
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
  await first.close()

  const second = await start()
  const expected = { 'v1.batch': 17400, 'v1.apps': 17800, 'v1.policy': 5, 'v1.old.example.com': undefined, 'v1.mine.example.com': 7 }
  // It goes beside the requests of a server that is ready.
  await eventually(
    'a registration of a former start is gone',
    async () => (await priorityOf(second.api, 'v1.old.example.com')) === undefined,
  )
  for (const [name, priority] of Object.entries(expected)) assert.equal(await priorityOf(second.api, name), priority, name)
  await second.close()
})

test('/apis lists the groups of registrations by their priorities, which aggregated lists take from other servers only', async () => {
  const { api, close } = await startInProcess()
  interface Group {
    readonly name: string
    readonly versions: readonly { readonly version: string }[]
    readonly preferredVersion: { readonly version: string }
  }
  const aggregated = async () => {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
    const { items } = (await api.get<{ items: { metadata: { name: string } }[] }>('/apis', { accept })).body
    return items.map(({ metadata }) => metadata.name)
  }
  const groups = async () => (await api.get<{ groups: Group[] }>('/apis')).body.groups
  const names = async () => (await groups()).map(({ name }) => name)
  const group = async (name: string) => {
    const { status, body } = await api.get<Group>(`/apis/${name}`)
    return status === 200 ? [body.preferredVersion.version, ...body.versions.map(({ version }) => version)] : status
  }
  const before = await names()
  assert.deepEqual([before[0], before, await group('autoscaling')], ['apiregistration.k8s.io', await aggregated(), ['v2', 'v2', 'v1']])

  // A built-in group at the end, another version preferred, a group without registrations, a version that is not served.
  await api.patch(`${path}/v1.apps`, { spec: { groupPriorityMinimum: 1 } })
  await api.patch(`${path}/v1.autoscaling`, { spec: { versionPriority: 900 } })
  await api.delete(`${path}/v1.batch`)
  const unserved = {
    metadata: { name: 'v9.policy' },
    spec: { group: 'policy', version: 'v9', groupPriorityMinimum: 1, versionPriority: 999 },
  }
  await api.create(path, { kind: 'APIService', apiVersion: 'apiregistration.k8s.io/v1', ...unserved })
  await eventually('the new order', async () => String(await group('policy')).startsWith('v9,') && (await names()).at(-1) === 'apps')
  assert.deepEqual(await names(), [...before.filter((name) => name !== 'apps' && name !== 'batch'), 'apps'])
  assert.deepEqual(await group('autoscaling'), ['v1', 'v1', 'v2'])
  assert.deepEqual([await group('batch'), (await api.get('/apis/batch/v1/jobs')).status], [['v1', 'v1'], 200], 'it is still served')
  assert.deepEqual(
    (await aggregated()).filter((name) => before.includes(name)),
    before,
    'built-in priorities',
  )

  // Groups of the same priority are in the order of the registrations' names.
  await api.create(path, own('b.example.com', 1))
  await api.create(path, {
    ...own('a.example.com', 1),
    metadata: { name: 'v2.a.example.com' },
    spec: { ...own('a.example.com', 1).spec, version: 'v2' },
  })
  await eventually('both', async () => (await names()).includes('a.example.com') && (await names()).includes('b.example.com'))
  assert.deepEqual((await names()).slice(-3), ['apps', 'b.example.com', 'a.example.com'])
  await close()
})

test('what custom resources are registered with is kept all the time', async () => {
  const { api, close } = await startInProcess()
  await api.create(definitionsPath, smallDefinition('example.com', 'Thing', { scope: 'Cluster' }))
  const registered = `${path}/v1.example.com`
  const priority = async () => (await api.get<Stored>(registered)).body.spec?.groupPriorityMinimum
  await eventually('the registration', async () => (await priority()) === 1000)
  const before = (await api.get<Stored>(registered)).body.metadata
  await api.patch(registered, { spec: { groupPriorityMinimum: 5 } })
  await eventually('the old priority', async () => (await priority()) === 1000)
  assert.notEqual((await api.get<Stored>(registered)).body.metadata.resourceVersion, before.resourceVersion)
  await api.delete(registered)
  await eventually('a new registration', async () => ((await api.get<Stored>(registered)).body.metadata?.uid ?? before.uid) !== before.uid)
  await close()
})
