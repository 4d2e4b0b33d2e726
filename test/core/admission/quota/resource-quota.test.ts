/** Resource quotas: usage of objects, messages of refusals, and no overcommitment under concurrency. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LimitedResource } from '../../../../core/admission/configuration.ts'
import { checkRequest } from '../../../../core/admission/quota/check.ts'
import { createEvaluators } from '../../../../core/admission/quota/evaluators.ts'
import type { QuotaObject } from '../../../../core/admission/quota/quota.ts'
import { ApiError } from '../../../../core/answers/status.ts'
import { Pauses } from '../../../../core/common/slices.ts'
import type { ApiObject } from '../../../../core/resources/definition.ts'
import { memoryStore } from '../../../../runtimes/web/index.ts'
import { ManualClock } from '../../../support/clock.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { eventually } from '../../../support/wait.ts'
import { attributesOf, type Write } from '../attributes.ts'
import { contextWith } from '../context.ts'

const classes = {
  'deviceclasses//gpu': { metadata: { name: 'gpu' }, spec: { extendedResourceName: 'example.com/gpu' } },
}
const evaluatorOf = createEvaluators(contextWith(classes))
const on = (name: string) => {
  const [resource = '', ...group] = name.split('.')
  return { group: group.join('.'), resource }
}
const usageOf = async (resource: string, object: object) => evaluatorOf(on(resource)).usage(object as ApiObject)

const sized = (requests: object, limits: object = {}, more: object = {}) => ({ name: 'c', resources: { requests, limits }, ...more })
const pod = (spec: object, more: object = {}) => ({ metadata: { name: 'p', namespace: 'dev' }, spec, ...more })

test('usage of pods: everything that runs at the same time, and nothing after the pod has ended', async () => {
  const rows: readonly (readonly [what: string, object: object, expected: object])[] = [
    [
      'containers',
      pod({ containers: [sized({ cpu: '100m', memory: '1Gi' }, { cpu: '1' }), sized({ cpu: '150m' }, { cpu: '1', memory: '2Gi' })] }),
      {
        'count/pods': '1',
        pods: '1',
        cpu: '250m',
        'requests.cpu': '250m',
        'limits.cpu': '2',
        memory: '1Gi',
        'requests.memory': '1Gi',
        'limits.memory': '2Gi',
      },
    ],
    [
      'devices and huge pages',
      pod({ containers: [sized({ 'example.com/gpu': '2', 'hugepages-2Mi': '4Mi', 'ephemeral-storage': '1Gi' })] }),
      {
        'count/pods': '1',
        pods: '1',
        'requests.example.com/gpu': '2',
        'hugepages-2Mi': '4Mi',
        'requests.hugepages-2Mi': '4Mi',
        'ephemeral-storage': '1Gi',
        'requests.ephemeral-storage': '1Gi',
      },
    ],
    [
      'an init container that needs more, and overhead',
      pod({ containers: [sized({ cpu: '1' })], initContainers: [sized({ cpu: '3' })], overhead: { cpu: '1' } }),
      { 'count/pods': '1', pods: '1', cpu: '4', 'requests.cpu': '4' },
    ],
    [
      'pod-level resources',
      pod({ containers: [sized({ cpu: '1' })], resources: { requests: { cpu: '2' } } }),
      { 'count/pods': '1', pods: '1', cpu: '2', 'requests.cpu': '2' },
    ],
    [
      'resources still allocated on the node',
      pod({ containers: [sized({ cpu: '1' })] }, { status: { containerStatuses: [{ name: 'c', resources: { requests: { cpu: '3' } } }] } }),
      { 'count/pods': '1', pods: '1', cpu: '3', 'requests.cpu': '3' },
    ],
    ['ended', pod({ containers: [sized({ cpu: '1' })] }, { status: { phase: 'Succeeded' } }), { 'count/pods': '1' }],
    [
      'overdue',
      { ...pod({ containers: [] }), metadata: { deletionTimestamp: '2020-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 } },
      { 'count/pods': '1' },
    ],
  ]
  for (const [what, object, expected] of rows) assert.deepEqual(await usageOf('pods', object), expected, what)
})

test('usage of services, claims and other objects', async () => {
  const ports = [{ port: 1 }, { port: 2, nodePort: 30000 }]
  const service = (spec: object) => usageOf('services', { metadata: {}, spec })
  const counts = { 'count/services': '1', services: '1' }
  assert.deepEqual(await service({ ports }), { ...counts, 'services.nodeports': '0', 'services.loadbalancers': '0' })
  assert.deepEqual(await service({ type: 'NodePort', ports }), { ...counts, 'services.nodeports': '2', 'services.loadbalancers': '0' })
  const balancer = { type: 'LoadBalancer', ports }
  assert.deepEqual(await service(balancer), { ...counts, 'services.nodeports': '2', 'services.loadbalancers': '1' })
  assert.deepEqual(await service({ ...balancer, allocateLoadBalancerNodePorts: false }), {
    ...counts,
    'services.nodeports': '1',
    'services.loadbalancers': '1',
  })

  const claim = (spec: object, status = {}) => usageOf('persistentvolumeclaims', { metadata: {}, spec, status })
  const one = { 'count/persistentvolumeclaims': '1', persistentvolumeclaims: '1' }
  const resources = { requests: { storage: '5Gi' } }
  assert.deepEqual(await claim({ resources, storageClassName: 'gold' }), {
    ...one,
    'requests.storage': '5Gi',
    'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '1',
    'gold.storageclass.storage.k8s.io/requests.storage': '5Gi',
  })
  const grown = await claim({ resources }, { allocatedResources: { storage: '8Gi' } })
  assert.deepEqual(grown, { ...one, 'requests.storage': '8Gi' })
  assert.deepEqual(await claim({ resources: { requests: { storage: '1500m' } } }), { ...one, 'requests.storage': '2' }, 'whole bytes')

  const devices = {
    requests: [
      { exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 2 } },
      {
        firstAvailable: [
          { deviceClassName: 'nic', allocationMode: 'ExactCount', count: 3 },
          { deviceClassName: 'nic', allocationMode: 'All' },
        ],
      },
    ],
  }
  assert.deepEqual(await usageOf('resourceclaims.resource.k8s.io', { metadata: {}, spec: { devices } }), {
    'count/resourceclaims.resource.k8s.io': '1',
    'gpu.deviceclass.resource.k8s.io/devices': '2',
    'nic.deviceclass.resource.k8s.io/devices': '32',
    'requests.deviceclass.resource.kubernetes.io/gpu': '2',
    'requests.example.com/gpu': '2',
    'requests.deviceclass.resource.kubernetes.io/nic': '32',
  })
  assert.deepEqual(await usageOf('configmaps', {}), { 'count/configmaps': '1', configmaps: '1' })
  assert.deepEqual(await usageOf('widgets.example.com', {}), { 'count/widgets.example.com': '1' })
})

const slices = new Pauses(new ManualClock()).sharedSlices()

const quota = (hard: object, used: object, spec: object = {}): QuotaObject => ({
  kind: 'ResourceQuota',
  apiVersion: 'v1',
  metadata: { name: 'q', namespace: 'dev' },
  spec: { hard: hard as { [name: string]: string }, ...spec },
  status: { hard: hard as { [name: string]: string }, used: used as { [name: string]: string } },
})

/** The refusal, or the usage after the write. */
async function charge(quotas: QuotaObject[], write: Partial<Write>, limited: readonly LimitedResource[] = []): Promise<unknown> {
  const attributes = attributesOf({ on: 'pods', operation: 'CREATE', namespace: 'dev', ...write })
  const evaluator = evaluatorOf(attributes.groupResource)
  if (!evaluator.handles(attributes)) return 'not asked'
  try {
    return (await checkRequest({ quotas, attributes, evaluator, limited, slices })).map(({ status }) => status?.used)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    assert.equal(error.status.code, 403)
    return error.message
  }
}

