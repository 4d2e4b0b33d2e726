/** Resource quotas of the daemon: each kind of resource name and scope, released usage, and custom resources. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Daemon, startDaemon } from '../support/daemon.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { eventually } from '../support/wait.ts'

const { path: directory, remove } = temporaryDirectory()
const configuration = {
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'AdmissionConfiguration',
  plugins: [
    {
      name: 'ResourceQuota',
      configuration: {
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'ResourceQuotaConfiguration',
        limitedResources: [
          { resource: 'pods', matchScopes: [{ scopeName: 'PriorityClass', operator: 'In', values: ['precious'] }] },
          { resource: 'persistentvolumeclaims', matchContains: ['platinum.storageclass.storage.k8s.io/requests.storage'] },
        ],
      },
    },
  ],
}

let daemon: Daemon
before(async () => {
  mkdirSync(directory, { recursive: true })
  const file = join(directory, 'admission.json')
  writeFileSync(file, JSON.stringify(configuration))
  daemon = await startDaemon({ flags: [`--admission-control-config-file=${file}`, '--disable-admission-plugins=ServiceAccount'] })
})
after(async () => {
  await daemon.stop()
  remove()
})

interface Answer {
  readonly status: number
  readonly body: {
    readonly message?: string
    readonly metadata?: object
    readonly status?: { readonly used?: { readonly [name: string]: string } }
  }
}

async function send(method: string, path: string, body?: object): Promise<Answer> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const response = await daemon.fetch(path, { method, headers: { 'content-type': type }, ...(body && { body: JSON.stringify(body) }) })
  return { status: response.status, body: (await response.json()) as Answer['body'] }
}

async function made(path: string, body: object): Promise<void> {
  const { status, body: answer } = await send('POST', path, body)
  assert.equal(status, 201, `${path}: ${answer.message}`)
}

async function refused(path: string, body: object, message: RegExp): Promise<void> {
  const { status, body: answer } = await send('POST', path, body)
  assert.equal(status, 403, `${path}: ${JSON.stringify(answer)}`)
  assert.match(answer.message ?? '', message)
}

/** Creates a namespace with one quota and waits until it is counted. Resolves to its path. */
async function namespaceWith(name: string, hard: object, more: object = {}): Promise<string> {
  await made('/api/v1/namespaces', { metadata: { name } })
  const home = `/api/v1/namespaces/${name}`
  await made(`${home}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard, ...more } })
  await eventually(`the first count in ${name}`, async () => (await send('GET', `${home}/resourcequotas/q`)).body.status?.used)
  return home
}

async function used(home: string): Promise<{ readonly [name: string]: string }> {
  return (await send('GET', `${home}/resourcequotas/q`)).body.status?.used ?? {}
}

async function becomes(home: string, wanted: { readonly [name: string]: string }): Promise<void> {
  await eventually(`${JSON.stringify(wanted)} in ${home}`, async () => {
    const now = await used(home)
    return Object.entries(wanted).every(([name, amount]) => now[name] === amount)
  })
}

const pod = (name: string, requests: object = {}, spec: object = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests } }], ...spec },
})

test('custom resources are counted by name, also if their definition is newer than the quota', async () => {
  const home = await namespaceWith('shop', { 'count/things.shop.test': '2' })
  const definition = {
    metadata: { name: 'things.shop.test' },
    spec: {
      group: 'shop.test',
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: ['v1', 'v2'].map((name) => ({
        name,
        served: true,
        storage: name === 'v1',
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      })),
    },
  }
  await made('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)
  const things = (version: string) => `/apis/shop.test/${version}/namespaces/shop/things`
  await eventually('the resource', async () => (await send('GET', things('v1'))).status === 200)
  const thing = (name: string, version = 'v1') => ({ apiVersion: `shop.test/${version}`, kind: 'Thing', metadata: { name } })
  await made(things('v1'), thing('a'))
  await made(things('v2'), thing('b', 'v2'))
  await becomes(home, { 'count/things.shop.test': '2' })
  await refused(
    things('v2'),
    thing('c', 'v2'),
    /^things\.shop\.test "c" is forbidden: exceeded quota: q, requested: count\/things\.shop\.test=1, used: count\/things\.shop\.test=2, limited: count\/things\.shop\.test=2$/,
  )
  assert.equal((await send('DELETE', `${things('v1')}/a`)).status, 200)
  await becomes(home, { 'count/things.shop.test': '1' })
  await made(things('v2'), thing('c', 'v2'))
})

test('pods that are finished, resized or deleted release their usage', async () => {
  const home = await namespaceWith('pods', { pods: '2', 'requests.cpu': '3', 'count/pods': '9' })
  const pods = `${home}/pods`
  await made(pods, pod('a', { cpu: '2' }))
  await refused(
    pods,
    pod('b', { cpu: '2' }),
    /exceeded quota: q, requested: requests\.cpu=2, used: requests\.cpu=2, limited: requests\.cpu=3$/,
  )
  await refused(pods, pod('b'), /failed quota: q: must specify requests\.cpu for: c$/)
  assert.equal(
    (await send('PATCH', `${pods}/a/resize`, { spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }] } }))
      .status,
    200,
  )
  await becomes(home, { 'requests.cpu': '1' })
  await made(pods, pod('b', { cpu: '2' }))
  await becomes(home, { pods: '2', 'requests.cpu': '3' })
  assert.equal((await send('PATCH', `${pods}/b/status`, { status: { phase: 'Succeeded' } })).status, 200)
  await becomes(home, { pods: '1', 'requests.cpu': '1', 'count/pods': '2' })
  await made(pods, pod('c', { cpu: '2' }))
  assert.equal((await send('DELETE', `${pods}/c?gracePeriodSeconds=0`)).status, 200)
  await becomes(home, { pods: '1', 'requests.cpu': '1', 'count/pods': '2' })
})

test('scopes and priority classes', async () => {
  const high = { scopeName: 'PriorityClass', operator: 'In', values: ['high'] }
  const home = await namespaceWith('scopes', { pods: '1' }, { scopeSelector: { matchExpressions: [high] } })
  for (const name of ['high', 'precious']) await made('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name }, value: 10 })
  await made(`${home}/pods`, pod('low'))
  await made(`${home}/pods`, pod('one', {}, { priorityClassName: 'high' }))
  await refused(
    `${home}/pods`,
    pod('two', {}, { priorityClassName: 'high' }),
    /exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1$/,
  )
  await refused(
    `${home}/pods`,
    pod('three', {}, { priorityClassName: 'precious' }),
    /insufficient quota to match these scopes: \[\{PriorityClass In \[precious\]\}\]$/,
  )
  const short = await namespaceWith('short', { pods: '1' }, { scopes: ['BestEffort', 'Terminating'] })
  await made(`${short}/pods`, pod('long'))
  await made(`${short}/pods`, pod('sized', { cpu: '1' }, { activeDeadlineSeconds: 5 }))
  await made(`${short}/pods`, pod('one', {}, { activeDeadlineSeconds: 5 }))
  await refused(`${short}/pods`, pod('two', {}, { activeDeadlineSeconds: 5 }), /exceeded quota: q/)
})

test('storage by class, and resources limited to namespaces with a quota', async () => {
  const gold = 'gold.storageclass.storage.k8s.io/'
  const home = await namespaceWith('storage', {
    [`${gold}requests.storage`]: '5Gi',
    [`${gold}persistentvolumeclaims`]: '2',
    'requests.storage': '8Gi',
  })
  const claim = (name: string, storageClassName: string, storage: string) => ({
    metadata: { name },
    spec: { storageClassName, accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
  })
  const claims = `${home}/persistentvolumeclaims`
  await made(claims, claim('a', 'gold', '4Gi'))
  await refused(
    claims,
    claim('b', 'gold', '2Gi'),
    /exceeded quota: q, requested: gold\.storageclass\.storage\.k8s\.io\/requests\.storage=2Gi, used: .*=4Gi, limited: .*=5Gi$/,
  )
  await made(claims, claim('b', 'tin', '2Gi'))
  await refused(
    claims,
    claim('c', 'platinum', '1Gi'),
    /insufficient quota to consume: platinum\.storageclass\.storage\.k8s\.io\/requests\.storage$/,
  )
  await becomes(home, { [`${gold}requests.storage`]: '4Gi', [`${gold}persistentvolumeclaims`]: '1', 'requests.storage': '6Gi' })
  assert.equal((await send('DELETE', `${claims}/a`)).status, 200)
  await becomes(home, { [`${gold}requests.storage`]: '0', 'requests.storage': '2Gi' })
})

test('services by node ports and load balancers, also when they change', async () => {
  const home = await namespaceWith('services', {
    services: '3',
    'services.nodeports': '2',
    'services.loadbalancers': '1',
    'count/services': '9',
  })
  const service = (name: string, type: string, ports: number) => ({
    metadata: { name },
    spec: { type, ports: Array.from({ length: ports }, (_, index) => ({ name: `p${index}`, port: 80 + index })) },
  })
  const services = `${home}/services`
  await made(services, service('a', 'NodePort', 2))
  await refused(
    services,
    service('b', 'LoadBalancer', 1),
    /exceeded quota: q, requested: services\.nodeports=1, used: services\.nodeports=2, limited: services\.nodeports=2$/,
  )
  await made(services, service('b', 'ClusterIP', 1))
  const wider = await send('PATCH', `${services}/b`, { spec: { type: 'NodePort' } })
  assert.equal(wider.status, 403, JSON.stringify(wider.body))
  assert.equal((await send('PATCH', `${services}/a`, { spec: { type: 'ClusterIP' } })).status, 200)
  await becomes(home, { services: '2', 'services.nodeports': '0', 'services.loadbalancers': '0' })
  assert.equal((await send('PATCH', `${services}/b`, { spec: { type: 'LoadBalancer' } })).status, 200)
  await becomes(home, { 'services.nodeports': '1', 'services.loadbalancers': '1' })
})

test('object counts of any resource, and a quota lowered below the usage', async () => {
  const home = await namespaceWith('counts', {
    'count/deployments.apps': '1',
    'count/leases.coordination.k8s.io': '2',
    'count/secrets': '0',
  })
  const deployments = '/apis/apps/v1/namespaces/counts/deployments'
  const labels = { app: 'x' }
  const deployment = (name: string) => ({
    metadata: { name },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } } },
  })
  await made(deployments, deployment('a'))
  await refused(
    deployments,
    deployment('b'),
    /requested: count\/deployments\.apps=1, used: count\/deployments\.apps=1, limited: count\/deployments\.apps=1$/,
  )
  await refused(`${home}/secrets`, { metadata: { name: 's' } }, /limited: count\/secrets=0$/)
  const leases = '/apis/coordination.k8s.io/v1/namespaces/counts/leases'
  for (const name of ['a', 'b']) await made(leases, { metadata: { name } })
  const hard = { 'count/leases.coordination.k8s.io': '1' }
  assert.equal((await send('PATCH', `${home}/resourcequotas/q`, { spec: { hard } })).status, 200)
  await eventually('the smaller limit', async () => {
    const { body } = await send('POST', `${leases}?dryRun=All`, { metadata: { name: 'c' } })
    return body.message?.endsWith('used: count/leases.coordination.k8s.io=2, limited: count/leases.coordination.k8s.io=1')
  })
  const change = { metadata: { labels: { key: 'b' } } }
  assert.equal((await send('PATCH', `${leases}/a`, change)).status, 200, 'existing objects may change')
})
