/** Effects of disabling a feature gate, or of emulating a release without it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gateRows } from '../../../core/config/feature-gate-rows.ts'
import { parseFeatureGates } from '../../../core/config/feature-gates.ts'
import { createPlatform } from '../../../core/platform.ts'
import { builtInResources } from '../../../core/resources/group-versions.ts'
import type { Schema } from '../../../core/schema/model.ts'
import { assertHas, type Client, causesOf, type Manifest, startServer, withChanges } from './support.ts'

const at = (minor: number, ...pairs: string[]) => startServer({ gates: parseFeatureGates(pairs, createPlatform(), `1.${minor}`) })
const own = at(36)

const pods = '/api/v1/namespaces/default/pods'
const services = '/api/v1/namespaces/default/services'
const pod = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } }
const service = { kind: 'Service', apiVersion: 'v1', metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } }

async function made(server: Promise<Client>, path: string, manifest: Manifest): Promise<Manifest> {
  const { code, body } = await (await server).send('POST', `${path}?dryRun=All`, manifest)
  assert.equal(code, 201, JSON.stringify(body))
  return body
}

test('ImageVolume: before 1.35 image volumes and their mounts are dropped', async () => {
  const volumeMounts = [
    { name: 'v', mountPath: '/v' },
    { name: 'w', mountPath: '/w' },
  ]
  const volumes = [
    { name: 'v', image: { reference: 'r' } },
    { name: 'w', emptyDir: {} },
  ]
  const manifest = withChanges(pod, { 'spec.volumes': volumes, 'spec.containers.0.volumeMounts': volumeMounts })
  assertHas(await made(own, pods, manifest), { spec: { volumes: [{ name: 'v' }, { name: 'w' }], containers: [{ volumeMounts }] } })
  assertHas(await made(at(34), pods, manifest), {
    spec: { volumes: [{ name: 'w', emptyDir: {} }], containers: [{ volumeMounts: [volumeMounts[1]] }] },
  })
})

test('PodObservedGenerationTracking: 1.33 drops observed generations', async () => {
  for (const [server, observedGeneration] of [
    [own, 1],
    [at(33), undefined],
  ] as const) {
    const { send } = await server
    const created = await send('POST', pods, withChanges(pod, { 'metadata.name': 'observed' }))
    const status = {
      ...(created.body['status'] as Manifest),
      observedGeneration: 1,
      conditions: [{ type: 'Ready', status: 'True', observedGeneration: 1 }],
    }
    const { body } = await send('PUT', `${pods}/observed/status`, { ...created.body, status })
    assertHas(body, { status: { observedGeneration, conditions: [{ type: 'Ready', observedGeneration }] } })
  }
})

test('PreferSameTrafficDistribution: 1.33 accepts only PreferClose, without a deprecation warning', async () => {
  const close = withChanges(service, { 'spec.trafficDistribution': 'PreferClose' })
  const near = withChanges(service, { 'spec.trafficDistribution': 'PreferSameNode' })
  const { send } = await at(33)
  assert.deepEqual((await send('POST', `${services}?dryRun=All`, close)).warnings, [])
  assert.deepEqual(causesOf(await send('POST', `${services}?dryRun=All`, near)), [
    'spec.trafficDistribution: Unsupported value: "PreferSameNode": supported values: "PreferClose"',
  ])
  await made(own, services, near)
})

test('StrictIPCIDRValidation: before 1.36 non-standard addresses are accepted with a warning', async () => {
  const odd = withChanges(service, { 'spec.externalIPs': ['010.1.2.3'] })
  const strict = await (await own).send('POST', `${services}?dryRun=All`, odd)
  assert.deepEqual(causesOf(strict), ['spec.externalIPs[0]: Invalid value: "010.1.2.3": must not have leading 0s'])
  const { code, warnings } = await (await at(35)).send('POST', `${services}?dryRun=All`, odd)
  assert.equal(code, 201)
  assert.equal(warnings[0], 'spec.externalIPs[0]: non-standard IP address "010.1.2.3" is invalid: use "10.1.2.3"')
  const bad = withChanges(service, { 'spec.externalIPs': ['a'] })
  assert.equal((await (await at(35)).send('POST', `${services}?dryRun=All`, bad)).code, 422)
})

test('MatchLabelKeysInPodTopologySpreadSelectorMerge: 1.33 leaves the selector of a constraint unchanged', async () => {
  const spread = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {}, matchLabelKeys: ['a'] }
  const manifest = withChanges(pod, { 'metadata.labels': { a: 'b' }, 'spec.topologySpreadConstraints': [spread] })
  const selectorOf = async (server: Promise<Client>) =>
    ((await made(server, pods, manifest))['spec'] as { topologySpreadConstraints: { labelSelector: unknown }[] })
      .topologySpreadConstraints[0]?.labelSelector
  assert.deepEqual(await selectorOf(own), { matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] })
  assert.deepEqual(await selectorOf(at(33)), {})
})

test('MutablePVNodeAffinity: the node affinity of a volume can change', async () => {
  const path = '/api/v1/persistentvolumes'
  const reach = (value: string) => ({
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'k', operator: 'In', values: [value] }] }] },
  })
  const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' }, nodeAffinity: reach('a') }
  const volume = { kind: 'PersistentVolume', apiVersion: 'v1', metadata: { name: 'v' }, spec }
  for (const [server, code] of [
    [own, 422],
    [at(36, 'MutablePVNodeAffinity=true'), 200],
  ] as const) {
    const { send } = await server
    const created = await send('POST', path, volume)
    assert.equal((await send('PUT', `${path}/v`, withChanges(created.body, { 'spec.nodeAffinity': reach('b') }))).code, code)
  }
})

test('OpenAPIEnums and StorageVersionHash: documents without them', async () => {
  const off = at(36, 'OpenAPIEnums=false', 'StorageVersionHash=false')
  const of = async (server: Promise<Client>) => {
    const { send } = await server
    const [openApi, discovery] = [await send('GET', '/openapi/v3/apis/apps/v1'), await send('GET', '/apis/apps/v1')]
    return [/"enum":\[/.test(JSON.stringify(openApi.body)), /storageVersionHash/.test(JSON.stringify(discovery.body))]
  }
  assert.deepEqual(await of(own), [true, true])
  assert.deepEqual(await of(off), [false, false])
})

test('RestartAllContainersOnContainerExits: before 1.36 one action is valid', async () => {
  const restartPolicyRules = [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [1] } }]
  const manifest = withChanges(pod, {
    'spec.containers.0.restartPolicy': 'Never',
    'spec.containers.0.restartPolicyRules': restartPolicyRules,
  })
  await made(own, pods, manifest)
  assert.deepEqual(causesOf(await (await at(35)).send('POST', `${pods}?dryRun=All`, manifest)), [
    'spec.containers[0].restartPolicyRules[0].action: Unsupported value: "RestartAllContainers": supported values: "Restart"',
  ])
})

test('InPlacePodVerticalScalingInitContainers: before 1.36 init containers are not resized, except sidecars', async () => {
  const resources = (cpu: string) => ({ requests: { cpu }, limits: { cpu: '1' } })
  const init = (cpu: string) => [
    { name: 'once', image: 'i', resources: resources(cpu) },
    { name: 'beside', image: 'i', restartPolicy: 'Always', resources: resources(cpu) },
  ]
  for (const [server, causes] of [
    [own, []],
    [at(35), ['spec.initContainers[0]: Forbidden: only cpu and memory resources for sidecar containers are mutable']],
  ] as const) {
    const { send } = await server
    const manifest = withChanges(pod, { 'metadata.name': 'resized', 'spec.initContainers': init('100m') })
    const created = await send('POST', pods, manifest)
    const answer = await send('PUT', `${pods}/resized/resize`, withChanges(created.body, { 'spec.initContainers': init('200m') }))
    assert.deepEqual(causesOf(answer), causes, JSON.stringify(answer.body))
  }
})

test('an empty list in a disabled field is dropped, and errors do not name disabled fields', async () => {
  const { send } = await at(36, 'ContainerRestartRules=false', 'RestartAllContainersOnContainerExits=false', 'EnvFiles=false')
  const manifest = withChanges(pod, {
    'spec.containers.0.env': [{ name: 'A', valueFrom: {} }],
    'spec.ephemeralContainers': [{ name: 'e', image: 'i', restartPolicyRules: [] }],
  })
  const expected = (sources: string, ...others: string[]) => [
    `spec.containers[0].env[0].valueFrom: Invalid value: "": must specify one of: \`fieldRef\`, \`resourceFieldRef\`, ${sources}`,
    ...others,
    'spec.ephemeralContainers: Forbidden: cannot be set on create',
  ]
  assert.deepEqual(causesOf(await send('POST', pods, manifest)), expected('`configMapKeyRef` or `secretKeyRef`'))
  assert.deepEqual(
    causesOf(await (await own).send('POST', pods, manifest)),
    expected(
      '`configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
      'spec.ephemeralContainers[0].restartPolicyRules: Forbidden: cannot be set for an Ephemeral Container',
    ),
  )
})

test('CSI drivers have a value for storageCapacity', async () => {
  const driver = { kind: 'CSIDriver', apiVersion: 'storage.k8s.io/v1', metadata: { name: 'd' }, spec: {} }
  assertHas(await made(own, '/apis/storage.k8s.io/v1/csidrivers', driver), { spec: { storageCapacity: false } })
})

test('every gate of a field or kind is a gate of the release', () => {
  const named = new Set<string>()
  const seen = new Set<Schema>()
  const walk = (schema: Schema): void => {
    if (seen.has(schema)) return
    seen.add(schema)
    if (schema.type === 'list') walk(schema.items)
    if (schema.type === 'map') walk(schema.values)
    if (schema.type !== 'message') return
    for (const { gate } of schema.gated ?? []) named.add(gate)
    for (const [, field] of schema.json) {
      for (const gate of field.gate?.split(',') ?? []) named.add(gate)
      walk(field.schema)
    }
  }
  for (const { schema, gate } of builtInResources) {
    if (gate) named.add(gate)
    walk(schema)
  }
  const known = new Set<string>(gateRows.map(({ name }) => name))
  assert.ok(named.size > 40)
  assert.deepEqual(
    [...named].filter((gate) => !known.has(gate)),
    [],
  )
})
