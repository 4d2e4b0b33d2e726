import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSteps } from '../../../core/assembly/start-steps.ts'
import { createApiServer, memoryStore } from '../../../runtimes/web/index.ts'

const none = { rbac: false, clusterAuthentication: false, serviceAccounts: false }

test('every step fails until the start is complete', () => {
  const { hooks, informers, finish } = startSteps(none)
  for (const { check } of [informers, ...hooks]) assert.throws(check, /not finished/)
  finish()
  for (const { check } of [informers, ...hooks]) check()
})

test('disabled parts of the server have no start step', () => {
  const names = (parts: typeof none) => startSteps(parts).hooks.map(({ name }) => name)
  assert.ok(!names(none).includes('poststarthook/rbac/bootstrap-roles'))
  assert.ok(names({ ...none, rbac: true }).includes('poststarthook/rbac/bootstrap-roles'))
})

test('health checks have the names used by kube-apiserver', async () => {
  const server = await createApiServer({ store: memoryStore(), controllers: [], authorizationModes: ['RBAC'] })
  const get = async (path: string) => {
    const response = await server.fetch(new Request(`http://in-process${path}`))
    return [response.status, await response.text()] as const
  }
  const names = ['log', 'poststarthook/rbac/bootstrap-roles', 'poststarthook/scheduling/bootstrap-system-priority-classes']
  for (const endpoint of ['healthz', 'livez', 'readyz']) {
    const [status, text] = await get(`/${endpoint}?verbose`)
    assert.equal(status, 200, text)
    for (const name of names) {
      assert.ok(text.includes(`[+]${name} ok\n`), `${name} in ${text}`)
      // Single checks are behind RBAC, which allows nothing here.
      assert.equal((await get(`/${endpoint}/${name}`))[0], 403)
    }
    assert.equal(text.includes('[+]informer-sync ok\n'), endpoint === 'readyz')
  }
  await server.close()
})