test('refusals', async () => {
  const small = pod({ containers: [sized({ cpu: '1' })] })
  assert.deepEqual(await charge([quota({ pods: '2', cpu: '2' }, { pods: '1', cpu: '1' })], { object: small }), [{ pods: '2', cpu: '2' }])
  assert.equal(
    await charge([quota({ pods: '1', cpu: '4' }, { pods: '1', cpu: '0' })], { object: small }),
    'pods "p" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
  )
  assert.equal(
    await charge([quota({ 'limits.cpu': '1', memory: '1', cpu: '1' }, { 'limits.cpu': '0', memory: '0', cpu: '0' })], { object: small }),
    'pods "p" is forbidden: failed quota: q: must specify limits.cpu for: c; memory for: c',
  )
  const named = pod({ containers: [sized({}, {}, { name: 'b' }), sized({}, {}, { name: 'a' })] })
  assert.equal(
    await charge([quota({ cpu: '1' }, { cpu: '0' })], { object: named }),
    'pods "p" is forbidden: failed quota: q: must specify cpu for: a,b',
  )
  assert.equal(
    await charge([quota({ pods: '1' }, {})], { object: small }),
    'pods "p" is forbidden: status unknown for quota: q, resources: pods',
  )
  assert.equal(
    await charge([quota({ pods: '1', 'requests.example.com/gpu': '1' }, { pods: '0', 'requests.example.com/gpu': '1' })], {
      object: { ...pod({ containers: [sized({ 'example.com/gpu': '1' })] }), metadata: { generateName: 'g-', namespace: 'dev' } },
      name: '',
    }),
    'pods "g-" is forbidden: exceeded quota: q, requested: requests.example.com/gpu=1, used: requests.example.com/gpu=1, limited: requests.example.com/gpu=1',
  )
  assert.deepEqual(
    await charge([quota({ secrets: '1' }, { secrets: '1' })], { object: small }),
    [{ secrets: '1' }],
    'not covered by the quota',
  )
})

