/** Rules of namespaces and services: quotas, limit ranges, pod security, priority, service addresses and node ports. */
import { type Call, get, type Part, type Scene, send } from '../exchange.ts'

const namespaces = '/api/v1/namespaces'
const merge = { 'content-type': 'application/merge-patch+json' }

/** A scene in a namespace of its own. The namespace stays, because only a controller could remove it. */
function inNamespace(name: string, labels: object, calls: (path: string) => readonly Call[]): Scene {
  const path = `${namespaces}/${name}`
  const account = send('POST', `${path}/serviceaccounts`, { metadata: { name: 'default' } })
  return { kind: 'namespaces', at: name, calls: [account, send('PATCH', path, { metadata: { labels } }, merge), ...calls(path)] }
}

const container = (more: object = {}) => ({ name: 'main', image: 'example/main', ...more })
const pod = (name: string, spec: object = {}, metadata: object = {}) => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name, ...metadata },
  spec: { containers: [container()], ...spec },
})
const post = (path: string, body: unknown): Call => send('POST', path, body)
const dry = (path: string, body: unknown): Call => send('POST', `${path}?dryRun=All`, body)
const gone = (path: string): Call => ({ method: 'DELETE', path: `${path}?gracePeriodSeconds=0` })

const resources = [
  {},
  { requests: { cpu: '1' } },
  { limits: { cpu: '1' } },
  { requests: { cpu: '3' }, limits: { cpu: '5' } },
  { requests: { memory: '1Ki' } },
  { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '4', memory: '64Mi' } },
]

const limits: Scene = inNamespace('limited', {}, (path) => [
  gone(`${path}/limitranges/all`),
  post(`${path}/limitranges`, {
    metadata: { name: 'all' },
    spec: {
      limits: [
        {
          type: 'Container',
          default: { cpu: '500m' },
          defaultRequest: { cpu: '100m', memory: '32Mi' },
          min: { memory: '16Mi' },
          max: { cpu: '2' },
          maxLimitRequestRatio: { cpu: '4' },
        },
        { type: 'Pod', max: { cpu: '3' }, min: { cpu: '50m' } },
        { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '2Gi' } },
      ],
    },
  }),
  ...resources.map((each) => dry(`${path}/pods`, pod('x', { containers: [container({ resources: each })] }))),
  dry(
    `${path}/pods`,
    pod('x', {
      containers: [container(), { ...container(), name: 'more', resources: { limits: { cpu: '3' } } }],
      initContainers: [{ ...container(), name: 'first' }],
    }),
  ),
  ...['500Mi', '1Gi', '3Gi'].map((storage) =>
    dry(`${path}/persistentvolumeclaims`, {
      metadata: { name: 'x' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
    }),
  ),
])

const quotas: Scene = inNamespace('counted', {}, (path) => [
  gone(`${path}/resourcequotas/all`),
  gone(`${path}/pods/one`),
  post(`${path}/resourcequotas`, {
    metadata: { name: 'all' },
    spec: {
      hard: { pods: '1', 'requests.cpu': '1', 'limits.memory': '1Gi', configmaps: '1', 'services.nodeports': '0', 'count/secrets': '1' },
    },
  }),
  send(
    'PATCH',
    `${path}/resourcequotas/all/status`,
    {
      status: {
        hard: { pods: '1', 'requests.cpu': '1', 'limits.memory': '1Gi', configmaps: '1', 'services.nodeports': '0', 'count/secrets': '1' },
        used: { pods: '0', 'requests.cpu': '0', 'limits.memory': '0', configmaps: '0', 'services.nodeports': '0', 'count/secrets': '0' },
      },
    },
    merge,
  ),
  ...resources.map((each) => dry(`${path}/pods`, pod('x', { containers: [container({ resources: each })] }))),
  dry(`${path}/configmaps`, { metadata: { name: 'x' } }),
  dry(`${path}/secrets`, { metadata: { name: 'x' } }),
  dry(`${path}/services`, { metadata: { name: 'x' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } }),
  get(`${path}/resourcequotas/all`),
])

