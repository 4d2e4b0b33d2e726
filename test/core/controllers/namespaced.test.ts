import assert from 'node:assert/strict'
import { test } from 'node:test'
import { start } from './support.ts'

const namespaces = '/api/v1/namespaces'
const accountAt = (namespace: string) => `${namespaces}/${namespace}/serviceaccounts/default`
const bundleAt = (namespace: string) => `${namespaces}/${namespace}/configmaps/kube-root-ca.crt`
const rootCa = '-----BEGIN CERTIFICATE-----\nroot\n-----END CERTIFICATE-----\n'
const any = () => true

test('every namespace, old or new, gets a default service account and the config map with the root CA', async (t) => {
  const server = await start(t, { rootCa })
  await server.create(namespaces, { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'team' } })
  for (const namespace of ['default', 'platform-system', 'team']) {
    await server.reached(accountAt(namespace), any)
    const { data } = await server.reached(bundleAt(namespace), any)
    assert.deepEqual(data, { 'ca.crt': rootCa })
  }
})

test('both are recreated after deletion', async (t) => {
  const server = await start(t, { rootCa })
  for (const path of [accountAt('default'), bundleAt('default')]) {
    const { metadata } = await server.reached(path, any)
    await server.gone(path, () => server.remove(path))
    const again = await server.reached(path, any)
    assert.notEqual(again.metadata.uid, metadata.uid)
  }
})

test('a changed root CA is restored; additions outside of its data stay', async (t) => {
  const server = await start(t, { rootCa })
  await server.reached(bundleAt('default'), any)
  await server.patch(bundleAt('default'), { metadata: { labels: { mine: 'yes' } }, data: { 'ca.crt': 'other', more: 'x' } })
  const right = await server.reached(bundleAt('default'), ({ data }) => data?.['ca.crt'] === rootCa)
  assert.deepEqual([right.data, right.metadata.labels], [{ 'ca.crt': rootCa }, { mine: 'yes' }])
})

test('without a root CA no config map is created', async (t) => {
  const server = await start(t)
  await server.reached(accountAt('default'), any)
  assert.equal((await server.get(bundleAt('default'))).status, 404)
})
