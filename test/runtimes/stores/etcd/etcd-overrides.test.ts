/** A daemon that stores leases on a separate etcd. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openEtcdStore } from '../../../../runtimes/stores/etcd.ts'
import { apiOf, configMap } from '../../../support/api.ts'
import { startDaemon } from '../../../support/daemon.ts'
import { startEtcd } from '../../../support/etcd.ts'
import { eventually } from '../../../support/wait.ts'
import { hostClock, warnings } from '../helpers.ts'

test('the daemon stores overridden resources on their own servers', { timeout: 3_600_000 }, async () => {
  const [main, other] = await Promise.all([startEtcd(), startEtcd()])
  const daemon = await startDaemon({
    flags: [
      `--kvstore-servers=${main.servers.join()}`,
      `--kvstore-servers-overrides=coordination.k8s.io/leases#${other.servers.join(';')}`,
      '--watch-cache-sizes=configmaps#0',
    ],
  })
  const api = apiOf(daemon.fetch)
  await api.create('/apis/coordination.k8s.io/v1/namespaces/default/leases', { metadata: { name: 'l' }, spec: {} })
  await api.create('/api/v1/namespaces/default/configmaps', configMap('c'))
  const [inMain, inOther] = await Promise.all(
    [main, other].map(async ({ servers }) => {
      const store = await openEtcdStore({ servers, clock: hostClock, logger: warnings() })
      const { items } = await store.list({ prefix: '/registry/' })
      await store.close()
      return items.map(({ key }) => key)
    }),
  )
  // The other one is the server's identity.
  const isIdentity = (key: string) => key.startsWith('/registry/leases/platform-system/apiserver-')
  assert.deepEqual(
    inOther?.filter((key) => !isIdentity(key)),
    ['/registry/leases/default/l'],
  )
  assert(inMain?.includes('/registry/configmaps/default/c'))
  assert(!inMain?.some((key) => key.startsWith('/registry/leases/')))
  const wanted = [
    /^apiserver_resource_objects\{group="coordination.k8s.io",resource="leases"\} \d+$/m,
    /^apiserver_storage_size_bytes\{storage_cluster_id="kvstore-0"\} [1-9]\d*$/m,
    /^apiserver_storage_size_bytes\{storage_cluster_id="kvstore-1"\} [1-9]\d*$/m,
  ]
  await eventually('metrics', async () => {
    const { body } = await api.get<string>('/metrics')
    return wanted.every((line) => line.test(body))
  })
  await other.members[0]?.signal('SIGKILL')
  await eventually('the failed check', async () => /\[-\]kvstore-override-0 failed/.test((await api.get<string>('/readyz')).body))
  assert.equal((await api.get('/api/v1/namespaces/default/configmaps/c')).status, 200, 'other resources are served')
  await daemon.stop('SIGKILL')
  await Promise.all([main.stop(), other.stop()])
})
