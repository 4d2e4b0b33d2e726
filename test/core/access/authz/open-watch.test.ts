/** Authorization is checked when a request begins: an open watch continues when the right is taken away, as in kube-apiserver. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Authenticator } from '../../../../core/access/authn/authenticator.ts'
import { assertFailure, configMap } from '../../../support/api.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { eventually } from '../../../support/wait.ts'
import { watchAt } from '../../../support/watch-reader.ts'
import { userOf } from './attributes.ts'

const byHeader: Authenticator = { name: 'header', authenticate: async (request) => ({ user: userOf(request.headers.get('who') ?? '') }) }
const root = { who: 'root+system:masters' }
const ann = { who: 'ann' }
const configMaps = '/api/v1/namespaces/default/configmaps'
const bindings = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings'

test('an open watch outlives the right to watch; a new one is refused', async () => {
  const { api, close } = await startInProcess({ authorizationModes: ['RBAC'], authenticators: [byHeader], controllers: [] })
  try {
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' }
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ann' }]
    await api.send('POST', bindings, { metadata: { name: 'ann' }, roleRef, subjects }, root)
    await eventually('ann may list', async () => (await api.get(configMaps, ann)).status === 200)
    const watch = await watchAt((path, init) => api.fetch(path, { ...init, headers: ann }), configMaps)
    await api.send('POST', configMaps, configMap('before'), root)
    assert.equal((await watch.object()).object.metadata.name, 'before', 'while ann has the right')

    await api.send('DELETE', `${bindings}/ann`, undefined, root)
    await eventually('ann may not list', async () => (await api.get(configMaps, ann)).status === 403)
    await api.send('POST', configMaps, configMap('after'), root)
    assert.equal((await watch.object()).object.metadata.name, 'after', 'the open watch continues')
    assertFailure(await api.get(`${configMaps}?watch=true`, ann), 403, 'Forbidden', /User "ann" cannot watch resource "configmaps"/)
    await watch.close()
  } finally {
    await close()
  }
})
