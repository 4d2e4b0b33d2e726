/** Daemons on one etcd: the endpoints of the cluster's own service, and identity leases. */
import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { after, before, describe, test } from 'node:test'
import type { KeyValueStore } from '../../core/ports.ts'
import { openEtcdStore } from '../../runtimes/stores/etcd.ts'
import { webClock } from '../../runtimes/web/ports.ts'
import { apiOf, type TestObject } from '../support/api.ts'
import { type Daemon, startDaemon } from '../support/daemon.ts'
import { type Etcd, startEtcd } from '../support/etcd.ts'
import { silentLogger } from '../support/logger.ts'
import { eventually } from '../support/wait.ts'

interface Endpoints extends TestObject {
  readonly subsets?: readonly { readonly addresses: readonly { readonly ip: string }[] }[]
}

describe('daemons on one etcd', () => {
  let etcd: Etcd
  let store: KeyValueStore
  let staying: Daemon
  const others: Daemon[] = []

  const start = (address: string, flags: readonly string[] = []) =>
    startDaemon({
      flags: [
        '--platform=kubernetes',
        `--etcd-servers=${etcd.servers.join(',')}`,
        `--advertise-address=${address}`,
        '--service-account-issuer=https://issuer.example',
        ...flags,
      ],
    })
  const startOther = async (address: string) => {
    const daemon = await start(address)
    others.push(daemon)
    return daemon
  }
  const endpointsOf = async ({ fetch }: Daemon) => {
    const { body } = await apiOf(fetch).get<Endpoints>('/api/v1/namespaces/default/endpoints/kubernetes')
    return (body.subsets ?? []).flatMap(({ addresses }) => addresses.map(({ ip }) => ip))
  }
  const storedAddresses = async () => (await store.list({ prefix: '/registry/masterleases/' })).items.map(({ key }) => key)
  const identityLeases = async () => {
    const { items } = await apiOf(staying.fetch).list('/apis/coordination.k8s.io/v1/namespaces/kube-system/leases')
    return items.filter(({ metadata }) => metadata.labels?.['apiserver.kubernetes.io/identity'] === 'kube-apiserver')
  }

  before(async () => {
    etcd = await startEtcd()
    store = await openEtcdStore({ servers: etcd.servers, clock: webClock, logger: silentLogger })
    staying = await start('192.0.2.1')
  })
  after(async () => {
    for (const daemon of others) await daemon.stop('SIGKILL').catch(() => undefined)
    await staying.stop()
    assert.deepEqual(await storedAddresses(), [], 'the last one removes its address, too')
    await store.close()
    await etcd.stop()
  })

  test('a daemon has an identity lease with the name of its host', async () => {
    const [lease, ...more] = await identityLeases()
    assert.deepEqual(more, [])
    assert.match(lease?.metadata.name ?? '', /^apiserver-[a-z2-7]{26}$/)
    assert.equal(lease?.metadata.labels?.['kubernetes.io/hostname'], hostname())
  })

  test('both are endpoints; the one that ends is removed before its process is gone', async () => {
    const other = await startOther('192.0.2.2')
    assert.deepEqual(await endpointsOf(staying), ['192.0.2.1', '192.0.2.2'])
    assert.deepEqual(await endpointsOf(other), ['192.0.2.1', '192.0.2.2'])
    assert.deepEqual(await storedAddresses(), ['/registry/masterleases/192.0.2.1', '/registry/masterleases/192.0.2.2'])
    await other.stop()
    assert.deepEqual(await endpointsOf(staying), ['192.0.2.1'])
    assert.deepEqual(await storedAddresses(), ['/registry/masterleases/192.0.2.1'])
  })

  test('one that is killed is removed when its lease has expired', async () => {
    const other = await startOther('192.0.2.2')
    await other.stop('SIGKILL')
    assert.deepEqual(await endpointsOf(staying), ['192.0.2.1', '192.0.2.2'])
    await eventually('it is removed', async () => (await endpointsOf(staying)).length === 1, 120_000)
    assert.deepEqual(await endpointsOf(staying), ['192.0.2.1'])
  })
})

describe('daemons on one etcd that count each other', () => {
  let etcd: Etcd
  const daemons: Daemon[] = []
  const start = async (address: string, count: number) => {
    const shared = ['--platform=kubernetes', `--etcd-servers=${etcd.servers.join(',')}`, '--service-account-issuer=https://issuer.example']
    const own = [`--advertise-address=${address}`, '--endpoint-reconciler-type=master-count', `--apiserver-count=${count}`]
    const daemon = await startDaemon({ flags: [...shared, ...own] })
    daemons.push(daemon)
    const { body } = await apiOf(daemon.fetch).get<Endpoints>('/api/v1/namespaces/default/endpoints/kubernetes')
    // One that stays would put its address back while the next one starts.
    await daemon.stop('SIGKILL')
    return (body.subsets ?? []).flatMap(({ addresses }) => addresses.map(({ ip }) => ip))
  }
  before(async () => {
    etcd = await startEtcd()
  })
  after(async () => {
    for (const daemon of daemons) await daemon.stop('SIGKILL').catch(() => undefined)
    await etcd.stop()
  })

  test('as many addresses stay as --apiserver-count says', async () => {
    assert.deepEqual(await start('192.0.2.1', 2), ['192.0.2.1'])
    assert.deepEqual(await start('192.0.2.2', 2), ['192.0.2.1', '192.0.2.2'])
    assert.deepEqual(await start('192.0.2.3', 2), ['192.0.2.2', '192.0.2.3'])
    assert.deepEqual(await start('192.0.2.4', 1), ['192.0.2.4'])
  })
})
