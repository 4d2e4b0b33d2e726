/** Objects that exceed the size limit of the store. */
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

const maps = '/api/v1/namespaces/default/configmaps'
/** 1.1 MB; its managed fields have the same size. */
const manyKeys = () => Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`${'k'.repeat(200)}${index}`, 'x']))
interface Managed {
  readonly metadata: { readonly managedFields?: readonly object[] }
}
const applyPatch = { 'content-type': 'application/apply-patch+yaml' }

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

for (const [name, open] of Object.entries(stores)) {
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

  test(`${name}: an object that only fits without managedFields is stored without them`, async (t) => {
    const { store, stop } = await open()
    const { get, send, patch, remove } = await start(t, { store, controllers: [] })
    const owners = async () => (await get<Managed>(`${maps}/m`)).body.metadata.managedFields
    const keyCount = async () => Object.keys((await get(`${maps}/m`)).body.data ?? {}).length
    const small = { metadata: { name: 'm' }, data: { few: 'x' } }
    const renew = async () => {
      await remove(`${maps}/m`)
      assert.equal((await send('POST', maps, small)).status, 201)
      assert.equal((await owners())?.length, 1, 'a small object has managedFields')
    }
    const large = { metadata: { name: 'm' }, data: manyKeys() }

    assert.equal((await send('POST', maps, large)).status, 201)
    assert.deepEqual([await keyCount(), await owners()], [5_000, undefined], 'after a create')
    for (const [verb, write] of [
      ['update', () => send('PUT', `${maps}/m`, large)],
      ['patch', () => patch(`${maps}/m`, { data: manyKeys() })],
    ] as const) {
      await renew()
      assert.equal((await write()).status, 200, verb)
      assert.equal(await owners(), undefined, `after ${verb}`)
    }
    assert.ok((await keyCount()) >= 5_000, 'all keys are stored')

    await renew()
    const applied = await send(
      'PATCH',
      `${maps}/m?fieldManager=a&force=true`,
      { kind: 'ConfigMap', apiVersion: 'v1', ...large },
      applyPatch,
    )
    assertFailure(applied, 413, 'RequestEntityTooLarge', /^Request entity too large: /)
    assert.equal((await owners())?.length, 1, 'an apply always records managedFields')
    await stop()
  })
}
