/** Features that meet: quotas with limit ranges, resizes, ephemeral containers, devices, nodes' rights, bootstrap and bound tokens. These write. */
import { type Call, get, type Part, type Scene, send } from '../exchange.ts'

const spaces = '/api/v1/namespaces'
const merge = { 'content-type': 'application/merge-patch+json' }
const strategic = { 'content-type': 'application/strategic-merge-patch+json' }
const json = { 'content-type': 'application/json-patch+json' }
const post = (path: string, body: unknown, headers: Call['headers'] = {}) => send('POST', path, body, headers)
const gone = (path: string): Call => ({ method: 'DELETE', path: `${path}?gracePeriodSeconds=0` })
const container = (more: object = {}) => ({ name: 'main', image: 'example/main', ...more })
const pod = (name: string, spec: object = {}, metadata: object = {}) => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name, ...metadata },
  spec: { automountServiceAccountToken: false, containers: [container()], ...spec },
})

/** A scene in a namespace of its own, which stays: only a controller could remove it. */
function inSpace(at: string, calls: (path: string, name: string) => readonly Call[]): Scene {
  const name = `interplay-${at.replaceAll(/\W+/g, '-')}`
  const path = `${spaces}/${name}`
  return { kind: 'interplay', at, calls: calls(path, name) }
}

const hard = (more: object) => ({ metadata: { name: 'all' }, spec: { hard: more } })
const usage = (names: { readonly [name: string]: string }) => ({
  status: { hard: names, used: Object.fromEntries(Object.keys(names).map((name) => [name, '0'])) },
})

/** Waits until quotas that were written before are in force: one after them is. */
const quotasSeen = (path: string): readonly Call[] => [
  post(`${path}/resourcequotas`, { metadata: { name: 'last' }, spec: { hard: { 'count/leases.coordination.k8s.io': '0' } } }),
  send('PATCH', `${path}/resourcequotas/last/status`, usage({ 'count/leases.coordination.k8s.io': '0' }), merge),
  { ...post(`${path.replace('/api/v1', '/apis/coordination.k8s.io/v1')}/leases?dryRun=All`, { metadata: { name: 'x' } }), until: 403 },
  gone(`${path}/resourcequotas/last`),
]

const quotaScene = (at: string, limits: { readonly [name: string]: string }, scopes: object, tries: (path: string) => readonly Call[]) =>
  inSpace(at, (path) => [
    post(`${path}/resourcequotas`, { metadata: { name: 'all' }, spec: { hard: limits, ...scopes } }),
    send('PATCH', `${path}/resourcequotas/all/status`, usage(limits), merge),
    ...quotasSeen(path),
    ...tries(path),
    get(`${path}/resourcequotas/all`),
    gone(`${path}/resourcequotas/all`),
  ])

const priced = (requests: object, limits: object = {}) => ({ containers: [container({ resources: { requests, limits } })] })

