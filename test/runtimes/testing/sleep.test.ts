/** Controllers of a fork sleep until a change gives them work, and then do it before everything else is started. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { controllerNames } from '../../../core/controllers/index.ts'
import { startTestServer, type TestObject, type TestServer } from '../../../runtimes/testing/index.ts'
import { eventually } from '../../support/wait.ts'

const metadata = { name: 'one' }
const owner = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owner' } }
const claim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata,
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
}
const volume = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata,
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' } },
}
const volumeClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttributesClass',
  metadata,
  driverName: 'disk.example.com',
  parameters: { size: '1' },
}
const policy = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata,
  spec: {
    matchConstraints: { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }] },
    validations: [{ expression: 'true' }],
  },
}
const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard: { 'count/secrets': '9' } } }
const tokenSecret = {
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'kubernetes.io/service-account-token',
  metadata: { name: 'token', annotations: { 'kubernetes.io/service-account.name': 'default' } },
}
const viewed = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'viewed', labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
  rules: [{ apiGroups: ['example.com'], resources: ['widgets'], verbs: ['get'] }],
}

interface Row {
  /** Gives the controller work. */
  act(fork: TestServer): Promise<unknown>
  /** Whether the work is done. */
  isDone(fork: TestServer): Promise<boolean>
  /** A controller to which the change gives no work. */
  readonly asleep: string
}

const removal = (apiVersion: string, kind: string, asleep: string): Row => ({
  act: (fork) => fork.objects(apiVersion, kind).delete('one'),
  isDone: async (fork) => (await fork.objects(apiVersion, kind).list()).every((each) => each.metadata?.name !== 'one'),
  asleep,
})

/** What each controller does. */
const rows: { readonly [name: string]: Row } = {
  'clusterrole-aggregation': {
    act: (fork) => fork.load([viewed]),
    isDone: async (fork) => {
      const { rules } = await fork
        .objects<TestObject & { rules?: { apiGroups?: string[] }[] }>('rbac.authorization.k8s.io/v1', 'ClusterRole')
        .get('view')
      return rules?.some(({ apiGroups }) => apiGroups?.includes('example.com')) ?? false
    },
    asleep: 'garbage-collector',
  },
  'garbage-collector': {
    act: (fork) => fork.objects('v1', 'ConfigMap').delete('owner'),
    isDone: async (fork) => (await fork.objects('v1', 'Secret').list()).every((each) => each.metadata?.name !== 'dependent'),
    asleep: 'namespace',
  },
  namespace: removal('v1', 'Namespace', 'clusterrole-aggregation'),
  resourcequota: {
    act: (fork) => fork.objects('v1', 'Secret').delete('counted'),
    isDone: async (fork) => {
      const { status } = await fork.objects<TestObject & { status?: { used?: Record<string, string> } }>('v1', 'ResourceQuota').get('one')
      return status?.used?.['count/secrets'] === '1'
    },
    asleep: 'namespace',
  },
  'root-ca-certificate-publisher': {
    act: (fork) => fork.objects('v1', 'ConfigMap').delete('kube-root-ca.crt'),
    isDone: async (fork) => (await fork.objects('v1', 'ConfigMap').list()).some((each) => each.metadata?.name === 'kube-root-ca.crt'),
    asleep: 'serviceaccount',
  },
  'validatingadmissionpolicy-status': {
    act: (fork) => fork.load([policy]),
    isDone: async (fork) => {
      const { status } = await fork
        .objects<TestObject & { status?: { observedGeneration?: number } }>('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy')
        .get('one')
      return status?.observedGeneration === 1
    },
    asleep: 'namespace',
  },
  serviceaccount: {
    act: (fork) => fork.objects('v1', 'ServiceAccount').delete('default'),
    isDone: async (fork) => (await fork.objects('v1', 'ServiceAccount').list()).some((each) => each.metadata?.name === 'default'),
    asleep: 'root-ca-certificate-publisher',
  },
  'serviceaccount-token': {
    act: (fork) => fork.load([tokenSecret]),
    isDone: async (fork) => {
      const { data } = await fork.objects<TestObject & { data?: Record<string, string> }>('v1', 'Secret').get('token')
      return data?.['token'] !== undefined
    },
    asleep: 'garbage-collector',
  },
  'persistentvolume-protection': removal('v1', 'PersistentVolume', 'serviceaccount'),
  'persistentvolumeclaim-protection': removal('v1', 'PersistentVolumeClaim', 'persistentvolume-protection'),
  'volumeattributesclass-protection': removal('storage.k8s.io/v1', 'VolumeAttributesClass', 'serviceaccount'),
}

/** Names of controllers that work. */
async function awake(server: TestServer): Promise<readonly string[]> {
  const text = await (await server.fetch('/metrics')).text()
  const queues = new Set([...text.matchAll(/^workqueue_depth\{name="([^"]+)"/gm)].map(([, name]) => name ?? ''))
  return controllerNames.filter((name) => queues.has(name))
}

let server: TestServer
before(async () => {
  server = await startTestServer({ platform: 'kubernetes', authorizationModes: ['RBAC'], rootCa: 'an authority' })
  const manifests = [owner, claim, volume, volumeClass, { apiVersion: 'v1', kind: 'Namespace', metadata }, quota]
  const [{ metadata: made } = owner] = await server.load(manifests)
  const ownerReferences = [{ ...owner, ...{ metadata: undefined }, name: 'owner', uid: (made as { uid?: string }).uid ?? '' }]
  await server.load([
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'dependent', ownerReferences } },
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'counted' } },
  ])
  await eventually('controllers of the parent have worked', async () => {
    const accounts = await server.objects('v1', 'ServiceAccount').list()
    const { status } = await server.objects<TestObject & { status?: { used?: Record<string, string> } }>('v1', 'ResourceQuota').get('one')
    return accounts.length > 0 && status?.used?.['count/secrets'] === '2'
  })
})
after(() => server.close())

test('each controller has a row', () => {
  assert.deepEqual(Object.keys(rows).sort(), controllerNames.toSorted())
})

for (const [name, { act, isDone, asleep }] of Object.entries(rows))
  test(`${name} is woken by what gives it work, while ${asleep} sleeps`, async () => {
    await eventually(`done before all are woken`, async () => {
      const fork = await server.fork()
      try {
        await act(fork)
        await eventually('done', () => isDone(fork))
        const those = await awake(fork)
        assert.ok(those.includes(name))
        // On a busy machine all may have been woken by time.
        return !those.includes(asleep)
      } finally {
        await fork.close()
      }
    })
  })

test('a config map wakes who may count it and who keeps one in each namespace, and later all others', async () => {
  await eventually('seen before all are woken', async () => {
    const fork = await server.fork()
    try {
      await fork.objects('v1', 'ConfigMap').create({ metadata })
      const first = await eventually('somebody is awake', async () => {
        const those = await awake(fork)
        return those.includes('resourcequota') && those.includes('root-ca-certificate-publisher') ? those : undefined
      })
      await eventually('all are awake', async () => (await awake(fork)).length === controllerNames.length)
      return first.length === 2
    } finally {
      await fork.close()
    }
  })
})