const insecure: { readonly [what: string]: object } = {
  plain: {},
  privileged: { containers: [container({ securityContext: { privileged: true } })] },
  'host network': { hostNetwork: true },
  'host port': { containers: [container({ ports: [{ containerPort: 80, hostPort: 80 }] })] },
  'host path': { volumes: [{ name: 'x', hostPath: { path: '/x' } }] },
  capabilities: { containers: [container({ securityContext: { capabilities: { add: ['SYS_ADMIN'], drop: ['ALL'] } } })] },
  root: { securityContext: { runAsUser: 0 } },
  sysctls: { securityContext: { sysctls: [{ name: 'kernel.x', value: '1' }] } },
  unconfined: { securityContext: { seccompProfile: { type: 'Unconfined' } } },
  proc: { containers: [container({ securityContext: { procMount: 'Unmasked' } })] },
  restricted: {
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [container({ securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } })],
  },
}

const security = (['baseline', 'restricted', 'privileged', 'x'] as const).map((level) =>
  inNamespace(
    `secure-${level}`,
    {
      'pod-security.kubernetes.io/enforce': level,
      'pod-security.kubernetes.io/warn': 'restricted',
      'pod-security.kubernetes.io/enforce-version': 'v1.30',
    },
    (path) => [
      ...Object.entries(insecure).map(([what, spec]) => dry(`${path}/pods`, pod(what.replace(' ', '-'), spec))),
      ...Object.entries(insecure).map(([what, spec]) =>
        dry(`${path.replace('/api/v1', '/apis/apps/v1')}/deployments`, {
          metadata: { name: what.replace(' ', '-') },
          spec: {
            selector: { matchLabels: { a: 'b' } },
            template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container()], ...spec } },
          },
        }),
      ),
    ],
  ),
)

const service = (spec: object, name = 'x') => ({
  kind: 'Service',
  apiVersion: 'v1',
  metadata: { name },
  spec: { ports: [{ port: 80 }], ...spec },
})

const services: Scene = inNamespace('served', {}, (path) => {
  const all = `${path}/services`
  const ports = (more: object) => [{ port: 80, ...more }]
  const specs = [
    ...[
      { clusterIP: '10.0.0.50' },
      { clusterIP: '10.0.1.1' },
      { clusterIP: 'x' },
      { clusterIP: 'None' },
      { clusterIP: '' },
      { clusterIP: '10.0.0.0' },
      { clusterIP: '10.0.0.255' },
      { clusterIPs: ['10.0.0.51'] },
      { clusterIP: '10.0.0.50', clusterIPs: ['10.0.0.51'] },
    ],
    ...[
      { clusterIPs: ['10.0.0.50', '10.0.0.51'] },
      { ipFamilyPolicy: 'RequireDualStack' },
      { ipFamilyPolicy: 'PreferDualStack' },
      { ipFamilies: ['IPv6'] },
      { ipFamilies: ['IPv4', 'IPv6'] },
      { type: 'ExternalName' },
      { type: 'ExternalName', externalName: 'x.example.com' },
    ],
    ...[
      { type: 'ExternalName', externalName: 'x.example.com', clusterIP: '10.0.0.52' },
      { type: 'NodePort', ports: ports({ nodePort: 30_100 }) },
      { type: 'NodePort', ports: ports({ nodePort: 80 }) },
      { type: 'ClusterIP', ports: ports({ nodePort: 30_100 }) },
    ],
    ...[
      {
        type: 'NodePort',
        ports: [
          { name: 'a', port: 80, nodePort: 30_101 },
          { name: 'b', port: 81, nodePort: 30_101 },
        ],
      },
      { type: 'LoadBalancer' },
      { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false },
      { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 30_102 },
    ],
    ...[
      { type: 'LoadBalancer', externalTrafficPolicy: 'Local' },
      { type: 'ClusterIP', externalTrafficPolicy: 'Local' },
      { externalIPs: ['192.0.2.1'] },
      { externalIPs: ['127.0.0.1'] },
      { loadBalancerClass: 'a/b' },
      { type: 'LoadBalancer', loadBalancerClass: 'a/b', loadBalancerIP: '192.0.2.1' },
    ],
    ...[
      { type: 'LoadBalancer', loadBalancerSourceRanges: ['x'] },
      { sessionAffinity: 'ClientIP' },
      { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } } },
      { trafficDistribution: 'PreferClose' },
      { trafficDistribution: 'x' },
      { internalTrafficPolicy: 'Local' },
    ],
  ]
  return [
    ...['taken', 'other'].map((name) => gone(`${all}/${name}`)),
    ...specs.map((spec) => dry(all, service(spec))),
    post(all, service({ clusterIP: '10.0.0.200', type: 'NodePort', ports: ports({ nodePort: 30_200 }) }, 'taken')),
    post(all, service({ clusterIP: '10.0.0.200' }, 'other')),
    post(all, service({ type: 'NodePort', ports: ports({ nodePort: 30_200 }) }, 'other')),
    ...specs.map((spec) => send('PUT', `${all}/taken?dryRun=All`, service(spec, 'taken'))),
    ...specs.map((spec) => send('PATCH', `${all}/taken?dryRun=All`, { spec }, merge)),
    get(`${path}/endpoints`),
    ...['taken', 'other'].map((name) => gone(`${all}/${name}`)),
    post(all, service({ clusterIP: '10.0.0.200' }, 'other')),
    gone(`${all}/other`),
  ]
})