const quotas: readonly Scene[] = [
  inSpace('limits fill in what quotas ask for', (path) => [
    post(`${path}/limitranges`, {
      metadata: { name: 'defaults' },
      spec: { limits: [{ type: 'Container', default: { cpu: '1', memory: '64Mi' }, defaultRequest: { cpu: '500m' }, max: { cpu: '2' } }] },
    }),
    post(`${path}/resourcequotas`, hard({ 'requests.cpu': '1', 'limits.memory': '100Mi', pods: '3' })),
    send('PATCH', `${path}/resourcequotas/all/status`, usage({ 'requests.cpu': '1', 'limits.memory': '100Mi', pods: '3' }), merge),
    ...quotasSeen(path),
    post(`${path}/pods`, pod('one')),
    post(`${path}/pods`, pod('two')),
    post(`${path}/pods`, pod('three', priced({ cpu: '100m' }, { memory: '10Mi', cpu: '1' }))),
    post(`${path}/pods`, pod('four', priced({ cpu: '100m' }, { cpu: '3' }))),
    get(`${path}/resourcequotas/all`),
    send(
      'PATCH',
      `${path}/pods/one/resize`,
      { spec: { containers: [{ name: 'main', resources: { requests: { cpu: '900m' } } }] } },
      strategic,
    ),
    send(
      'PATCH',
      `${path}/pods/one/resize`,
      { spec: { containers: [{ name: 'main', resources: { requests: { cpu: '950m' } } }] } },
      strategic,
    ),
    send('PATCH', `${path}/pods/one/resize`, { spec: { containers: [{ name: 'main', resources: { limits: { cpu: '3' } } }] } }, strategic),
    get(`${path}/resourcequotas/all`),
    ...['one', 'two', 'three'].map((name) => gone(`${path}/pods/${name}`)),
    gone(`${path}/limitranges/defaults`),
    gone(`${path}/resourcequotas/all`),
  ]),
  quotaScene('best effort', { pods: '1' }, { scopes: ['BestEffort'] }, (path) => [
    post(`${path}/pods`, pod('costly', priced({ cpu: '1' }))),
    post(`${path}/pods`, pod('one')),
    post(`${path}/pods`, pod('two')),
    gone(`${path}/pods/one`),
    gone(`${path}/pods/costly`),
  ]),
  quotaScene('terminating', { pods: '1' }, { scopes: ['Terminating'] }, (path) => [
    post(`${path}/pods`, pod('one', { activeDeadlineSeconds: 5 })),
    post(`${path}/pods`, pod('two', { activeDeadlineSeconds: 5 })),
    post(`${path}/pods`, pod('three')),
    send('PATCH', `${path}/pods/three`, { spec: { activeDeadlineSeconds: 5 } }, merge),
    ...['one', 'three'].map((name) => gone(`${path}/pods/${name}`)),
  ]),
  quotaScene(
    'by priority class',
    { pods: '0' },
    { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['system-cluster-critical'] }] } },
    (path) => [
      post(`${path}/pods?dryRun=All`, pod('one', { priorityClassName: 'system-cluster-critical' })),
      post(`${path}/pods?dryRun=All`, pod('two')),
    ],
  ),
  quotaScene(
    'services and claims',
    { 'services.loadbalancers': '1', 'services.nodeports': '1', services: '2', 'requests.storage': '1Gi', persistentvolumeclaims: '2' },
    {},
    (path) => [
      post(`${path}/services`, { metadata: { name: 'one' }, spec: { type: 'LoadBalancer', ports: [{ port: 80 }] } }),
      post(`${path}/services`, { metadata: { name: 'two' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } }),
      post(`${path}/services`, { metadata: { name: 'three' }, spec: { ports: [{ port: 80 }] } }),
      send('PATCH', `${path}/services/three`, { spec: { type: 'LoadBalancer' } }, merge),
      get(`${path}/resourcequotas/all`),
      ...['1Gi', '2Gi', '1'].map((storage, index) =>
        post(`${path}/persistentvolumeclaims`, {
          metadata: { name: `claim-${index}` },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
        }),
      ),
      ...['one', 'two', 'three'].map((name) => gone(`${path}/services/${name}`)),
      ...[0, 1, 2].flatMap((index) => [
        gone(`${path}/persistentvolumeclaims/claim-${index}`),
        send('PATCH', `${path}/persistentvolumeclaims/claim-${index}`, { metadata: { finalizers: null } }, merge),
      ]),
    ],
  ),
  inSpace('two quotas', (path) => [
    post(`${path}/resourcequotas`, { metadata: { name: 'a' }, spec: { hard: { 'count/configmaps': '5', configmaps: '1' } } }),
    post(`${path}/resourcequotas`, { metadata: { name: 'b' }, spec: { hard: { 'count/configmaps': '0', 'count/deployments.apps': '0' } } }),
    send('PATCH', `${path}/resourcequotas/a/status`, usage({ 'count/configmaps': '5', configmaps: '1' }), merge),
    send('PATCH', `${path}/resourcequotas/b/status`, usage({ 'count/configmaps': '0', 'count/deployments.apps': '0' }), merge),
    ...quotasSeen(path),
    post(`${path}/configmaps`, { metadata: { name: 'x' } }),
    post(`${path.replace('/api/v1', '/apis/apps/v1')}/deployments`, {
      metadata: { name: 'x' },
      spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container()] } } },
    }),
    ...['a', 'b'].map((name) => gone(`${path}/resourcequotas/${name}`)),
  ]),
]

const resized = (resources: object, name = 'main') => ({ spec: { containers: [{ name, resources }] } })

