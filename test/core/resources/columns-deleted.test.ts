import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPlatform } from '../../../core/platform.ts'
import { bind } from '../../../core/resources/bind.ts'
import { builtInResources } from '../../../core/resources/group-versions.ts'
import { createApiServer, memoryStore } from '../../../runtimes/web/index.ts'

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

test('DELETE that completes at once', async () => {
  const server = await createApiServer({ store: memoryStore() })
  const at = (path: string) => `http://x/api/v1/namespaces/default/${path}`
  const body = JSON.stringify({ metadata: { name: 'a' } })
  const answers: unknown[] = []
  for (const plural of ['serviceaccounts', 'configmaps']) {
    await server.fetch(new Request(at(plural), { method: 'POST', headers: { 'content-type': 'application/json' }, body }))
    const response = await server.fetch(new Request(at(`${plural}/a`), { method: 'DELETE' }))
    answers.push([response.status, ((await response.json()) as { kind: string }).kind])
  }
  await server.close()
  assert.deepEqual(answers, [
    [200, 'ServiceAccount'],
    [200, 'Status'],
  ])
})
