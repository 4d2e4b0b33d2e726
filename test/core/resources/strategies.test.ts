/** Fields that the server keeps, drops or sets on writes, beyond defaults. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, assertHas, type Manifest, startServer, withChanges } from './support.ts'

const client = startServer()
const inNamespace = (group: string, plural: string) => `${group === 'v1' ? '/api' : '/apis'}/${group}/namespaces/default/${plural}`

async function make(path: string, manifest: Manifest): Promise<Answer & { path: string }> {
  const made = await (await client).send('POST', path, manifest)
  assert.equal(made.code, 201, JSON.stringify(made.body))
  return { ...made, path: `${path}/${made.body.metadata['name']}` }
}

async function put(path: string, body: Manifest, changes: { readonly [path: string]: unknown } = {}): Promise<Answer> {
  const answer = await (await client).send('PUT', path, withChanges(body, { 'metadata.resourceVersion': undefined, ...changes }))
  assert.equal(answer.code, 200, JSON.stringify(answer.body))
  return answer
}

const pods = inNamespace('v1', 'pods')
const pod = (name: string, rest: Manifest = {}): Manifest => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }] },
  ...rest,
})

const annotation = 'container.apparmor.security.beta.kubernetes.io/c'
const told = `metadata.annotations[${annotation}]: deprecated since v1.30; use the "appArmorProfile" field instead`
const profiles: readonly (readonly [value: string, profile: unknown, ofPod: unknown, warnings: readonly string[]])[] = [
  ['unconfined', { type: 'Unconfined' }, undefined, [told]],
  ['runtime/default', { type: 'RuntimeDefault' }, { type: 'Unconfined' }, [told]],
  ['localhost/mine', { type: 'Localhost', localhostProfile: 'mine' }, undefined, [told]],
  ['localhost/ mine', undefined, undefined, [told]],
  ['unconfined', undefined, { type: 'Unconfined' }, []],
]
for (const [value, profile, ofPod, warnings] of profiles) {
  test(`an AppArmor annotation becomes a field of its container: ${value} below ${JSON.stringify(ofPod)}`, async () => {
    const { send } = await client
    const manifest = withChanges(pod('confined'), {
      'metadata.annotations': { [annotation]: value },
      'spec.securityContext': ofPod ? { appArmorProfile: ofPod } : undefined,
    })
    const answer = await send('POST', `${pods}?dryRun=All`, manifest)
    assert.equal(answer.code, 201, JSON.stringify(answer.body))
    const { containers } = answer.body['spec'] as { containers: { securityContext?: { appArmorProfile?: unknown } }[] }
    assert.deepEqual(containers[0]?.securityContext?.appArmorProfile, profile)
    assert.deepEqual(answer.warnings, warnings)
  })
}

test('fields omitted from a pod status update are kept: QoS class and observed generations', async () => {
  const { path, body } = await make(pods, pod('reported'))
  const conditions = [
    { type: 'Ready', status: 'False', observedGeneration: 1 },
    { type: 'x.org/a', status: 'True', observedGeneration: 1 },
  ]
  const first = await put(`${path}/status`, body, { 'status.observedGeneration': 1, 'status.conditions': conditions })
  const without = conditions.map(({ observedGeneration: _, ...rest }) => rest)
  const changes = { 'status.observedGeneration': undefined, 'status.conditions': without, 'status.qosClass': undefined }
  const second = await put(`${path}/status`, first.body, changes)
  assertHas(second.body['status'], { observedGeneration: 1, qosClass: 'BestEffort', conditions })
})

test('a phase change of a volume sets lastPhaseTransitionTime', async () => {
  const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } }
  const path = '/api/v1/persistentvolumes'
  const made = await make(path, {
    kind: 'PersistentVolume',
    apiVersion: 'v1',
    metadata: { name: 'phases' },
    spec,
    status: { phase: 'Bound' },
  })
  const timeOf = ({ body }: Answer) => (body['status'] as { lastPhaseTransitionTime?: string }).lastPhaseTransitionTime
  assertHas(made.body, { status: { phase: 'Pending' } })
  const long = '2001-02-03T04:05:06Z'
  const told = await put(`${made.path}/status`, made.body, { 'status.phase': 'Available', 'status.lastPhaseTransitionTime': long })
  assert.equal(timeOf(told), long)
  const kept = await put(`${made.path}/status`, told.body, { 'status.lastPhaseTransitionTime': undefined, 'status.message': 'm' })
  assert.equal(timeOf(kept), long)
  const bound = await put(`${made.path}/status`, kept.body, { 'status.phase': 'Bound' })
  assert.ok((timeOf(bound) ?? '') > long)
})

test('a node is created with its status, but without the removed dynamic configuration', async () => {
  const configSource = { configMap: { name: 'a', namespace: 'b', kubeletConfigKey: 'c', uid: 'd', resourceVersion: '1' } }
  const status = { capacity: { cpu: '2' }, config: { error: 'e' } }
  const manifest = { kind: 'Node', apiVersion: 'v1', metadata: { name: 'configured' }, spec: { configSource }, status }
  const { body, path } = await make('/api/v1/nodes', manifest)
  assertHas(body, { spec: { configSource: undefined }, status: { capacity: { cpu: '2' }, allocatable: { cpu: '2' }, config: undefined } })
  const reported = await put(`${path}/status`, body, { 'status.config': { error: 'e' } })
  assertHas(reported.body, { status: { config: undefined } })
})

test('the server owns generations: updates keep those of all kinds, and a CSIDriver gets one on its first change', async () => {
  const map = await make(inNamespace('v1', 'configmaps'), {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'counted', generation: 4 },
  })
  assert.equal(map.body.metadata['generation'], 4, 'a create may set one')
  assert.equal((await put(map.path, map.body, { 'metadata.generation': 9 })).body.metadata['generation'], 4)
  const { send } = await client
  const manifest = { kind: 'CSIDriver', apiVersion: 'storage.k8s.io/v1', metadata: { name: 'd.io' }, spec: {} }
  const driver = await make('/apis/storage.k8s.io/v1/csidrivers', manifest)
  assert.equal(driver.body.metadata['generation'], undefined)
  const changed = await send('PUT', driver.path, withChanges(driver.body, { 'spec.requiresRepublish': true }))
  assert.equal(changed.body.metadata['generation'], 1)
})

test('an update without a required resourceVersion is refused, naming the resource', async () => {
  const path = '/apis/node.k8s.io/v1/runtimeclasses'
  const made = await make(path, { kind: 'RuntimeClass', apiVersion: 'node.k8s.io/v1', metadata: { name: 'versioned' }, handler: 'h' })
  const { code, body } = await (await client).send('PUT', made.path, withChanges(made.body, { 'metadata.resourceVersion': undefined }))
  assert.equal(code, 422)
  const why = 'metadata.resourceVersion: Invalid value: 0: must be specified for an update'
  assert.equal(body['message'], `runtimeclasses.node.k8s.io "versioned" is invalid: ${why}`)
  assertHas(body['details'], { kind: 'runtimeclasses' })
})

test('a status update changes labels of a replica set, not of a deployment', async () => {
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  for (const [plural, kind, labels] of [
    ['deployments', 'Deployment', { a: 'b' }],
    ['replicasets', 'ReplicaSet', { a: 'c' }],
  ] as const) {
    const spec = { selector: { matchLabels: { a: 'b' } }, template }
    const made = await make(inNamespace('apps/v1', plural), {
      kind,
      apiVersion: 'apps/v1',
      metadata: { name: 'labelled', labels: { a: 'b' } },
      spec,
    })
    const { body } = await put(`${made.path}/status`, made.body, { 'metadata.labels': { a: 'c' }, 'metadata.annotations': { d: 'e' } })
    assertHas(body.metadata, { labels, annotations: { d: 'e' } })
  }
})

test('device status is dropped together with the allocation', async () => {
  const path = inNamespace('resource.k8s.io/v1', 'resourceclaims')
  const spec = { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } }
  const made = await make(path, { kind: 'ResourceClaim', apiVersion: 'resource.k8s.io/v1', metadata: { name: 'devices' }, spec })
  const results = [{ request: 'r', driver: 'd.io', pool: 'p', device: 'a' }]
  const devices = [{ driver: 'd.io', pool: 'p', device: 'a', conditions: [] }]
  const allocated = await put(`${made.path}/status`, made.body, { status: { allocation: { devices: { results } }, devices } })
  assertHas(allocated.body['status'], { devices })
  const released = await put(`${made.path}/status`, allocated.body, { 'status.allocation': undefined })
  assertHas(released.body['status'], { devices: undefined })
})

test('an ExternalName service has no internalTrafficPolicy', async () => {
  const spec = { type: 'ExternalName', externalName: 'a.b', internalTrafficPolicy: 'Local' }
  const { body } = await make(inNamespace('v1', 'services'), { kind: 'Service', apiVersion: 'v1', metadata: { name: 'outside' }, spec })
  assertHas(body, { spec: { internalTrafficPolicy: undefined } })
})