const resizes = inSpace('resizes', (path) => {
  const own = `${path}/pods/one`
  const bodies: readonly object[] = [
    resized({ requests: { cpu: '200m' } }),
    resized({ requests: { cpu: '200m', memory: '64Mi' }, limits: { cpu: '1', memory: '128Mi' } }),
    resized({ limits: { memory: '32Mi' } }),
    resized({ requests: { cpu: null } }),
    resized({ limits: { cpu: null } }),
    resized({ requests: { cpu: '2' }, limits: { cpu: '1' } }),
    resized({ requests: { cpu: '-1' } }),
    resized({ requests: { 'ephemeral-storage': '1Gi' } }),
    resized({ requests: { 'example.com/gpu': '1' }, limits: { 'example.com/gpu': '1' } }),
    resized({ requests: { cpu: '100m' } }, 'none'),
    resized({ claims: [{ name: 'x' }] }),
    { spec: { containers: [{ name: 'main', image: 'other' }] } },
    { spec: { containers: [{ name: 'main', resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] }] } },
    { spec: { initContainers: [{ name: 'first', resources: { requests: { cpu: '5m' } } }] } },
    { spec: { initContainers: [{ name: 'side', resources: { requests: { cpu: '5m' } } }] } },
    { spec: { nodeName: 'x' } },
    { spec: { resources: { requests: { cpu: '1' } } } },
    { metadata: { labels: { a: 'b' } } },
    { metadata: { annotations: { a: 'b' } } },
    { status: { phase: 'Running' } },
    {},
  ]
  return [
    post(
      `${path}/pods`,
      pod('one', {
        containers: [container({ resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '1', memory: '64Mi' } } })],
        initContainers: [
          { ...container(), name: 'first' },
          { ...container(), name: 'side', restartPolicy: 'Always', resources: { requests: { cpu: '1m' } } },
        ],
      }),
    ),
    get(`${own}/resize`),
    ...bodies.map((body) => send('PATCH', `${own}/resize?dryRun=All`, body, strategic)),
    send('PATCH', `${own}/resize`, resized({ requests: { cpu: '150m' } }), strategic),
    get(own),
    send('PATCH', `${own}/resize?dryRun=All`, [{ op: 'replace', path: '/spec/containers/0/resources/requests/cpu', value: '1' }], json),
    send('PATCH', own, resized({ requests: { cpu: '160m' } }), strategic),
    send('PUT', `${own}/resize`, pod('one')),
    send('PUT', `${own}/resize`, pod('other')),
    post(`${own}/binding`, { metadata: { name: 'one' }, target: { kind: 'Node', name: 'none' } }),
    send('PATCH', `${own}/status`, { status: { phase: 'Succeeded' } }, merge),
    send('PATCH', `${own}/resize`, resized({ requests: { cpu: '170m' } }), strategic),
    gone(own),
    send('PATCH', `${own}/resize`, resized({ requests: { cpu: '170m' } }), strategic),
    post(`${path}/pods`, pod('two')),
    send('PATCH', `${path}/pods/two/resize`, resized({ requests: { cpu: '1' } }), strategic),
    gone(`${path}/pods/two`),
    post(`${path}/pods`, pod('windows', { os: { name: 'windows' }, ...priced({ cpu: '1' }) })),
    send('PATCH', `${path}/pods/windows/resize`, resized({ requests: { cpu: '2' } }), strategic),
    gone(`${path}/pods/windows`),
  ]
})

const debug = (more: object = {}) => ({ spec: { ephemeralContainers: [{ name: 'debug', image: 'example/debug', ...more }] } })

