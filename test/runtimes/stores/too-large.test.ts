/** Objects that are larger than the store takes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openEtcdStore } from '../../../runtimes/stores/etcd.ts'
import { memoryStore } from '../../../runtimes/stores/memory.ts'
import { start } from '../../core/controllers/support.ts'
import { assertFailure } from '../../support/api.ts'
import { startEtcd } from '../../support/etcd.ts'
import { hostClock, openAt, temporaryDirectory, warnings } from './helpers.ts'

const revisions = '/apis/apps/v1/namespaces/default/controllerrevisions'
const revision = (bytes: number) => ({ metadata: { name: 'r' }, revision: 1, data: { filler: 'x'.repeat(bytes) } })

const stores = {
  memory: async () => ({ store: memoryStore(), stop: async () => {} }),
  durable: async () => {
    const { directory, remove } = await temporaryDirectory()
    const store = await openAt(directory)
    return { store, stop: () => store.close().then(remove) }
  },
  etcd: async () => {
    const etcd = await startEtcd()
    const store = await openEtcdStore({ servers: etcd.servers, clock: hostClock, logger: warnings() })
    return { store, stop: () => store.close().then(etcd.stop) }
  },
}

for (const [name, open] of Object.entries(stores))
  test(`${name}: 1.4 MB are stored, 1.6 MB are refused with 413`, async (t) => {
    const { store, stop } = await open()
    const server = await start(t, { store, controllers: [] })
    assertFailure(await server.send('POST', revisions, revision(1_600_000)), 413, 'RequestEntityTooLarge', /^Request entity too large: /)
    assert.equal((await server.send('POST', revisions, revision(1_400_000))).status, 201)
    const patched = await server.patch(`${revisions}/r`, { metadata: { annotations: { more: 'x'.repeat(200_000) } } })
    assertFailure(patched, 413, 'RequestEntityTooLarge', /^Request entity too large: /)
    assertFailure(await server.send('POST', revisions, revision(3_200_000)), 413, 'RequestEntityTooLarge', /^Request entity too large: /)
    await stop()
  })
