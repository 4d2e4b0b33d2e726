import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshName, type Json, type Stored, send, storedCases, withServer } from './harness.ts'

withServer()
const path = '/api/v1/namespaces/default/pods'
const pod = (spec: Json, container: Json = {}): Json => ({ spec: { containers: [{ name: 'c', image: 'nginx', ...container }], ...spec } })
const first = 'spec.containers.0'

test('a plain pod is stored with the defaults of kube-apiserver', async () => {
  const { body } = await send('POST', path, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'nginx', labels: { run: 'nginx' } },
    spec: { containers: [{ name: 'nginx', image: 'nginx', resources: {} }], restartPolicy: 'Always', dnsPolicy: 'ClusterFirst' },
  })
  const { uid, creationTimestamp, resourceVersion, ...metadata } = body.metadata ?? {}
  assert.ok(uid && creationTimestamp && resourceVersion)
  delete metadata['managedFields']
  assert.deepEqual(metadata, { name: 'nginx', namespace: 'default', generation: 1, labels: { run: 'nginx' } })
  assert.deepEqual(body.spec, {
    containers: [
      {
        name: 'nginx',
        image: 'nginx',
        resources: {},
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'Always',
      },
    ],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
    enableServiceLinks: true,
  })
  assert.deepEqual(body.status, { phase: 'Pending', qosClass: 'BestEffort' })
})

test('the template of a deployment gets the defaults of pod templates, not those of pods only', async () => {
  const labels = { app: 'web' }
  const { body } = await send('POST', '/apis/apps/v1/namespaces/default/deployments', {
    metadata: { name: freshName() },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'nginx', image: 'nginx:1.27', resources: { limits: { cpu: '1' } } }] },
      },
    },
  })
  assert.deepEqual((body.spec?.['template'] as Json | undefined)?.['spec'], {
    containers: [
      {
        name: 'nginx',
        image: 'nginx:1.27',
        resources: { limits: { cpu: '1' } },
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'IfNotPresent',
      },
    ],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
  })
})

const volume = (source: Json) => pod({ volumes: [{ name: 'v', ...source }] })
const stored = 'spec.volumes.0'

const images: readonly (readonly [image: string, policy: string])[] = [
  ['nginx:latest', 'Always'],
  ['nginx:1.27', 'IfNotPresent'],
  ['registry.example.com:5000/team/web', 'Always'],
  ['registry.example.com:5000/team/web:v1', 'IfNotPresent'],
  [`nginx@sha256:${'0'.repeat(64)}`, 'IfNotPresent'],
  ['Not An Image', 'IfNotPresent'],
]

