/** The layout of data in etcd equals that of kube-apiserver. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { KeyValueStore } from '../../../../core/ports.ts'
import { openEtcdStore } from '../../../../runtimes/stores/etcd.ts'
import { bytes, text } from '../../../../runtimes/testing/store/recorder.ts'
import type { EmbeddedOptions } from '../../../../runtimes/web/index.ts'
import { type Api, assertFailure, configMap, type TestObject } from '../../../support/api.ts'
import { type Etcd, startEtcd } from '../../../support/etcd.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { eventually } from '../../../support/wait.ts'
import { hostClock, warnings } from '../helpers.ts'

let etcd: Etcd
let store: KeyValueStore

before(async () => {
  etcd = await startEtcd()
  store = await openEtcdStore({ servers: etcd.servers, clock: hostClock, logger: warnings() })
})
after(async () => {
  await store.close()
  await etcd.stop()
})

async function withServer(options: Partial<EmbeddedOptions>, run: (api: Api) => Promise<void>): Promise<void> {
  const { api, close } = await startInProcess({ store, telemetry: { logger: warnings() }, controllers: [], ...options })
  try {
    await run(api)
  } finally {
    await close()
  }
}

const protobuf = { storageMediaType: 'application/vnd.kubernetes.protobuf' }
const creationTimestamp = '1970-01-01T00:00:01Z'
const namespaced = '/api/v1/namespaces/default/configmaps'

/** A config map named `stored` in the protobuf form of kube-apiserver 1.36, built by hand from the wire format. */
function storedProtobuf(name: string): Uint8Array {
  const record = (tag: number, content: string | readonly number[] | Buffer) => {
    const body = Buffer.from(content as string)
    assert(body.length < 128)
    return Buffer.concat([Buffer.from([tag, body.length]), body])
  }
  const meta = Buffer.concat([
    record(0x0a, name),
    record(0x12, ''),
    record(0x1a, 'default'),
    record(0x22, ''),
    record(0x2a, 'uid-1'),
    record(0x32, ''),
    Buffer.from([0x38, 0]),
    record(0x42, Buffer.from([0x08, 0x01, 0x10, 0x00])),
  ])
  const entry = Buffer.concat([record(0x0a, 'k'), record(0x12, 'from protobuf')])
  const raw = Buffer.concat([record(0x0a, meta), record(0x12, entry)])
  const type = Buffer.concat([record(0x0a, 'v1'), record(0x12, 'ConfigMap')])
  return Buffer.concat([Buffer.from('k8s\0'), record(0x0a, type), record(0x12, raw), record(0x1a, ''), record(0x22, '')])
}

for (const watchCache of [true, false]) {
  test(`serves objects stored by kube-apiserver, watch cache ${watchCache ? 'on' : 'off'}`, () =>
    withServer({ watchCache }, async (api) => {
      const names = ['json', 'protobuf', 'unstructured'].map((name) => `${name}-${watchCache}`)
      const [asJson = '', asProtobuf = '', unstructured = ''] = names
      const metadata = (name: string) => ({ name, namespace: 'default', uid: 'uid-1', creationTimestamp })
      const keyOf = (name: string) => `/registry/configmaps/default/${name}`
      const put = (name: string, value: Uint8Array) => store.put(keyOf(name), value, 0)
      await put(
        asJson,
        bytes(`${JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata: metadata(asJson), data: { k: 'from json' } })}\n`),
      )
      await put(asProtobuf, storedProtobuf(asProtobuf))
      const last = await put(
        unstructured,
        bytes(JSON.stringify({ apiVersion: 'v1', data: { k: 'unstructured' }, kind: 'ConfigMap', metadata: metadata(unstructured) })),
      )
      const list = await api.list(namespaced)
      assert.equal(Number(list.metadata.resourceVersion) >= last.revision, true)
      const found = list.items.filter(({ metadata: { name } }) => names.includes(name))
      assert.deepEqual(
        found.map(({ data }) => data?.['k']),
        ['from json', 'from protobuf', 'unstructured'],
      )
      for (const {
        metadata: { name, resourceVersion },
      } of found) {
        const { body } = await api.get(`${namespaced}/${name}`)
        assert.equal(body.metadata.resourceVersion, resourceVersion)
        assert.equal(resourceVersion, String((await store.get(keyOf(name))).kv?.modRevision))
        const patched = await api.patch(`${namespaced}/${name}`, { data: { more: 'x' } })
        assert.equal(patched.status, 200, JSON.stringify(patched.body))
        assert.equal(patched.body.data?.['k'], body.data?.['k'])
        assert.equal(patched.body.metadata.uid, 'uid-1')
        assert.equal(patched.body.metadata.creationTimestamp, creationTimestamp)
      }
    }))
}

test('stores built-in objects as protobuf if configured, and reads them back', () =>
  withServer(protobuf, async (api) => {
    const created = await api.create(namespaced, configMap('written', { k: 'v' }, { labels: { a: 'b' } }))
    const { kv } = await store.get('/registry/configmaps/default/written')
    assert(kv)
    assert.equal(text(kv.value.subarray(0, 4)), 'k8s\0')
    assert(!text(kv.value)?.includes('"metadata"'))
    assert.equal(String(kv.modRevision), created.metadata.resourceVersion)
    const { body } = await api.get<TestObject>(`${namespaced}/written`)
    assert.deepEqual(body, created)
    // An update without changes does not rewrite the stored value.
    const same = await api.send<TestObject>('PUT', `${namespaced}/written`, body)
    assert.equal(same.body.metadata.resourceVersion, created.metadata.resourceVersion)
    assert.equal((await api.delete(`${namespaced}/written`)).status, 200)
    assert.equal((await store.get('/registry/configmaps/default/written')).kv, undefined)
  }))

test('uses the same keys as kube-apiserver', () =>
  withServer(protobuf, async (api) => {
    const objects: [path: string, object: object, key: string][] = [
      ['/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'x' } }, 'serviceaccounts/default/x'],
      ['/api/v1/nodes', { metadata: { name: 'x' } }, 'minions/x'],
      ['/api/v1/namespaces/default/services', { metadata: { name: 'x' }, spec: { clusterIP: 'None' } }, 'services/specs/default/x'],
      ['/api/v1/namespaces/default/endpoints', { metadata: { name: 'x' } }, 'services/endpoints/default/x'],
      ['/apis/rbac.authorization.k8s.io/v1/clusterroles', { metadata: { name: 'x' } }, 'clusterroles/x'],
      ['/apis/coordination.k8s.io/v1/namespaces/default/leases', { metadata: { name: 'x' } }, 'leases/default/x'],
    ]
    for (const [path, object, key] of objects) {
      await api.create(path, object)
      assert((await store.get(`/registry/${key}`)).kv, key)
    }
  }))

test('an unreachable store gives a Status and a failed health check, and recovers', () =>
  withServer({ watchCache: false }, async (api) => {
    const [member] = etcd.members
    await member?.signal('SIGKILL')
    assertFailure(await api.get(namespaced), 503, 'ServiceUnavailable')
    assertFailure(await api.send('POST', namespaced, configMap('lost')), 503, 'ServiceUnavailable')
    assert.equal((await api.get('/readyz')).status, 500)
    await member?.start()
    await eventually('readiness', async () => (await api.get('/readyz')).status === 200)
    await api.create(namespaced, configMap('found'))
    assert.equal((await api.get(`${namespaced}/lost`)).status, 404)
  }))
