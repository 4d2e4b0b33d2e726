/** Kinds that hang on feature gates (the storage providers in pkg/registry). */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { EmbeddedOptions } from '../../../runtimes/web/index.ts'
import { startInProcess } from '../../support/in-process.ts'

async function served(t: TestContext, options: Partial<EmbeddedOptions>): Promise<readonly string[]> {
  const { api } = await startInProcess({ controllers: [], ...options }, t)
  const { groups } = (await api.get<{ groups: { versions: { groupVersion: string }[] }[] }>('/apis')).body
  const found: string[] = []
  for (const { groupVersion } of groups.flatMap(({ versions }) => versions)) {
    const { body } = await api.get<{ resources: { name: string }[] }>(`/apis/${groupVersion}`)
    found.push(...body.resources.filter(({ name }) => !name.includes('/')).map(({ name }) => `${groupVersion} ${name}`))
  }
  return found
}

const kinds: { readonly [kind: string]: string } = {
  'certificates.k8s.io/v1alpha1 clustertrustbundles': 'ClusterTrustBundle',
  'certificates.k8s.io/v1beta1 clustertrustbundles': 'ClusterTrustBundle',
  'certificates.k8s.io/v1beta1 podcertificaterequests': 'PodCertificateRequest',
  'scheduling.k8s.io/v1alpha2 podgroups': 'GenericWorkload',
  'scheduling.k8s.io/v1alpha2 workloads': 'GenericWorkload',
  'storagemigration.k8s.io/v1beta1 storageversionmigrations': 'StorageVersionMigrator',
}
const all = { 'api/all': true }

test('without its gate a kind is not served, nor a group version without any kind', async (t) => {
  const found = await served(t, { runtimeConfig: { ...all, 'certificates.k8s.io/v1beta1': true } })
  assert.deepEqual(
    Object.keys(kinds).filter((each) => found.includes(each)),
    [],
  )
})

test('with its gate a kind is served if the runtime configuration asks for it', async (t) => {
  for (const gate of new Set(Object.values(kinds))) {
    const own = Object.keys(kinds).filter((each) => kinds[each] === gate)
    const found = await served(t, { runtimeConfig: all, featureGates: { [gate]: true } })
    assert.deepEqual(
      Object.keys(kinds).filter((each) => found.includes(each)),
      own,
      gate,
    )
    const usual = await served(t, { featureGates: { [gate]: true } })
    assert.deepEqual(
      own.filter((each) => usual.includes(each)),
      [],
      gate,
    )
  }
})
