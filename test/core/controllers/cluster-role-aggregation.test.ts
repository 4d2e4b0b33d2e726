import { test } from 'node:test'
import type { TestObject } from '../../support/api.ts'
import { start } from './support.ts'

const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
const role = (name: string, resource: string, labels: object = {}) => ({
  kind: 'ClusterRole',
  apiVersion: 'rbac.authorization.k8s.io/v1',
  metadata: { name, labels },
  rules: [{ verbs: ['get'], apiGroups: [''], resources: [resource] }],
})
const resourcesOf = (object: TestObject) =>
  ((object as { rules?: readonly { resources: readonly string[] }[] }).rules ?? []).flatMap(({ resources }) => resources)
const settled =
  (...wanted: string[]) =>
  (object: TestObject) =>
    resourcesOf(object).sort().join() === wanted.join()

test('an aggregated role follows the rules of the selected roles', async (t) => {
  const server = await start(t)
  const part = { 'example.org/part': 'yes' }
  await server.create(roles, role('pods', 'pods', part))
  await server.create(roles, {
    ...role('all', 'nothing'),
    rules: [],
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: part }] },
  })
  const all = `${roles}/all`
  await server.reached(all, settled('pods'))
  await server.create(roles, role('secrets', 'secrets', part))
  await server.create(roles, role('others', 'nodes'))
  await server.reached(all, settled('pods', 'secrets'))
  await server.patch(`${roles}/pods`, { metadata: { labels: { 'example.org/part': null } } })
  await server.reached(all, settled('secrets'))
  await server.remove(`${roles}/secrets`)
  await server.reached(all, settled())
})