const cases: Stored[] = [
  ...images.map(([image, policy]): Stored => [`pull policy of ${image}`, pod({}, { image }), { [`${first}.imagePullPolicy`]: policy }]),
  ['an explicit pull policy is kept', pod({}, { imagePullPolicy: 'Never' }), { [`${first}.imagePullPolicy`]: 'Never' }],
  [
    'probes',
    pod({}, { readinessProbe: { httpGet: { port: 80 } } }),
    {
      [`${first}.readinessProbe`]: {
        httpGet: { path: '/', port: 80, scheme: 'HTTP' },
        timeoutSeconds: 1,
        periodSeconds: 10,
        successThreshold: 1,
        failureThreshold: 3,
      },
    },
  ],
  [
    'gRPC probes default to the empty service',
    pod({}, { livenessProbe: { grpc: { port: 80 } } }),
    { [`${first}.livenessProbe.grpc`]: { port: 80, service: '' } },
  ],
  ['protocol of ports', pod({}, { ports: [{ containerPort: 80 }] }), { [`${first}.ports`]: [{ containerPort: 80, protocol: 'TCP' }] }],
  [
    'host ports with hostNetwork',
    pod({ hostNetwork: true }, { ports: [{ containerPort: 80 }] }),
    { [`${first}.ports`]: [{ hostPort: 80, containerPort: 80, protocol: 'TCP' }] },
  ],
  [
    'version of field references',
    pod({}, { env: [{ name: 'N', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
    { [`${first}.env.0.valueFrom.fieldRef`]: { apiVersion: 'v1', fieldPath: 'metadata.name' } },
  ],
  [
    'requests default to limits',
    pod({}, { resources: { limits: { cpu: '1', memory: '1Gi' } } }),
    {
      [`${first}.resources`]: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } },
      'status.qosClass': 'Guaranteed',
    },
  ],
  [
    'requests lower than limits',
    pod({}, { resources: { limits: { cpu: '1' }, requests: { cpu: '500m' } } }),
    {
      [`${first}.resources.requests`]: { cpu: '500m' },
      'status.qosClass': 'Burstable',
    },
  ],
  [
    'QoS of equal quantities in other units',
    pod({}, { resources: { limits: { cpu: '1', memory: '1024Mi' }, requests: { cpu: '1000m', memory: '1Gi' } } }),
    {
      'status.qosClass': 'Guaranteed',
    },
  ],
  ['QoS ignores storage', pod({}, { resources: { requests: { 'ephemeral-storage': '1Gi' } } }), { 'status.qosClass': 'BestEffort' }],
  [
    'pod-level requests',
    pod({ resources: { limits: { cpu: '2', memory: '2Gi' } } }),
    {
      'spec.resources.requests': { cpu: '2', memory: '2Gi' },
      'status.qosClass': 'Guaranteed',
    },
  ],
  ['volumes without a source', volume({}), { [stored]: { name: 'v', emptyDir: {} } }],
  ['mode of secrets', volume({ secret: { secretName: 's' } }), { [stored]: { name: 'v', secret: { secretName: 's', defaultMode: 420 } } }],
  ['mode of config maps', volume({ configMap: { name: 's' } }), { [stored]: { name: 'v', configMap: { name: 's', defaultMode: 420 } } }],
  ['mode of downward API files', volume({ downwardAPI: {} }), { [stored]: { name: 'v', downwardAPI: { defaultMode: 420 } } }],
  [
    'projected tokens',
    {
      ...volume({ projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }),
      spec: { ...(volume({ projected: { sources: [{ serviceAccountToken: { path: 't' } }] } })['spec'] as Json), serviceAccountName: 'a' },
    },
    {
      [`${stored}.projected`]: { sources: [{ serviceAccountToken: { expirationSeconds: 3600, path: 't' } }], defaultMode: 420 },
    },
  ],
  ['type of host paths', volume({ hostPath: { path: '/x' } }), { [`${stored}.hostPath`]: { path: '/x', type: '' } }],
  [
    'iSCSI',
    volume({ iscsi: { targetPortal: '1.2.3.4', iqn: 'iqn.2001-04.com.example:x', lun: 0 } }),
    { [`${stored}.iscsi.iscsiInterface`]: 'default' },
  ],
  [
    'RBD',
    volume({ rbd: { monitors: ['m'], image: 'i' } }),
    {
      [`${stored}.rbd`]: { monitors: ['m'], image: 'i', pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
    },
  ],
  ['image volumes', volume({ image: { reference: 'a/b:latest' } }), { [`${stored}.image.pullPolicy`]: 'Always' }],
  [
    'claims of ephemeral volumes',
    volume({
      ephemeral: { volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } } },
    }),
    {
      [`${stored}.ephemeral.volumeClaimTemplate.spec.volumeMode`]: 'Filesystem',
    },
  ],
  [
    'serviceAccount and serviceAccountName',
    pod({ serviceAccount: 'robot' }),
    { 'spec.serviceAccountName': 'robot', 'spec.serviceAccount': 'robot' },
  ],
  ['init containers', pod({ initContainers: [{ name: 'i', image: 'busybox' }] }), { 'spec.initContainers.0.imagePullPolicy': 'Always' }],
  ['a grace period of 0 is kept', pod({ terminationGracePeriodSeconds: 0 }), { 'spec.terminationGracePeriodSeconds': 0 }],
  ['enableServiceLinks: false stays', pod({ enableServiceLinks: false }), { 'spec.enableServiceLinks': false }],
  [
    'scheduling gates',
    pod({ schedulingGates: [{ name: 'example.com/wait' }] }),
    {
      'status.conditions.0.reason': 'SchedulingGated',
      'status.conditions.0.status': 'False',
    },
  ],
  ['the status of a client is dropped', { ...pod({}), status: { phase: 'Running' } }, { 'status.phase': 'Pending' }],
]
storedCases(path, cases)