const ephemeral = inSpace('ephemeral containers', (path) => {
  const own = `${path}/pods/one`
  const put = (...ephemeralContainers: object[]) => ({ ...pod('one', { ephemeralContainers }) })
  return [
    post(`${path}/pods`, pod('one', { volumes: [{ name: 'v', emptyDir: {} }] })),
    post(`${path}/pods`, pod('three', debug().spec)),
    get(`${own}/ephemeralcontainers`),
    ...[
      debug(),
      debug({ targetContainerName: 'main' }),
      debug({ targetContainerName: 'none' }),
      debug({ name: 'main' }),
      debug({ name: 'A' }),
      debug({ image: '' }),
      debug({ resources: { requests: { cpu: '1' } } }),
      debug({ ports: [{ containerPort: 80 }] }),
      debug({ livenessProbe: { exec: { command: ['x'] } } }),
      debug({ lifecycle: { preStop: { exec: { command: ['x'] } } } }),
      debug({ volumeMounts: [{ name: 'v', mountPath: '/x' }] }),
      debug({ volumeMounts: [{ name: 'none', mountPath: '/x' }] }),
      debug({ volumeMounts: [{ name: 'v', mountPath: '/x', subPath: 'a' }] }),
      debug({ securityContext: { privileged: true } }),
      debug({ restartPolicy: 'Always' }),
      { spec: { containers: [{ name: 'main', image: 'other' }] } },
      { metadata: { labels: { a: 'b' } } },
      {},
    ].map((body) => send('PATCH', `${own}/ephemeralcontainers?dryRun=All`, body, strategic)),
    send('PATCH', `${own}/ephemeralcontainers`, debug(), strategic),
    send('PATCH', `${own}/ephemeralcontainers`, debug({ image: 'other' }), strategic),
    send('PATCH', `${own}/ephemeralcontainers`, debug({ $patch: 'delete' }), strategic),
    send('PUT', `${own}/ephemeralcontainers`, put({ name: 'debug', image: 'example/debug' }, { name: 'more', image: 'x' })),
    send('PUT', `${own}/ephemeralcontainers`, put({ name: 'more', image: 'x' })),
    send('PUT', `${own}/ephemeralcontainers`, put()),
    send('PATCH', own, debug({ name: 'late' }), strategic),
    get(own),
    gone(own),
    post(`${path}/pods`, pod('static', { nodeName: 'x' }, { annotations: { 'kubernetes.io/config.mirror': 'x' } })),
    send('PATCH', `${path}/pods/static/ephemeralcontainers`, debug(), strategic),
    gone(`${path}/pods/static`),
  ]
})

const devices = inSpace('devices', (path) => {
  const claims = `${path.replace('/api/v1', '/apis/resource.k8s.io/v1')}/resourceclaims`
  const claim = (name: string, request: object, more: object = {}) => ({
    metadata: { name },
    spec: { devices: { requests: [{ name: 'one', exactly: { deviceClassName: 'interplay.example.com', ...request } }], ...more } },
  })
  const result = { request: 'one', driver: 'interplay.example.com', pool: 'pool', device: 'gpu-0' }
  const allocation = { devices: { results: [result] } }
  const user = (uid: string) => ({ resource: 'pods', name: `pod-${uid}`, uid })
  const own = `${claims}/one`
  const write = (status: object) => send('PATCH', `${own}/status`, { status }, merge)
  return [
    ...[
      { count: 0 },
      { count: 2 },
      { allocationMode: 'All' },
      { allocationMode: 'All', count: 2 },
      { allocationMode: 'x' },
      { adminAccess: true },
      { selectors: [{ cel: { expression: 'device.driver == "x"' } }] },
      { selectors: [{ cel: { expression: 'device.nothing' } }] },
      { selectors: [{ cel: { expression: '1' } }] },
      { tolerations: [{ operator: 'x' }] },
      { capacity: { requests: { memory: '1Gi' } } },
    ].map((request) => post(`${claims}?dryRun=All`, claim('x', request))),
    ...[
      { constraints: [{ requests: ['one'], matchAttribute: 'example.com/a' }] },
      { constraints: [{ requests: ['none'], matchAttribute: 'example.com/a' }] },
      { constraints: [{ matchAttribute: 'a' }] },
      { config: [{ requests: ['one'], opaque: { driver: 'interplay.example.com', parameters: { kind: 'X', apiVersion: 'v1' } } }] },
      { config: [{ requests: ['none'], opaque: { driver: 'A', parameters: {} } }] },
    ].map((more) => post(`${claims}?dryRun=All`, claim('x', {}, more))),
    post(claims, claim('one', {})),
    send('PATCH', own, { spec: { devices: { requests: [] } } }, merge),
    write({ reservedFor: [user('a')] }),
    write({ allocation: { devices: { results: [{ ...result, request: 'none' }] } } }),
    write({ allocation: { devices: { results: [{ ...result, driver: 'A' }] } } }),
    write({ allocation, reservedFor: [user('a'), user('a')] }),
    write({ allocation, reservedFor: [user('a'), user('b')] }),
    write({ allocation: { devices: { results: [{ ...result, device: 'gpu-1' }] } } }),
    write({ devices: [{ driver: result.driver, pool: 'pool', device: 'gpu-0', conditions: [] }] }),
    write({ devices: [{ driver: result.driver, pool: 'pool', device: 'gpu-9' }] }),
    write({ devices: [{ driver: result.driver, pool: 'pool', device: 'gpu-0', networkData: { ips: ['x'], hardwareAddress: 'y' } }] }),
    write({ allocation: null }),
    write({ reservedFor: null }),
    write({ allocation: null, devices: null }),
    get(own),
    get(own, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }),
    gone(own),
    ...[
      {
        resourceClaims: [{ name: 'gpu', resourceClaimName: 'one' }],
        containers: [container({ resources: { claims: [{ name: 'gpu' }] } })],
      },
      { resourceClaims: [{ name: 'gpu' }] },
      { resourceClaims: [{ name: 'gpu', resourceClaimName: 'one', resourceClaimTemplateName: 'two' }] },
      {
        resourceClaims: [{ name: 'gpu', resourceClaimName: 'one' }],
        containers: [container({ resources: { claims: [{ name: 'none' }] } })],
      },
      { containers: [container({ resources: { claims: [{ name: 'gpu' }, { name: 'gpu' }] } })] },
    ].map((spec) => post(`${path}/pods?dryRun=All`, pod('x', spec))),
  ]
})