const priorities: Scene = inNamespace('urgent', {}, (path) => [
  ...[
    { priorityClassName: 'system-node-critical' },
    { priorityClassName: 'none' },
    { priority: 1 },
    { priorityClassName: 'system-cluster-critical', priority: 5 },
    { preemptionPolicy: 'Never' },
    { runtimeClassName: 'none' },
    { nodeName: 'x' },
    { tolerations: [{ operator: 'Exists' }] },
  ].map((spec) => dry(`${path}/pods`, pod('x', spec))),
])

const ending: Scene = inNamespace('ending', {}, (path) => [
  dry(`${path}/pods`, pod('x', { serviceAccountName: 'none' })),
  dry(`${path}/pods`, pod('x', { serviceAccountName: 'default', automountServiceAccountToken: false })),
  send('PATCH', path, { metadata: { labels: { 'kubernetes.io/metadata.name': 'other' } } }, merge),
  send('PUT', `${path}/finalize?dryRun=All`, {
    kind: 'Namespace',
    apiVersion: 'v1',
    metadata: { name: 'ending' },
    spec: { finalizers: [] },
  }),
  { method: 'DELETE', path: `${path}?dryRun=All` },
  { method: 'DELETE', path: `${namespaces}/default` },
  { method: 'DELETE', path: `${namespaces}/kube-system` },
  { method: 'DELETE', path: namespaces },
])

/** The life of a namespace to its end, which a controller would bring. */
const ended: Scene = {
  kind: 'namespaces',
  at: 'ended',
  calls: [
    post(namespaces, { metadata: { name: 'ended' } }),
    { method: 'DELETE', path: `${namespaces}/ended` },
    get(`${namespaces}/ended`),
    post(`${namespaces}/ended/configmaps`, { metadata: { name: 'late' } }),
    post(`${namespaces}/ended/pods`, pod('late')),
    { method: 'DELETE', path: `${namespaces}/ended` },
    send('PUT', `${namespaces}/ended`, { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'ended', labels: { a: 'b' } } }),
    send('PUT', `${namespaces}/ended/status`, {
      kind: 'Namespace',
      apiVersion: 'v1',
      metadata: { name: 'ended' },
      status: { phase: 'Active' },
    }),
    send('PUT', `${namespaces}/ended/finalize`, {
      kind: 'Namespace',
      apiVersion: 'v1',
      metadata: { name: 'ended' },
      spec: { finalizers: [] },
    }),
    get(`${namespaces}/ended`),
    { method: 'DELETE', path: `${namespaces}/ended` },
    get(`${namespaces}/ended`),
  ],
}

const own = [
  'limited',
  'counted',
  'served',
  'urgent',
  'ending',
  ...['baseline', 'restricted', 'privileged', 'x'].map((level) => `secure-${level}`),
]

export const rules: Part = {
  name: 'rules',
  small: true,
  inOrder: true,
  before: () => own.map((name) => post(namespaces, { metadata: { name } })),
  scenes: () => [limits, quotas, ...security, services, priorities, ending, ended],
}
