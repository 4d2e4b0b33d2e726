/** Fields that the server keeps, drops or sets on writes, beyond defaults. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiVersionOf } from '../../../core/resources/definition.ts'
import { builtInResources } from '../../../core/resources/group-versions.ts'
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
  const devices = [{ driver: 'd.io', pool: 'p', device: 'a', conditions: null }]
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

test('generations that no update counts: a priority class stays at 1, an autoscaler has none', async () => {
  const group = 'scheduling.k8s.io/v1'
  const urgent = await make(`/apis/${group}/priorityclasses`, {
    kind: 'PriorityClass',
    apiVersion: group,
    metadata: { name: 'urgent' },
    value: 5,
  })
  assert.equal(urgent.body.metadata['generation'], 1)
  const described = await put(urgent.path, urgent.body, { description: 'first' })
  assert.deepEqual([described.body['description'], described.body.metadata['generation']], ['first', 1])
  for (const version of ['autoscaling/v1', 'autoscaling/v2']) {
    const scaler = await make(inNamespace(version, 'horizontalpodautoscalers'), {
      kind: 'HorizontalPodAutoscaler',
      apiVersion: version,
      metadata: { name: version.replace('/', '-') },
      spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' } },
    })
    assert.equal(scaler.body.metadata['generation'], undefined)
    assert.equal((await put(scaler.path, scaler.body, { 'spec.maxReplicas': 4 })).body.metadata['generation'], undefined)
  }
})

test('of the secrets of an account only the names are kept', async () => {
  const secrets = [{ kind: 'Secret', namespace: 'elsewhere', name: 'a', uid: 'u' }, { name: 'b' }]
  const account = await make(inNamespace('v1', 'serviceaccounts'), {
    kind: 'ServiceAccount',
    apiVersion: 'v1',
    metadata: { name: 'named' },
    secrets,
  })
  assert.deepEqual(account.body['secrets'], [{ name: 'a' }, { name: 'b' }])
  const updated = await put(account.path, account.body, { secrets: [{ name: 'c', kind: 'Secret' }] })
  assert.deepEqual(updated.body['secrets'], [{ name: 'c' }])
})

const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '0.1m' } } }
const amounts = { cpu: '0.0001', memory: '1.0000001Ki', storage: '1e-6' }
const rounded = { cpu: '1m', memory: '1024001m', storage: '1e-3' }
const lists: readonly (readonly [path: string, manifest: Manifest, stored: Manifest])[] = [
  [
    '/api/v1/nodes',
    { kind: 'Node', apiVersion: 'v1', metadata: { name: 'fine' }, status: { capacity: amounts } },
    { status: { capacity: rounded, allocatable: rounded } },
  ],
  [
    inNamespace('v1', 'resourcequotas'),
    { kind: 'ResourceQuota', apiVersion: 'v1', metadata: { name: 'fine' }, spec: { hard: { 'requests.cpu': '1u', 'limits.cpu': '2' } } },
    { spec: { hard: { 'requests.cpu': '1m', 'limits.cpu': '2' } } },
  ],
  [
    inNamespace('v1', 'limitranges'),
    { kind: 'LimitRange', apiVersion: 'v1', metadata: { name: 'fine' }, spec: { limits: [{ type: 'Pod', max: { cpu: '1000001u' } }] } },
    { spec: { limits: [{ type: 'Pod', max: { cpu: '1001m' } }] } },
  ],
  [
    inNamespace('v1', 'persistentvolumeclaims'),
    { kind: 'PersistentVolumeClaim', apiVersion: 'v1', metadata: { name: 'fine' }, spec: claim },
    { spec: { resources: { requests: { storage: '1m' } } } },
  ],
  [
    '/apis/node.k8s.io/v1/runtimeclasses',
    {
      kind: 'RuntimeClass',
      apiVersion: 'node.k8s.io/v1',
      metadata: { name: 'fine' },
      handler: 'h',
      overhead: { podFixed: { cpu: '100n' } },
    },
    { overhead: { podFixed: { cpu: '1m' } } },
  ],
  [
    pods,
    pod('fine', {
      spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '0.0001' }, limits: { cpu: '1.0001' } } }] },
    }),
    { spec: { containers: [{ resources: { requests: { cpu: '1m' }, limits: { cpu: '1001m' } } }] } },
  ],
]
for (const [path, manifest, stored] of lists) {
  test(`amounts of resources are rounded up to thousandths: ${manifest['kind']}`, async () =>
    assertHas((await make(`${path}?dryRun=All`, manifest)).body, stored))
}

test('huge pages of containers count for the pod, unless it requests them itself', async () => {
  const container = { name: 'c', image: 'i', resources: { limits: { 'hugepages-2Mi': '4Mi', memory: '1Gi', cpu: '1' } } }
  const resources = { limits: { memory: '2Gi' } }
  const { body } = await make(pods, pod('huge', { spec: { containers: [container], resources } }))
  assertHas(body, { spec: { resources: { limits: { 'hugepages-2Mi': '4Mi', memory: '2Gi' }, requests: { 'hugepages-2Mi': '4Mi' } } } })
  const requested = { requests: { 'hugepages-2Mi': '4Mi', memory: '1Gi' } }
  const own = await (await client).send('POST', pods, pod('own', { spec: { containers: [container], resources: requested } }))
  assert.equal(own.code, 422, 'a request of huge pages without a limit')
})

test('the time of a device taint is that of its effect', async () => {
  const before = '2001-02-03T04:05:06Z'
  const apiVersion = 'resource.k8s.io/v1beta2'
  const rule = await make(`/apis/${apiVersion}/devicetaintrules`, {
    kind: 'DeviceTaintRule',
    apiVersion,
    metadata: { name: 'timed' },
    spec: { taint: { key: 'a', effect: 'NoSchedule', timeAdded: before } },
  })
  const timeOf = ({ body }: Answer) => (body['spec'] as { taint: { timeAdded?: string } }).taint.timeAdded
  const renamed = await put(rule.path, rule.body, { 'spec.taint.key': 'b' })
  assert.equal(timeOf(renamed), before)
  const later = await put(rule.path, renamed.body, { 'spec.taint.effect': 'NoExecute' })
  assert.ok((timeOf(later) ?? '') > before)
  const chosen = '2002-02-03T04:05:06Z'
  const given = await put(rule.path, later.body, { 'spec.taint.effect': 'None', 'spec.taint.timeAdded': chosen })
  assert.equal(timeOf(given), chosen)
  const conditions = Array.from({ length: 9 }, (_, i) => ({
    type: `T${i}`,
    status: 'True',
    reason: 'R',
    message: '',
    lastTransitionTime: before,
  }))
  const many = await (await client).send('PUT', `${rule.path}/status`, withChanges(given.body, { 'status.conditions': conditions }))
  assert.equal(many.code, 422, 'rules of the status hold in all versions')
})

test('a driver name with capital letters is warned of', async () => {
  const apiVersion = 'resource.k8s.io/v1'
  const spec = { driver: 'Gpu.example.com', nodeName: 'n', pool: { name: 'p', resourceSliceCount: 1 }, devices: [{ name: 'd' }] }
  const slice = { kind: 'ResourceSlice', apiVersion, metadata: { name: 'capital' }, spec }
  const { warnings } = await make(`/apis/${apiVersion}/resourceslices`, slice)
  assert.deepEqual(warnings, ['spec.driver: driver names should be lowercase; "Gpu.example.com" contains uppercase characters'])
})

test('a group version that this server serves is available at once', async () => {
  const apiVersion = 'apiregistration.k8s.io/v1'
  const spec = { group: 'local.example.com', version: 'v1', groupPriorityMinimum: 10, versionPriority: 10 }
  const path = `/apis/${apiVersion}/apiservices`
  const local = await make(path, { kind: 'APIService', apiVersion, metadata: { name: 'v1.local.example.com' }, spec })
  const condition = { type: 'Available', status: 'True', reason: 'Local', message: 'Local APIServices are always available' }
  assertHas(local.body, { status: { conditions: [condition] } })
  const remote = { ...spec, group: 'far.example.com', service: { name: 's', namespace: 'n' } }
  const far = await make(path, { kind: 'APIService', apiVersion, metadata: { name: 'v1.far.example.com' }, spec: remote })
  assert.deepEqual(far.body['status'], {})
})

test('what a write of the status changes of metadata', async () => {
  const note = { 'metadata.annotations': { note: 'x' } }
  const finalizers = { 'metadata.finalizers': ['example.com/hold'] }
  const owner = { kind: 'Node', apiVersion: 'v1', name: 'n', uid: 'u' }
  const changes = { ...note, ...finalizers, 'metadata.labels': { app: 'web' }, 'metadata.ownerReferences': [owner] }
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  const spec = { selector: { matchLabels: { a: 'b' } }, template }
  const [deployments, sets] = [inNamespace('apps/v1', 'deployments'), inNamespace('apps/v1', 'daemonsets')]
  const make1 = (kind: string, path: string) => make(path, { kind, apiVersion: 'apps/v1', metadata: { name: 'marked' }, spec })
  const written = async ({ path, body }: { path: string; body: Manifest }) => (await put(`${path}/status`, body, changes)).body.metadata
  const all = { annotations: { note: 'x' }, finalizers: ['example.com/hold'], labels: { app: 'web' }, ownerReferences: [owner] }
  assertHas(await written(await make1('DaemonSet', sets)), { finalizers: all.finalizers, labels: all.labels, ownerReferences: [owner] })
  const { labels: _labels, ...unlabelled } = all
  assertHas(await written(await make1('Deployment', deployments)), { ...unlabelled, labels: undefined })
  const { ownerReferences: _owners, ...unowned } = all
  assertHas(await written(await make(pods, pod('marked'))), { ...unowned, ownerReferences: undefined })
  const group = 'networking.k8s.io/v1'
  const range = { kind: 'ServiceCIDR', apiVersion: group, metadata: { name: 'marked' }, spec: { cidrs: ['10.9.0.0/24'] } }
  const none = { annotations: undefined, finalizers: undefined, labels: undefined, ownerReferences: undefined }
  assertHas(await written(await make(`/apis/${group}/servicecidrs`, range)), none)
})

test('hooks are with the version that is stored: those of other versions would never run, except their defaults', () => {
  const stored = new Map(
    builtInResources
      .filter((row) => row.storageVersion === undefined || row.storageVersion === apiVersionOf(row))
      .map((row) => [row.storageKey, row]),
  )
  for (const row of builtInResources) {
    const storedRow = stored.get(row.storageKey)
    const lost = storedRow
      ? Object.keys(row.strategy).filter((hook) => hook !== 'defaults' && !Object.hasOwn(storedRow.strategy, hook))
      : []
    assert.deepEqual(lost, [], `${apiVersionOf(row)} ${row.kind}`)
  }
})