const asNode = (name: string) => ({ 'impersonate-user': `system:node:${name}`, 'impersonate-group': 'system:nodes' })

/** What a node may do with itself and with what its pods use. */
const nodeRights = inSpace('rights of nodes', (path, space) => {
  const nodes = '/api/v1/nodes'
  const me = asNode('interplay-a')
  const other = asNode('interplay-b')
  const own = `${nodes}/interplay-a`
  const patch = (target: string, body: object, who: object) => send('PATCH', target, body, { ...merge, ...who })
  const lease = (name: string) => ({ metadata: { name }, spec: { holderIdentity: name } })
  const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases'
  const token = (more: object) => ({ spec: { audiences: ['https://kubernetes.default.svc'], expirationSeconds: 600, ...more } })
  return [
    ...['interplay-a', 'interplay-b'].map((name) => gone(`${nodes}/${name}`)),
    post(nodes, { metadata: { name: 'interplay-b' } }, me),
    post(nodes, { metadata: { name: 'interplay-a', labels: { 'node-restriction.kubernetes.io/x': 'y' } } }, me),
    post(nodes, { metadata: { name: 'interplay-a', labels: { 'kubernetes.io/x': 'y' } } }, me),
    post(
      nodes,
      { metadata: { name: 'interplay-a', labels: { 'kubernetes.io/hostname': 'interplay-a', 'kubernetes.io/arch': 'amd64' } } },
      me,
    ),
    post(nodes, { metadata: { name: 'interplay-b' } }),
    get(own, me),
    get(`${nodes}/interplay-b`, me),
    patch(own, { metadata: { labels: { 'kubelet.kubernetes.io/x': 'y' } } }, me),
    patch(own, { metadata: { labels: { 'node.kubernetes.io/role': 'x' } } }, me),
    patch(own, { metadata: { labels: { 'node-role.kubernetes.io/master': '' } } }, me),
    patch(own, { metadata: { labels: { 'example.com/x': 'y' } } }, me),
    patch(own, { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'x' }] } }, me),
    patch(own, { spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } }, me),
    patch(own, { spec: { unschedulable: true } }, me),
    patch(own, { spec: { configSource: { configMap: { name: 'x', namespace: 'y', kubeletConfigKey: 'z' } } } }, me),
    patch(`${own}/status`, { status: { conditions: [{ type: 'Ready', status: 'True' }] } }, me),
    patch(`${nodes}/interplay-b/status`, { status: { conditions: [{ type: 'Ready', status: 'True' }] } }, me),
    { method: 'DELETE', path: own, headers: me },
    post(leases, lease('interplay-a'), me),
    post(leases, lease('interplay-b'), me),
    patch(`${leases}/interplay-a`, { spec: { leaseDurationSeconds: 5 } }, me),
    patch(`${leases}/interplay-a`, { spec: { leaseDurationSeconds: 5 } }, other),
    { method: 'DELETE', path: `${leases}/interplay-a`, headers: me },
    post(`${path}/pods`, pod('mirror', { nodeName: 'interplay-a' }, { annotations: { 'kubernetes.io/config.mirror': 'x' } }), me),
    post(`${path}/pods`, pod('plain', { nodeName: 'interplay-a' }), me),
    post(`${path}/pods`, pod('far', { nodeName: 'interplay-b' }, { annotations: { 'kubernetes.io/config.mirror': 'x' } }), me),
    post(
      `${path}/pods`,
      pod('mirror', { nodeName: 'interplay-a', serviceAccountName: 'default' }, { annotations: { 'kubernetes.io/config.mirror': 'x' } }),
      me,
    ),
    post(`${path}/secrets`, { metadata: { name: 'used' } }),
    post(`${path}/secrets`, { metadata: { name: 'unused' } }),
    post(`${path}/configmaps`, { metadata: { name: 'used' } }),
    post(
      `${path}/pods`,
      pod('user', {
        nodeName: 'interplay-a',
        volumes: [
          { name: 's', secret: { secretName: 'used' } },
          { name: 'c', configMap: { name: 'used' } },
        ],
      }),
    ),
    { ...get(`${path}/secrets/used`, me), until: 200 },
    ...['secrets/used', 'secrets/unused', 'configmaps/used', 'secrets', 'configmaps', 'serviceaccounts/default', 'pods/user'].flatMap(
      (what) => [get(`${path}/${what}`, me), get(`${path}/${what}`, other)],
    ),
    get(`${path}/secrets?fieldSelector=metadata.name%3Dused`, me),
    get(`${path}/pods?fieldSelector=spec.nodeName%3Dinterplay-a`, me),
    get(`${path}/pods?fieldSelector=spec.nodeName%3Dinterplay-b`, me),
    get(`${path}/pods`, me),
    get(`${nodes}?fieldSelector=metadata.name%3Dinterplay-a`, me),
    get(nodes, me),
    patch(`${path}/pods/user/status`, { status: { phase: 'Running' } }, me),
    patch(`${path}/pods/user/status`, { status: { phase: 'Running' } }, other),
    patch(`${path}/pods/user/status`, { metadata: { labels: { a: 'b' } }, status: { phase: 'Failed' } }, me),
    patch(`${path}/pods/user`, { metadata: { labels: { a: 'b' } } }, me),
    post(`${path}/serviceaccounts/default/token`, token({}), me),
    post(`${path}/serviceaccounts/default/token`, token({ boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'used' } }), me),
    post(`${path}/serviceaccounts/default/token`, token({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'user' } }), me),
    post(`${path}/serviceaccounts/default/token`, token({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'user', uid: 'x' } }), me),
    post(`${path}/pods/user/eviction`, { metadata: { name: 'user', namespace: space } }, other),
    post(`${path}/pods/user/eviction?dryRun=All`, { metadata: { name: 'user', namespace: space } }, me),
    { method: 'DELETE', path: `${path}/pods/user?gracePeriodSeconds=0`, headers: other },
    { method: 'DELETE', path: `${path}/pods/user?gracePeriodSeconds=0`, headers: me },
    { ...get(`${path}/secrets/used`, me), until: 403 },
    post('/apis/storage.k8s.io/v1/csinodes', { metadata: { name: 'interplay-a' }, spec: { drivers: [] } }, me),
    post('/apis/storage.k8s.io/v1/csinodes', { metadata: { name: 'interplay-b' }, spec: { drivers: [] } }, me),
    { method: 'DELETE', path: '/apis/storage.k8s.io/v1/csinodes/interplay-a', headers: me },
    post('/apis/certificates.k8s.io/v1/certificatesigningrequests?dryRun=All', { metadata: { name: 'x' }, spec: {} }, me),
    get('/apis/resource.k8s.io/v1/resourceslices', me),
    get('/apis/resource.k8s.io/v1/resourceslices?fieldSelector=spec.nodeName%3Dinterplay-a', me),
    get('/apis/storage.k8s.io/v1/csidrivers?limit=1&labelSelector=none', me),
    get('/api/v1/services?labelSelector=none', me),
    get('/api/v1/endpoints', me),
    ...['mirror', 'user', 'plain', 'far'].map((name) => gone(`${path}/pods/${name}`)),
    ...['secrets/used', 'secrets/unused', 'configmaps/used'].map((what) => gone(`${path}/${what}`)),
    ...['interplay-a', 'interplay-b'].map((name) => gone(`${nodes}/${name}`)),
    gone('/apis/storage.k8s.io/v1/csinodes/interplay-a'),
  ]
})

