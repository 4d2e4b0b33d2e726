/** Plugins with one or two rules. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alwaysAdmit, alwaysDeny } from '../../../../core/admission/plugins/always.ts'
import { clusterTrustBundleAttest } from '../../../../core/admission/plugins/certificate-signers.ts'
import { denyServiceExternalIps } from '../../../../core/admission/plugins/deny-service-external-ips.ts'
import { extendedResourceToleration } from '../../../../core/admission/plugins/extended-resource-toleration.ts'
import { limitPodHardAntiAffinityTopology } from '../../../../core/admission/plugins/limit-pod-hard-anti-affinity-topology.ts'
import { namespaceExists } from '../../../../core/admission/plugins/namespace-exists.ts'
import { nodeDeclaredFeatureValidator } from '../../../../core/admission/plugins/node-declared-feature-validator.ts'
import { jobValidation, podGroupProtection, podGroupWorkloadExists } from '../../../../core/admission/plugins/pod-groups.ts'
import { podResizeValidator } from '../../../../core/admission/plugins/pod-resize-validator.ts'
import type { Toleration } from '../../../../core/admission/plugins/tolerations.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { admit, contextWith } from '../context.ts'

const pod = (spec: object = {}) => ({ metadata: { name: 'p', namespace: 'dev' }, spec })

test('AlwaysAdmit and AlwaysDeny', async () => {
  const write = { on: 'pods', operation: 'CREATE', object: pod(), namespace: 'dev' } as const
  assert.equal(await admit(alwaysAdmit(contextWith()), write), undefined)
  assert.equal(await admit(alwaysDeny(contextWith()), write), 'admission control is denying all modifications')
})

test('NamespaceExists: for all namespaced resources', async () => {
  const plugin = namespaceExists(contextWith({ 'namespaces//dev': { metadata: { name: 'dev' } } }))
  for (const operation of ['CREATE', 'UPDATE', 'DELETE'] as const) {
    assert.equal(await admit(plugin, { on: 'pods', operation, object: pod(), namespace: 'dev' }), undefined)
    assert.equal(await admit(plugin, { on: 'pods', operation, object: pod(), namespace: 'gone' }), 'namespaces "gone" not found')
  }
  assert.equal(await admit(plugin, { on: 'nodes', operation: 'CREATE', object: { metadata: { name: 'n' } } }), undefined)
})

test('NamespaceAutoProvision: the first object creates its namespace, a dry run does not', async () => {
  const { fetch, close } = await startInProcess({ controllers: [], admissionPlugins: { enable: ['NamespaceAutoProvision'] } })
  const post = (path: string) =>
    fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ metadata: { name: 'c' } }),
    })
  assert.equal((await post('/api/v1/namespaces/fresh/configmaps?dryRun=All')).status, 404)
  assert.equal((await post('/api/v1/namespaces/fresh/configmaps')).status, 201)
  assert.equal((await fetch('/api/v1/namespaces/fresh')).status, 200)
  const refused = await post('/api/v1/namespaces/Not_a_name/configmaps')
  assert.equal(refused.status, 403, await refused.clone().text())
  await close()
})

test('LimitPodHardAntiAffinityTopology', async () => {
  const plugin = limitPodHardAntiAffinityTopology(contextWith())
  const away = (topologyKey: string, how = 'requiredDuringSchedulingIgnoredDuringExecution') =>
    admit(plugin, {
      on: 'pods',
      operation: 'CREATE',
      object: pod({ affinity: { podAntiAffinity: { [how]: [{ topologyKey }] } } }),
      namespace: 'dev',
    })
  assert.equal(await away('kubernetes.io/hostname'), undefined)
  assert.equal(await away('zone', 'preferredDuringSchedulingIgnoredDuringExecution'), undefined)
  assert.equal(
    await away('zone'),
    'affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key kubernetes.io/hostname is allowed',
  )
})

test('DenyServiceExternalIPs: existing external IPs may stay', async () => {
  const plugin = denyServiceExternalIps(contextWith())
  const service = (...externalIPs: string[]) => ({ metadata: { name: 's' }, spec: { externalIPs } })
  const denied = 'Use of external IPs is denied by admission control'
  const rows: readonly (readonly [object: object, old: object | undefined, refusal: string | undefined])[] = [
    [service(), undefined, undefined],
    [service('1.2.3.4'), undefined, denied],
    [service('1.2.3.4'), service('1.2.3.4', '5.6.7.8'), undefined],
    [service('1.2.3.4', '9.9.9.9'), service('1.2.3.4'), denied],
  ]
  for (const [object, old, expected] of rows)
    assert.equal(
      await admit(plugin, { on: 'services', operation: old ? 'UPDATE' : 'CREATE', object, ...(old && { old }), namespace: 'dev' }),
      expected,
    )
})

test('ExtendedResourceToleration: one for each extended resource', async () => {
  const asks = (...names: string[]) => ({ name: 'c', resources: { requests: Object.fromEntries(names.map((name) => [name, '1'])) } })
  const mine = { key: 'example.com/b', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 5 }
  const object = pod({
    containers: [asks('cpu', 'example.com/b', 'example.com/a')],
    initContainers: [asks('kubernetes.io/x', 'requests.example.com/y', 'example.com/c')],
    tolerations: [mine],
  })
  await admit(extendedResourceToleration(contextWith()), { on: 'pods', operation: 'CREATE', object, namespace: 'dev' })
  const { tolerations } = object.spec as { tolerations: readonly Toleration[] }
  assert.deepEqual(
    tolerations.map(({ key }) => key),
    ['example.com/b', 'example.com/a', 'example.com/c'],
  )
  assert.deepEqual(tolerations[1], { key: 'example.com/a', operator: 'Exists', effect: 'NoSchedule' })
  assert.deepEqual(
    tolerations[0],
    { key: 'example.com/b', operator: 'Exists', effect: 'NoSchedule' },
    'without seconds, which are for NoExecute',
  )
})

test('ExtendedResourceToleration: what pods tolerate already', async () => {
  const needed = { key: 'example.com/a', operator: 'Exists', effect: 'NoSchedule' }
  const other = { key: 'foo', operator: 'Equal', value: 'bar', effect: 'NoSchedule' }
  const evicted = { key: 'example.com/a', operator: 'Equal', value: 'foo', effect: 'NoExecute' }
  const every = { operator: 'Exists' }
  const rows: readonly (readonly [resource: string, given: readonly object[] | undefined, expected: readonly object[] | undefined])[] = [
    ['', undefined, undefined],
    ['cpu', undefined, undefined],
    ['cpu', [other], [other]],
    ['example.com/a', undefined, [needed]],
    ['example.com/a', [other], [other, needed]],
    ['example.com/a', [needed], [needed]],
    ['example.com/a', [needed, other, needed], [needed, other, needed]],
    ['example.com/a', [evicted], [evicted, needed]],
    ['example.com/a', [every], [every, needed]],
    ['example.com/a', [{ ...needed, tolerationSeconds: 5 }], [needed]],
  ]
  for (const [resource, given, expected] of rows)
    for (const [of, operation] of [
      ['containers', 'CREATE'],
      ['initContainers', 'UPDATE'],
    ] as const) {
      const requests = resource === '' ? {} : { [resource]: '1' }
      const object = pod({ [of]: [{ name: 'c', resources: { requests } }], ...(given && { tolerations: given }) })
      await admit(extendedResourceToleration(contextWith()), { on: 'pods', operation, object, old: object, namespace: 'dev' })
      assert.deepEqual((object.spec as { tolerations?: object }).tolerations, expected, `${resource} ${JSON.stringify(given)}`)
    }
})

test('ClusterTrustBundleAttest: rights for one signer or all signers of its domain', async () => {
  const attest = (allowed: string, signerName: string, old?: object, gate = true) =>
    admit(
      clusterTrustBundleAttest(
        contextWith(
          {},
          {
            enabled: () => gate,
            authorizer: {
              name: 'list',
              authorize: ({ verb, name }) => ({ verdict: verb === 'attest' && name === allowed ? 'allow' : 'no-opinion', reason: '' }),
            },
          },
        ),
      ),
      {
        on: 'clustertrustbundles.certificates.k8s.io',
        operation: old ? 'UPDATE' : 'CREATE',
        object: { metadata: { name: 'b', finalizers: ['a/b'] }, spec: { signerName, trustBundle: 'x' } },
        ...(old && { old }),
      },
    )
  const refusal = 'user not permitted to attest for signerName "example.com/a"'
  assert.equal(await attest('', 'example.com/a'), refusal)
  assert.equal(await attest('', 'example.com/a', undefined, false), undefined, 'without the gate')
  assert.equal(await attest('example.com/a', 'example.com/a'), undefined)
  assert.equal(await attest('example.com/*', 'example.com/a'), undefined)
  assert.equal(await attest('', ''), undefined, 'without a signer')
  const old = (trustBundle: string) => ({ metadata: { name: 'b' }, spec: { signerName: 'example.com/a', trustBundle } })
  assert.equal(await attest('', 'example.com/a', old('x')), undefined, 'the garbage collector may update metadata')
  assert.equal(await attest('', 'example.com/a', old('y')), refusal)
})

test('PodResizeValidator: only on Linux nodes, up to what the node can allocate', async () => {
  const node = (name: string, labels: object = {}) => [
    `nodes//${name}`,
    { metadata: { name, labels }, status: { allocatable: { cpu: '1', memory: '1Gi' } } },
  ]
  const stored = Object.fromEntries([
    node('linux', { 'kubernetes.io/os': 'linux' }),
    node('plain'),
    node('windows', { 'kubernetes.io/os': 'windows' }),
  ])
  const resize = (nodeName: string, requests: object, { on = 'pods/resize', generation = 2 } = {}) => {
    const object = pod({
      nodeName,
      containers: [
        { name: 'a', resources: { requests } },
        { name: 'b', resources: { requests: { cpu: '500m' } } },
      ],
    })
    return admit(podResizeValidator(contextWith(stored)), {
      ...{ on, operation: 'UPDATE', namespace: 'dev' },
      object: { ...object, metadata: { ...object.metadata, generation } },
      old: { ...object, metadata: { ...object.metadata, generation: 1 } },
    })
  }
  assert.equal(await resize('linux', { cpu: '500m', memory: '1Gi' }), undefined)
  assert.equal(await resize('plain', { cpu: '500m' }), undefined, 'a node without the label counts as Linux')
  assert.equal(
    await resize('linux', { cpu: '0.6', memory: '2Gi' }),
    "node didn't have enough allocatable resources: cpu, requested: 1100, allocatable: 1000; memory, requested: 2147483648, allocatable: 1073741824",
  )
  assert.equal(await resize('windows', {}), 'pod resize is only supported on linux nodes, node "windows" is "windows"')
  assert.equal(await resize('gone', {}), 'node "gone" not found')
  assert.equal(await resize('', { cpu: '9' }), undefined, 'not scheduled yet')
  assert.equal(await resize('gone', { cpu: '9' }, { generation: 1 }), undefined, 'nothing changes')
  assert.equal(await resize('gone', { cpu: '9' }, { on: 'pods' }), undefined)
})

test('groups of pods: finalizer, workload, and jobs that keep their parallelism; with the feature gate only', async () => {
  const template = { podGroupTemplates: [{ name: 'workers' }] }
  const stored = {
    'workloads/dev/training': { metadata: { name: 'training' }, spec: template },
    'workloads/dev/ending': { metadata: { name: 'ending', deletionTimestamp: 'x' }, spec: template },
    'podgroups/dev/gang': { metadata: { name: 'gang' }, spec: { schedulingPolicy: { gang: {} } } },
    'podgroups/dev/loose': { metadata: { name: 'loose' }, spec: { schedulingPolicy: { basic: {} } } },
  }
  const context = (gate = true) => contextWith(stored, { enabled: () => gate })
  const make = async (workload: object | undefined, gate = true) => {
    const object = { metadata: { name: 'g' }, spec: { ...(workload && { podGroupTemplateRef: { workload } }) } }
    const submission = { on: 'podgroups.scheduling.k8s.io', operation: 'CREATE', object, namespace: 'dev' } as const
    await admit(podGroupProtection(context(gate)), submission)
    return {
      finalizers: (object.metadata as { finalizers?: object }).finalizers,
      refusal: await admit(podGroupWorkloadExists(context(gate)), submission),
    }
  }
  const finalizers = ['scheduling.k8s.io/podgroup-protection']
  const named = (workloadName: string, podGroupTemplateName = 'workers') => ({ workloadName, podGroupTemplateName })
  const rejected = (why: string) => ({ finalizers, refusal: `PodGroup rejected: ${why}` })
  assert.deepEqual(await make(undefined), { finalizers, refusal: undefined })
  assert.deepEqual(await make(named('training')), { finalizers, refusal: undefined })
  assert.deepEqual(await make(named('none')), rejected('Workload "none" not found'))
  assert.deepEqual(await make(named('ending')), rejected('Workload "ending" is being deleted'))
  assert.deepEqual(await make(named('training', 'x')), rejected('PodGroupTemplate "x" not found in Workload "training"'))
  assert.deepEqual(await make(named('none'), false), { finalizers: undefined, refusal: undefined })

  const job = (parallelism: number, podGroupName: string) => ({
    metadata: { name: 'j' },
    spec: { parallelism, template: { spec: { schedulingGroup: { podGroupName } } } },
  })
  const scale = (name: string, to = 2, gate = true) =>
    admit(jobValidation(context(gate)), {
      ...{ on: 'jobs.batch', operation: 'UPDATE', namespace: 'dev' },
      object: job(to, name),
      old: job(1, name),
    })
  assert.equal(await scale('gang'), 'cannot change parallelism for a Job referencing gang-scheduled PodGroup "gang"')
  assert.deepEqual(
    [await scale('loose'), await scale('gang', 1), await scale('gone'), await scale('gang', 2, false)],
    Array(4).fill(undefined),
  )
})

test('NodeDeclaredFeatureValidator: updates require features of the node', async () => {
  const node = (name: string, ...declaredFeatures: string[]) => [`nodes//${name}`, { metadata: { name }, status: { declaredFeatures } }]
  const stored = Object.fromEntries([
    node('new', 'InPlacePodLevelResourcesVerticalScaling', 'InPlacePodVerticalScalingInitContainers'),
    node('old'),
  ])
  const size = (cpu: string) => ({ requests: { cpu } })
  const change = (nodeName: string, spec: object, old: object, on = 'pods/resize') =>
    admit(nodeDeclaredFeatureValidator(contextWith(stored)), {
      on,
      operation: 'UPDATE',
      object: pod({ nodeName, ...spec }),
      old: pod({ nodeName, ...old }),
      namespace: 'dev',
    })
  const grown = [{ resources: size('2') }, { resources: size('1') }] as const
  const init = (cpu: string, more: object = {}) => ({ initContainers: [{ name: 'i', resources: size(cpu), ...more }] })
  const missing = (name: string) => `pod update requires features ${name} which are not available on node "old"`
  assert.equal(await change('new', ...grown), undefined)
  assert.equal(await change('old', ...grown), missing('InPlacePodLevelResourcesVerticalScaling'))
  assert.equal(await change('old', ...grown, 'pods/status'), undefined)
  assert.equal(await change('', ...grown), undefined, 'not scheduled yet')
  assert.equal(await change('gone', ...grown), 'node "gone" not found')
  assert.equal(await change('old', init('2'), init('1')), missing('InPlacePodVerticalScalingInitContainers'))
  const sidecar = { restartPolicy: 'Always' }
  assert.equal(await change('old', init('2', sidecar), init('1', sidecar)), undefined)
})
