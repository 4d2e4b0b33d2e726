/** Defaults that only a feature gate brings, and those of versions that are off by default. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startInProcess } from '../../support/in-process.ts'

const selector = { matchLabels: { app: 'a' } }
const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'main', image: 'example/main' }] } }
const statefulSet = { metadata: { name: 'a' }, spec: { selector, serviceName: 'a', template } }
const driver = { metadata: { name: 'csi.example.com' }, spec: {} }

for (const on of [true, false])
  test(`defaults ${on ? 'with' : 'without'} their feature gates`, async (t) => {
    const featureGates = { MaxUnavailableStatefulSet: on, VolumeLimitScaling: on, DRANodeAllocatableResources: on }
    const { api } = await startInProcess({ controllers: [], featureGates }, t)
    const { spec } = await api.create('/apis/apps/v1/namespaces/default/statefulsets', statefulSet)
    const rollingUpdate = { partition: 0, ...(on && { maxUnavailable: 1 }) }
    assert.deepEqual(spec?.['updateStrategy'], { type: 'RollingUpdate', rollingUpdate })
    const created = await api.create('/apis/storage.k8s.io/v1/csidrivers', driver)
    assert.equal(created.spec?.['preventPodSchedulingIfMissing'], on ? false : undefined)
    const devices = [{ name: 'one', nodeAllocatableResourceMappings: { cpu: {} } }]
    const pool = { name: 'pool', generation: 1, resourceSliceCount: 1 }
    const slice = await api.create('/apis/resource.k8s.io/v1/resourceslices', {
      metadata: { name: 'slice' },
      spec: { driver: 'dra.example.com', nodeName: 'node', pool, devices },
    })
    const mappings = { nodeAllocatableResourceMappings: { cpu: { allocationMultiplier: '1' } } }
    assert.deepEqual(slice.spec?.['devices'], [{ name: 'one', ...(on && mappings) }])
  })

test('mutating policies of v1alpha1 have the defaults of later versions', async (t) => {
  const runtimeConfig = { 'admissionregistration.k8s.io/v1alpha1': true }
  const { api } = await startInProcess({ controllers: [], runtimeConfig }, t)
  const root = '/apis/admissionregistration.k8s.io/v1alpha1'
  const resourceRules = [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] }]
  const mutations = [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }]
  const policy = await api.create(`${root}/mutatingadmissionpolicies`, {
    metadata: { name: 'a' },
    spec: {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConstraints: { resourceRules },
      reinvocationPolicy: 'Never',
      mutations,
    },
  })
  assert.equal(policy.spec?.['failurePolicy'], 'Fail')
  const binding = await api.create(`${root}/mutatingadmissionpolicybindings`, {
    metadata: { name: 'a' },
    spec: { policyName: 'a', paramRef: { name: 'p', namespace: 'default' } },
  })
  assert.deepEqual(binding.spec?.['paramRef'], { name: 'p', namespace: 'default', parameterNotFoundAction: 'Deny' })
})
