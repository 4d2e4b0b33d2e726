import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPlatform } from '../../../core/platform.ts'
import { bind } from '../../../core/resources/bind.ts'
import { builtInResources } from '../../../core/resources/group-versions.ts'
import { startInProcess } from '../../support/in-process.ts'

test('kinds whose DELETE returns the object', () => {
  const platform = createPlatform()
  const found = builtInResources
    .map((row) => bind(row, platform))
    .filter(({ returnsDeleted }) => returnsDeleted)
    .map(({ group, version, names }) => `${names.plural}.${version}.${group}`)
  assert.deepEqual(found.sort(), [
    'csidrivers.v1.storage.k8s.io',
    'csinodes.v1.storage.k8s.io',
    'deviceclasses.v1.resource.k8s.io',
    'deviceclasses.v1beta1.resource.k8s.io',
    'deviceclasses.v1beta2.resource.k8s.io',
    'devicetaintrules.v1alpha3.resource.k8s.io',
    'devicetaintrules.v1beta2.resource.k8s.io',
    'persistentvolumeclaims.v1.',
    'persistentvolumes.v1.',
    'pods.v1.',
    'podtemplates.v1.',
    'resourceclaims.v1.resource.k8s.io',
    'resourceclaims.v1beta1.resource.k8s.io',
    'resourceclaims.v1beta2.resource.k8s.io',
    'resourceclaimtemplates.v1.resource.k8s.io',
    'resourceclaimtemplates.v1beta1.resource.k8s.io',
    'resourceclaimtemplates.v1beta2.resource.k8s.io',
    'resourcepoolstatusrequests.v1alpha3.resource.k8s.io',
    'resourcequotas.v1.',
    'resourceslices.v1.resource.k8s.io',
    'resourceslices.v1beta1.resource.k8s.io',
    'resourceslices.v1beta2.resource.k8s.io',
    'serviceaccounts.v1.',
    'services.v1.',
    'storageclasses.v1.storage.k8s.io',
    'volumeattachments.v1.storage.k8s.io',
    'volumeattributesclasses.v1.storage.k8s.io',
    'volumeattributesclasses.v1beta1.storage.k8s.io',
  ])
})

test('DELETE that completes at once', async (t) => {
  const { api } = await startInProcess({}, t)
  for (const [plural, kind] of [
    ['serviceaccounts', 'ServiceAccount'],
    ['configmaps', 'Status'],
  ]) {
    const path = `/api/v1/namespaces/default/${plural}`
    await api.create(path, { metadata: { name: 'a' } })
    const { status, body } = await api.delete(`${path}/a`)
    assert.deepEqual([status, body.kind], [200, kind])
  }
})
