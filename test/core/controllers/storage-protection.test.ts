import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryStore } from '../../../runtimes/web/index.ts'
import type { TestObject } from '../../support/api.ts'
import { start, type TestServer } from './support.ts'

const claims = '/api/v1/namespaces/default/persistentvolumeclaims'
const pods = '/api/v1/namespaces/default/pods'
const volumes = '/api/v1/persistentvolumes'
const classes = '/apis/storage.k8s.io/v1/volumeattributesclasses'
const protection = { claim: 'kubernetes.io/pvc-protection', volume: 'kubernetes.io/pv-protection', class: 'kubernetes.io/vac-protection' }

const storage = { accessModes: ['ReadWriteOnce'] }
const claim = (name: string, spec: object = {}, metadata: object = {}) => ({
  kind: 'PersistentVolumeClaim',
  apiVersion: 'v1',
  metadata: { name, ...metadata },
  spec: { ...storage, resources: { requests: { storage: '1Gi' } }, ...spec },
})
const volume = (name: string, spec: object = {}) => ({
  kind: 'PersistentVolume',
  apiVersion: 'v1',
  metadata: { name },
  spec: { ...storage, capacity: { storage: '1Gi' }, csi: { driver: 'example.org', volumeHandle: name }, ...spec },
})
const attributes = (name: string) => ({
  kind: 'VolumeAttributesClass',
  apiVersion: 'storage.k8s.io/v1',
  metadata: { name },
  driverName: 'example.org',
  parameters: { speed: 'high' },
})
const pod = (name: string, source: object, spec: object = { nodeName: 'n1' }) => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'example/c' }], volumes: [{ name: 'data', ...source }], ...spec },
})
const mounting = (claimName: string) => ({ persistentVolumeClaim: { claimName } })
const template = { ephemeral: { volumeClaimTemplate: { spec: { ...storage, resources: { requests: { storage: '1Gi' } } } } } }

const finalizersOf = ({ metadata }: TestObject) => metadata.finalizers ?? []
const end = (server: TestServer, path: string) => server.delete(path, { gracePeriodSeconds: 0 })

/** Deletes an object and asserts that it still exists after the controller has handled it. */
async function remainsTerminating(server: TestServer, path: string, probe: string): Promise<void> {
  await server.remove(path)
  // The controller works in order: when a later object of the same kind is gone, it has handled this one.
  await server.gone(probe, () => server.remove(probe))
  const { status, body } = await server.get(path)
  assert.equal(status, 200, `${path} is held`)
  assert(body.metadata.deletionTimestamp, `${path} is terminating`)
}

test('a claim is deleted at once when it is unused, otherwise after the last pod that uses it', async (t) => {
  const server = await start(t)
  for (const name of ['free', 'used', 'waiting', 'probe'])
    assert.deepEqual(finalizersOf(await server.create(claims, claim(name))), [protection.claim], name)
  await server.create(pods, pod('one', mounting('used')))
  await server.create(pods, pod('two', mounting('used')))
  await server.create(pods, pod('unscheduled', mounting('waiting'), {}))
  await server.gone(`${claims}/free`, () => server.remove(`${claims}/free`))
  await server.gone(`${claims}/waiting`, () => server.remove(`${claims}/waiting`))
  await remainsTerminating(server, `${claims}/used`, `${claims}/probe`)
  await end(server, `${pods}/one`)
  assert.equal((await server.get(`${claims}/used`)).status, 200, 'the other pod uses it')
  await server.gone(`${claims}/used`, () => end(server, `${pods}/two`))
})

test("an ephemeral volume's claim is protected only if the pod owns it", async (t) => {
  const server = await start(t)
  const { metadata } = await server.create(pods, pod('web', template))
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'web', uid: metadata.uid, controller: true }
  await server.create(claims, claim('web-data'))
  await server.gone(`${claims}/web-data`, () => server.remove(`${claims}/web-data`))
  await server.create(claims, claim('web-data', {}, { ownerReferences: [owner] }))
  await server.create(claims, claim('probe'))
  await remainsTerminating(server, `${claims}/web-data`, `${claims}/probe`)
  await server.gone(`${claims}/web-data`, () => end(server, `${pods}/web`))
})

test('a finished pod does not protect its ephemeral claim', async (t) => {
  const server = await start(t)
  const held = pod('web', template)
  const { metadata } = await server.create(pods, { ...held, metadata: { ...held.metadata, finalizers: ['example.org/hold'] } })
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'web', uid: metadata.uid, controller: true }
  await server.create(claims, claim('web-data', {}, { ownerReferences: [owner] }))
  await server.create(claims, claim('probe'))
  await remainsTerminating(server, `${claims}/web-data`, `${claims}/probe`)
  await server.gone(`${claims}/web-data`, () => end(server, `${pods}/web`))
  assert.equal((await server.get(`${pods}/web`)).status, 200)
})

test('a volume is protected while it is bound', async (t) => {
  const server = await start(t)
  for (const name of ['bound', 'probe'])
    assert.deepEqual(finalizersOf(await server.create(volumes, volume(name))), [protection.volume], name)
  const phase = (value: string) => server.patch(`${volumes}/bound/status`, { status: { phase: value } })
  await phase('Bound')
  await remainsTerminating(server, `${volumes}/bound`, `${volumes}/probe`)
  await server.gone(`${volumes}/bound`, () => phase('Released'))
})

test('a VolumeAttributesClass is protected while a volume or a claim refers to it', async (t) => {
  const server = await start(t)
  for (const name of ['fast', 'probe'])
    assert.deepEqual(finalizersOf(await server.create(classes, attributes(name))), [protection.class], name)
  await server.create(volumes, volume('v', { volumeAttributesClassName: 'fast' }))
  await server.create(claims, claim('c'))
  const status = (target: object) => server.patch(`${claims}/c/status`, { status: { modifyVolumeStatus: target } })
  assert.equal((await status({ status: 'InProgress', targetVolumeAttributesClassName: 'fast' })).status, 200)
  await remainsTerminating(server, `${classes}/fast`, `${classes}/probe`)
  await server.gone(`${volumes}/v`, () => server.remove(`${volumes}/v`))
  assert.equal((await server.get(`${classes}/fast`)).status, 200, 'the claim requests it')
  await server.gone(`${classes}/fast`, () => status({ status: 'InProgress', targetVolumeAttributesClassName: 'other' }))
})

test('objects created or deleted while the controllers did not run', async (t) => {
  const store = memoryStore()
  const before = await start(t, {
    store,
    controllers: [],
    admissionPlugins: { disable: ['StorageObjectInUseProtection', 'ServiceAccount'] },
  })
  assert.deepEqual(finalizersOf(await before.create(claims, claim('old'))), [])
  await before.create(claims, claim('leaving', {}, { finalizers: [protection.claim] }))
  await before.remove(`${claims}/leaving`)
  const { metadata } = await before.list(claims)
  const server = await start(t, { store })
  await server.gone(`${claims}/leaving`, async () => {}, metadata.resourceVersion)
  await server.reached(`${claims}/old`, (object) => finalizersOf(object).includes(protection.claim))
})

test('without the controllers finalizers stay', async (t) => {
  const server = await start(t, { controllers: ['persistentvolume-protection'] })
  await server.create(claims, claim('c'))
  await server.create(volumes, volume('v'))
  await server.remove(`${claims}/c`)
  await server.gone(`${volumes}/v`, () => server.remove(`${volumes}/v`))
  assert.deepEqual(finalizersOf((await server.get(`${claims}/c`)).body), [protection.claim])
})