test('updates are charged for the increase', async () => {
  const service = (type: string) => ({ metadata: { name: 's' }, spec: { type, ports: [{}] } })
  const update = (old: string, now: string) =>
    charge([quota({ 'services.nodeports': '1', services: '1' }, { 'services.nodeports': '0', services: '1' })], {
      on: 'services',
      operation: 'UPDATE',
      object: service(now),
      old: service(old),
    })
  assert.deepEqual(await update('ClusterIP', 'NodePort'), [{ 'services.nodeports': '1', services: '1' }])
  assert.deepEqual(
    await update('NodePort', 'ClusterIP'),
    [{ 'services.nodeports': '0', services: '1' }],
    'a decrease is counted later, by the controller',
  )
  const size = (storage: string) => ({ metadata: { name: 'c' }, spec: { resources: { requests: { storage } } } })
  const grow = { on: 'persistentvolumeclaims', operation: 'UPDATE', object: size('3Gi'), old: size('1Gi') } as const
  assert.deepEqual(await charge([quota({ 'requests.storage': '3Gi' }, { 'requests.storage': '1Gi' })], grow), [
    { 'requests.storage': '3Gi' },
  ])
  assert.equal(
    await charge([quota({ 'requests.storage': '2Gi' }, { 'requests.storage': '1Gi' })], grow),
    'persistentvolumeclaims "c" is forbidden: exceeded quota: q, requested: requests.storage=2Gi, used: requests.storage=1Gi, limited: requests.storage=2Gi',
  )
  const resize = { on: 'pods/resize', operation: 'UPDATE' } as const
  const cpu = (amount: string) => pod({ containers: [sized({ cpu: amount })] })
  assert.deepEqual(await charge([quota({ cpu: '4' }, { cpu: '1' })], { ...resize, object: cpu('3'), old: cpu('1') }), [{ cpu: '3' }])
  assert.equal(await charge([], { operation: 'UPDATE', object: cpu('3'), old: cpu('1') }), 'not asked')
  const ends = { operation: 'UPDATE', object: pod({ activeDeadlineSeconds: 5 }), old: pod({}) } as const
  assert.deepEqual(
    await charge([quota({ pods: '9' }, { pods: '1' }, { scopes: ['Terminating'] })], ends),
    [{ pods: '2' }],
    'new to the scope',
  )
})

