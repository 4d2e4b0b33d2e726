/** The limits of requests in flight hold for calls in the process, too, and each call counts only until it has its answer. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestServer } from '../../../runtimes/testing/index.ts'

const jane = { name: 'jane' }
const binding = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: 'jane' },
  subjects: [{ kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' }],
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
}

test('a user who is no administrator may call again and again', async (t) => {
  const server = await startTestServer({ maxReadOnlyInFlight: 2, maxMutatingInFlight: 2 })
  t.after(() => server.close())
  await server.load(JSON.stringify(binding))
  const maps = server.objects<{ metadata: object; data?: { text?: string } }>('v1', 'ConfigMap', { user: jane })
  // Long lists are streamed.
  const text = 'x'.repeat(900_000)
  for (let at = 0; at < 6; at++) await maps.create({ metadata: { name: `large-${at}` }, data: { text } })
  for (let at = 0; at < 4; at++) {
    await maps.patch('large-0', { metadata: { labels: { at: `${at}` } } })
    await assert.rejects(maps.create({ metadata: { name: 'large-0' } }), { code: 409 })
    await assert.rejects(maps.get('none'), { code: 404 })
    assert.equal((await maps.get('large-1')).data?.text, text)
    assert.equal((await maps.list()).length, 6)
  }
})