/** Tokens of accounts: bound to objects, for audiences. The reference knows a token for some seconds after its object is gone. */
const boundTokens = inSpace('bound tokens', (path) => {
  const tokens = `${path}/serviceaccounts/default/token`
  const request = (spec: object) => post(tokens, { kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1', spec })
  const review = (step: number, audiences?: readonly string[]) =>
    post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: `{{${step}.status.token}}`, ...(audiences && { audiences }) } })
  const self = (step: number): Call => ({
    ...post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}),
    token: `{{${step}.status.token}}`,
  })
  return [
    post(`${path}/pods`, pod('bound')),
    post(`${path}/secrets`, { metadata: { name: 'bound' } }),
    request({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'bound' } }),
    request({ boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'bound' } }),
    request({ audiences: ['one', 'two'] }),
    request({ audiences: ['one', 'https://kubernetes.default.svc'] }),
    ...[3, 4, 5, 6].flatMap((step) => [
      review(step),
      review(step, ['one']),
      review(step, ['two', 'https://kubernetes.default.svc']),
      review(step, []),
      review(step, ['none']),
      self(step),
    ]),
    gone(`${path}/pods/bound`),
    gone(`${path}/secrets/bound`),
    request({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'bound' } }),
    { method: 'DELETE', path: `${path}/serviceaccounts/default` },
    request({}),
    post(`${path}/serviceaccounts/none/token`, { spec: {} }),
  ]
})