test('scopes', async () => {
  const affinity = (term: object) => ({ affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } })
  const by = (operator: string, ...values: string[]) => ({
    scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator, values }] },
  })
  const rows: readonly (readonly [spec: object, podSpec: object, counted: boolean])[] = [
    [{ scopes: ['Terminating'] }, { activeDeadlineSeconds: 0 }, true],
    [{ scopes: ['Terminating'] }, {}, false],
    [{ scopes: ['NotTerminating'] }, {}, true],
    [{ scopes: ['BestEffort'] }, { containers: [{ name: 'c' }] }, true],
    [{ scopes: ['BestEffort'] }, { containers: [sized({ cpu: '1' })] }, false],
    [{ scopes: ['NotBestEffort', 'NotTerminating'] }, { containers: [sized({ cpu: '1' })] }, true],
    [{ scopes: ['NotBestEffort', 'Terminating'] }, { containers: [sized({ cpu: '1' })] }, false],
    [{ scopes: ['PriorityClass'] }, { priorityClassName: 'high' }, true],
    [{ scopes: ['PriorityClass'] }, {}, false],
    [by('In', 'high', 'mid'), { priorityClassName: 'high' }, true],
    [by('In', 'high'), { priorityClassName: 'low' }, false],
    [by('In', 'high'), {}, false],
    [by('NotIn', 'high'), { priorityClassName: 'low' }, true],
    [by('NotIn', 'high'), {}, true],
    [by('DoesNotExist'), {}, true],
    [{ scopes: ['CrossNamespacePodAffinity'] }, affinity({ namespaces: ['other'] }), true],
    [{ scopes: ['CrossNamespacePodAffinity'] }, affinity({ namespaceSelector: {} }), true],
    [{ scopes: ['CrossNamespacePodAffinity'] }, affinity({}), false],
    [{ scopes: ['VolumeAttributesClass'] }, {}, false],
  ]
  for (const [spec, podSpec, counted] of rows) {
    const expected = counted ? [{ pods: '1' }] : [{ pods: '0' }]
    assert.deepEqual(
      await charge([quota({ pods: '1' }, { pods: '0' }, spec)], { object: pod(podSpec) }),
      expected,
      JSON.stringify([spec, podSpec]),
    )
  }
  const claim = (spec: object, status: object = {}) => ({
    on: 'persistentvolumeclaims',
    object: { metadata: { name: 'c' }, spec, status },
  })
  const gold = quota(
    { persistentvolumeclaims: '1' },
    { persistentvolumeclaims: '0' },
    { scopeSelector: { matchExpressions: [{ scopeName: 'VolumeAttributesClass', operator: 'In', values: ['gold'] }] } },
  )
  const counted = async (write: Partial<Write>) => JSON.stringify(await charge([gold], write)).includes('"1"')
  assert.equal(await counted(claim({ volumeAttributesClassName: 'gold' })), true)
  assert.equal(await counted(claim({ volumeAttributesClassName: 'tin' })), false)
  assert.equal(await counted(claim({ volumeAttributesClassName: 'tin' }, { currentVolumeAttributesClassName: 'gold' })), true)
  assert.equal(await counted(claim({})), false)
})

test('resources limited to namespaces with a quota', async () => {
  const limit = (more: Partial<LimitedResource>): readonly LimitedResource[] => [
    { apiGroup: '', resource: 'pods', matchContains: [], matchScopes: [], ...more },
  ]
  const object = pod({ priorityClassName: 'high', containers: [sized({ cpu: '1' })] })
  const cpu = limit({ matchContains: ['cpu'] })
  const open = 'pods "p" is forbidden: insufficient quota to consume: cpu,requests.cpu'
  assert.equal(await charge([], { object }, cpu), open)
  assert.equal(await charge([quota({ pods: '9' }, { pods: '0' })], { object }, cpu), open)
  const covering = quota({ cpu: '2', 'requests.cpu': '2' }, { cpu: '0', 'requests.cpu': '0' })
  assert.deepEqual(await charge([covering], { object }, cpu), [{ cpu: '1', 'requests.cpu': '1' }])
  const high = { scopeName: 'PriorityClass', operator: 'In', values: ['high'] }
  const scoped = limit({ matchScopes: [high] })
  assert.equal(
    await charge([], { object }, scoped),
    'pods "p" is forbidden: insufficient quota to match these scopes: [{PriorityClass In [high]}]',
  )
  const ofClass = quota({ pods: '1' }, { pods: '0' }, { scopeSelector: { matchExpressions: [high] } })
  assert.deepEqual(await charge([ofClass], { object }, scoped), [{ pods: '1' }])
})

test('200 concurrent creates under a quota of 100 leave 100 objects and the right status; deletions free the quota', async () => {
  const { server } = await startInProcess({ controllers: ['resourcequota'], admissionPlugins: { disable: ['ServiceAccount'] } })
  const send = async (method: string, path: string, body?: object) => {
    const init = { method, headers: { 'content-type': 'application/json' }, ...(body && { body: JSON.stringify(body) }) }
    const response = await server.fetch(new Request(`http://server${path}`, init))
    return { status: response.status, body: (await response.json()) as QuotaObject & { message?: string; items?: unknown[] } }
  }
  const home = '/api/v1/namespaces/default'
  const spec = { hard: { pods: '100', 'count/pods': '150', 'count/configmaps': '1' } }
  assert.equal((await send('POST', `${home}/resourcequotas`, { metadata: { name: 'q' }, spec })).status, 201)
  const read = async () => (await send('GET', `${home}/resourcequotas/q`)).body.status
  const zero = { pods: '0', 'count/pods': '0', 'count/configmaps': '0' }
  const status = await eventually('a first count', async () => (await read())?.used && read())
  assert.deepEqual(status, { hard: spec.hard, used: zero })

  const create = (index: number) =>
    send('POST', `${home}/pods`, { metadata: { name: `p${index}` }, spec: { containers: [{ name: 'c', image: 'i' }] } })
  const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => create(index)))
  const refused = answers.filter(({ status }) => status === 403)
  assert.equal(answers.filter(({ status }) => status === 201).length, 100)
  assert.equal(refused.length, 100)
  assert.match(refused[0]?.body.message ?? '', /exceeded quota: q, requested: pods=1, used: pods=100, limited: pods=100$/)
  assert.equal((await send('GET', `${home}/pods`)).body.items?.length, 100)
  assert.deepEqual((await read())?.used, { pods: '100', 'count/pods': '100', 'count/configmaps': '0' })

  const made = answers.findIndex(({ status }) => status === 201)
  assert.equal((await send('DELETE', `${home}/pods/p${made}?gracePeriodSeconds=0`)).status, 200)
  await eventually('a count without the pod', async () => (await read())?.used?.['pods'] === '99')
  assert.equal((await create(1000)).status, 201)
  assert.equal((await create(1001)).status, 403)

  assert.equal((await send('POST', `${home}/configmaps?dryRun=All`, { metadata: { name: 'c' } })).status, 201)
  assert.equal((await send('POST', `${home}/configmaps`, { metadata: { name: 'c' } })).status, 201, 'the dry run was not charged')
  assert.equal((await send('POST', `${home}/configmaps?dryRun=All`, { metadata: { name: 'd' } })).status, 403)
  await server.close()
})

test('two servers on one store keep one quota', async () => {
  const store = memoryStore()
  const servers = [
    (await startInProcess({ controllers: ['resourcequota'], admissionPlugins: { disable: ['ServiceAccount'] }, store })).server,
    (await startInProcess({ controllers: [], admissionPlugins: { disable: ['ServiceAccount'] }, store })).server,
  ]
  const home = '/api/v1/namespaces/default'
  const send = (index: number, method: string, path: string, body?: object) => {
    const init = { method, headers: { 'content-type': 'application/json' }, ...(body && { body: JSON.stringify(body) }) }
    return servers[index % 2]!.fetch(new Request(`http://server${home}${path}`, init))
  }
  const read = async () => ((await (await send(1, 'GET', '/resourcequotas/q')).json()) as QuotaObject).status?.used?.['configmaps']
  assert.equal((await send(0, 'POST', '/resourcequotas', { metadata: { name: 'q' }, spec: { hard: { configmaps: '20' } } })).status, 201)
  await eventually('a first count', async () => (await read()) !== undefined)
  const before = Number(await read())
  const create = (index: number) => send(index, 'POST', '/configmaps', { metadata: { name: `c${index}` } })
  const answers = await Promise.all(Array.from({ length: 60 }, (_, index) => create(index)))
  const codes = answers.map(({ status }) => status)
  assert.equal(codes.filter((code) => code === 201).length, 20 - before, codes.join())
  assert.equal(codes.filter((code) => code === 403).length, 40 + before, codes.join())
  assert.equal(await read(), '20')
  for (const server of servers) await server.close()
})