/** Secrets of bootstrap tokens, and who comes with them. */
function* bootstrapTokens(): Generator<Scene> {
  const secrets = '/api/v1/namespaces/kube-system/secrets'
  const later = '2099-01-01T00:00:00Z'
  const good = {
    'token-id': 'abcde0',
    'token-secret': '0123456789abcdef',
    expiration: later,
    'usage-bootstrap-authentication': 'true',
    'auth-extra-groups': 'system:bootstrappers:one,system:bootstrappers:two',
  }
  const variants: { readonly [what: string]: object } = {
    good: {},
    'without groups': { 'auth-extra-groups': undefined },
    'a wrong group': { 'auth-extra-groups': 'system:masters' },
    'other usage': { 'usage-bootstrap-authentication': 'false' },
    'no usage': { 'usage-bootstrap-authentication': undefined },
    expired: { expiration: '2020-01-01T00:00:00Z' },
    'a wrong expiration': { expiration: 'x' },
    'without expiration': { expiration: undefined },
    'another id': { 'token-id': 'abcdef' },
    'another secret': { 'token-secret': 'x' },
  }
  for (const [index, [what, change]] of Object.entries(variants).entries()) {
    const id = `abcde${index}`
    const name = `bootstrap-token-${id}`
    const data = { ...good, 'token-id': id, ...change }
    const self: Call = { ...post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}), token: `${id}.0123456789abcdef` }
    yield {
      kind: 'bootstrap tokens',
      at: what,
      calls: [
        gone(`${secrets}/${name}`),
        self,
        post(secrets, { metadata: { name }, type: 'bootstrap.kubernetes.io/token', stringData: data }),
        { ...get(`${secrets}/${name}`), until: 200 },
        ...(['good', 'without groups', 'without expiration'].includes(what) ? [{ ...self, until: 201 }] : []),
        self,
        { ...self, token: `${id}.0123456789abcdee` },
        get(`${secrets}/${name}`),
        gone(`${secrets}/${name}`),
      ],
    }
  }
}

const spaceScenes = [...quotas, resizes, ephemeral, devices, nodeRights, boundTokens]
const ownSpaces = spaceScenes.map(({ at }) => `interplay-${at.replaceAll(/\W+/g, '-')}`)

export const interplay: Part = {
  name: 'interplay',
  small: true,
  inOrder: true,
  before: () =>
    ownSpaces.flatMap((name) => [
      post(spaces, { metadata: { name } }),
      post(`${spaces}/${name}/serviceaccounts`, { metadata: { name: 'default' } }),
    ]),
  scenes: function* () {
    yield* spaceScenes
    yield* bootstrapTokens()
  },
}
