/**
 * Priority and fairness: the flow schema and the level of requests of all kinds of users, as the headers of their answers name them; the
 * objects that every cluster has; refusals; dumps.
 */
import type { Json } from '../../../core/schema/model.ts'
import { type Call, get, type Part, type Scene, send } from '../exchange.ts'

const base = '/apis/flowcontrol.apiserver.k8s.io/v1'
const schemas = `${base}/flowschemas`
const levels = `${base}/prioritylevelconfigurations`
const merge = { 'content-type': 'application/merge-patch+json' }

// ── Objects of this part ────────────────────────────────────────────────────────────────────────

const level = (name: string, spec: object) => ({ kind: 'PriorityLevelConfiguration', metadata: { name }, spec })
const limited = (nominalConcurrencyShares: number, limitResponse: object) => ({
  type: 'Limited',
  limited: { nominalConcurrencyShares, lendablePercent: 0, borrowingLimitPercent: 0, limitResponse },
})
const reject = { type: 'Reject' }

const ownLevels = [
  level('suite', limited(10, { type: 'Queue', queuing: { queues: 8, handSize: 2, queueLengthLimit: 5 } })),
  level('suite-reject', limited(10, reject)),
  level('suite-seatless', limited(0, reject)),
]

interface Rules {
  readonly subjects?: readonly Json[]
  readonly resourceRules?: readonly object[]
  readonly nonResourceRules?: readonly object[]
}

const user = (name: string) => ({ kind: 'User', user: { name } })
const group = (name: string) => ({ kind: 'Group', group: { name } })
const account = (namespace: string, name: string) => ({ kind: 'ServiceAccount', serviceAccount: { namespace, name } })

const everything = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
}
const resources = (rule: object): Rules => ({
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], ...rule }],
})
const paths = (...nonResourceURLs: string[]): Rules => ({ nonResourceRules: [{ verbs: ['*'], nonResourceURLs }] })

const schema = (name: string, matchingPrecedence: number, rules: readonly Rules[], levelName = 'suite') => ({
  kind: 'FlowSchema',
  metadata: { name },
  spec: { priorityLevelConfiguration: { name: levelName }, matchingPrecedence, distinguisherMethod: { type: 'ByUser' }, rules },
})

/** A schema for `ruled`, a user that has one for each sort of rule. */
const ruled = (name: string, precedence: number, rules: Rules) =>
  schema(`suite-${name}`, precedence, [{ subjects: [user('ruled')], ...rules }])

const ownSchemas = [
  ruled('verbs', 10, resources({ verbs: ['list', 'create'], resources: ['secrets'] })),
  ruled('cluster', 11, resources({ clusterScope: true, namespaces: [], resources: ['namespaces', 'nodes'] })),
  ruled('namespaces', 12, resources({ namespaces: ['default', 'other'], resources: ['configmaps'] })),
  ruled('subresource', 13, resources({ resources: ['pods/log', 'pods/status', 'deployments/scale'] })),
  ruled('group', 14, resources({ apiGroups: ['apps', 'batch'] })),
  ruled('both', 15, resources({ clusterScope: true, apiGroups: ['rbac.authorization.k8s.io'] })),
  ruled('exact', 16, paths('/version', '/openapi/v2')),
  ruled('below', 17, paths('/livez/*', '/apis/*')),
  ruled('slash', 18, paths('/readyz/')),
  {
    ...schema('suite-verb-path', 19, [{ subjects: [user('ruled')], nonResourceRules: [{ verbs: ['post'], nonResourceURLs: ['/logs'] }] }]),
  },
  schema('suite-twin-b', 30, [{ subjects: [user('twin')], ...everything }], 'suite'),
  schema('suite-twin-a', 30, [{ subjects: [user('twin')], ...everything }], 'suite-reject'),
  schema('suite-twin-later', 31, [{ subjects: [user('twin')], ...everything }], 'suite-reject'),
  schema('suite-dangling', 40, [{ subjects: [user('lost')], ...everything }], 'suite-missing'),
  schema('suite-group', 50, [{ subjects: [group('suite-members'), group('suite-others')], ...everything }]),
  schema('suite-account', 60, [{ subjects: [account('suite', 'one')], ...everything }]),
  schema('suite-accounts', 61, [{ subjects: [account('suite', '*')], ...everything }], 'suite-reject'),
  schema('suite-exempt', 70, [{ subjects: [user('favoured')], ...everything }], 'exempt'),
  schema('suite-ruleless', 71, []),
  schema('suite-seatless', 80, [{ subjects: [user('seatless')], ...everything }], 'suite-seatless'),
]

const as = (name: string, group?: string) => ({ 'impersonate-user': name, ...(group !== undefined && { 'impersonate-group': group }) })
const configMaps = '/api/v1/namespaces/default/configmaps'

const isFound = [{ op: 'test', path: '/status/conditions/0/reason', value: 'Found' }]

const removal = (): Call[] => [
  ...ownSchemas.map(({ metadata }): Call => ({ method: 'DELETE', path: `${schemas}/${metadata.name}` })),
  ...ownLevels.map(({ metadata }): Call => ({ method: 'DELETE', path: `${levels}/${metadata.name}` })),
]

// ── Requests ────────────────────────────────────────────────────────────────────────────────────

const users: { readonly [title: string]: NonNullable<Call['headers']> | string } = {
  administrator: {},
  alice: 'reference-alice',
  anonymous: '',
  'a node': as('system:node:one', 'system:nodes'),
  'the controller manager': as('system:kube-controller-manager'),
  'the scheduler': as('system:kube-scheduler'),
  'the proxy': as('system:kube-proxy', 'system:node-proxier'),
  'the server itself': as('system:apiserver', 'system:masters'),
  'an account of the system': as('system:serviceaccount:kube-system:generic-garbage-collector'),
  'an account': as('system:serviceaccount:default:default'),
  'an account with rules': as('system:serviceaccount:suite:one'),
  'another account with rules': as('system:serviceaccount:suite:two'),
  'almost an account': as('system:serviceaccount:suite'),
  'a bootstrap token': as('system:bootstrap:abcdef', 'system:bootstrappers'),
  ruled: as('ruled'),
  'of two schemas': as('twin'),
  'of a schema without its level': as('lost'),
  'a member': as('mary', 'suite-others'),
  favoured: as('favoured'),
  'anonymous by name': as('system:anonymous', 'system:unauthenticated'),
}

const json = (method: string, path: string, kind: string, name: string) => send(method, `${path}?dryRun=All`, { kind, metadata: { name } })

const leases = (namespace: string) => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`

const requests: readonly Call[] = [
  ...['/', '/api', '/apis', '/apis/apps', '/apis/apps/v1', '/apis/nothing.example.com/v1', '/version', '/version/', '/nothing'].map(
    (path) => get(path),
  ),
  ...['/healthz', '/livez', '/readyz', '/healthz/ping', '/livez/ping', '/readyz/ping', '/readyz/'].map((path) => get(path)),
  ...['/logs', '/healthz', '/livez/ping', '/version'].map((path) => send('POST', path, {})),
  { method: 'HEAD', path: '/livez' },
  get(`${configMaps}?labelSelector=nothing`),
  get(`${configMaps}/kube-root-ca.crt`),
  get('/api/v1/configmaps?labelSelector=nothing'),
  get('/api/v1/namespaces/other/configmaps?labelSelector=nothing'),
  get('/api/v1/namespaces/elsewhere/configmaps'),
  { method: 'HEAD', path: `${configMaps}/none` },
  json('POST', configMaps, 'ConfigMap', 'flow'),
  json('PUT', `${configMaps}/flow`, 'ConfigMap', 'flow'),
  send('PATCH', `${configMaps}/flow?dryRun=All`, {}, merge),
  { method: 'DELETE', path: `${configMaps}/flow?dryRun=All` },
  { method: 'DELETE', path: `${configMaps}?dryRun=All&labelSelector=nothing` },
  get(`${configMaps}?watch=1&timeoutSeconds=1&resourceVersion=0&labelSelector=nothing`),
  get('/api/v1/watch/namespaces/default/configmaps?timeoutSeconds=1&resourceVersion=0&labelSelector=nothing'),
  ...['/none', '?labelSelector=nothing'].map((rest) => get(`/api/v1/namespaces/default/secrets${rest}`)),
  json('POST', '/api/v1/namespaces/default/secrets', 'Secret', 'flow'),
  ...['?labelSelector=nothing', '/default', '/default/status'].map((rest) => get(`/api/v1/namespaces${rest}`)),
  ...['?labelSelector=nothing', '/none', '/none/status', '/none/proxy/'].map((rest) => get(`/api/v1/nodes${rest}`)),
  send('PATCH', '/api/v1/nodes/none/status?dryRun=All', {}, merge),
  ...['', '/status', '/log', '/exec?command=a', '/proxy/', '/attach', '/portforward'].map((rest) =>
    get(`/api/v1/namespaces/default/pods/none${rest}`),
  ),
  send('POST', '/api/v1/namespaces/default/pods/none/eviction?dryRun=All', {
    kind: 'Eviction',
    apiVersion: 'policy/v1',
    metadata: { name: 'none' },
  }),
  send('POST', '/api/v1/namespaces/default/serviceaccounts/none/token', {}),
  ...['default', 'kube-node-lease', 'kube-system'].flatMap((namespace) => [
    get(`${leases(namespace)}/none`),
    get(`${leases(namespace)}?labelSelector=nothing`),
    json('POST', leases(namespace), 'Lease', 'flow'),
    json('PUT', `${leases(namespace)}/flow`, 'Lease', 'flow'),
    send('PATCH', `${leases(namespace)}/flow?dryRun=All`, {}, merge),
  ]),
  get('/api/v1/namespaces/kube-system/endpoints/none'),
  get('/apis/apps/v1/namespaces/default/deployments/none'),
  get('/apis/apps/v1/namespaces/default/deployments/none/scale'),
  get('/apis/apps/v1/namespaces/default/deployments/none/status'),
  get('/apis/batch/v1/jobs?labelSelector=nothing'),
  get('/apis/rbac.authorization.k8s.io/v1/clusterroles/none'),
  get('/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles/none'),
  get('/apis/nothing.example.com/v1/namespaces/default/things'),
  send('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } }),
  send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}),
]

const askedAs = (call: Call, who: NonNullable<Call['headers']> | string): Call =>
  typeof who === 'string' ? { ...call, token: who } : { ...call, headers: { ...call.headers, ...who } }

// ── Scenes ──────────────────────────────────────────────────────────────────────────────────────

const suggested = {
  levels: ['exempt', 'catch-all', 'global-default', 'leader-election', 'node-high', 'system', 'workload-high', 'workload-low'],
  schemas: [
    ...['exempt', 'catch-all', 'global-default', 'kube-controller-manager', 'kube-scheduler', 'kube-system-service-accounts', 'probes'],
    ...['service-accounts', 'system-leader-election', 'system-node-high', 'system-nodes'],
  ],
}
const dumps = '/debug/api_priority_and_fairness'

function* scenes(): Generator<Scene> {
  for (const [who, headers] of Object.entries(users))
    for (const call of requests) yield { kind: 'flows', at: `${who}: ${call.method} ${call.path}`, calls: [askedAs(call, headers)] }
  for (const name of suggested.schemas) yield { kind: 'objects', at: `schema ${name}`, calls: [get(`${schemas}/${name}`)] }
  for (const name of suggested.levels) yield { kind: 'objects', at: `level ${name}`, calls: [get(`${levels}/${name}`)] }
  for (const { metadata } of ownSchemas)
    yield { kind: 'objects', at: `schema ${metadata.name}`, calls: [get(`${schemas}/${metadata.name}/status`)] }
  for (const [name, spec] of Object.entries(changes))
    yield { kind: 'changes', at: `${name}: ${JSON.stringify(spec)}`, calls: [send('PATCH', `${base}/${name}?dryRun=All`, { spec }, merge)] }
  // A level without seats runs one request at a time.
  yield {
    kind: 'flows',
    at: 'seatless',
    calls: [
      `${configMaps}?labelSelector=nothing`,
      '/readyz',
      `${configMaps}?watch=1&timeoutSeconds=1&resourceVersion=0&labelSelector=nothing`,
    ].map((path) => get(path, as('seatless'))),
  }
  for (const dump of ['dump_priority_levels', 'dump_queues', 'dump_requests', 'dump_requests?includeRequestDetails=1', 'nothing', '']) {
    yield { kind: 'dumps', at: dump, calls: [get(`${dumps}/${dump}`)] }
    yield { kind: 'dumps', at: `denied ${dump}`, calls: [askedAs(get(`${dumps}/${dump}`), 'reference-alice')] }
  }
  yield { kind: 'dumps', at: 'post', calls: [send('POST', `${dumps}/dump_queues`, {})] }
}

/** Changes of objects that the server keeps; what is refused is never stored. */
const changes: { readonly [path: string]: object } = {
  'flowschemas/exempt': { matchingPrecedence: 2 },
  'flowschemas/catch-all': { distinguisherMethod: null },
  'flowschemas/probes': { matchingPrecedence: 3 },
  'flowschemas/global-default': { matchingPrecedence: 10_000 },
  'flowschemas/service-accounts': { matchingPrecedence: 1 },
  'prioritylevelconfigurations/exempt': { exempt: { nominalConcurrencyShares: 7, lendablePercent: 50 } },
  'prioritylevelconfigurations/catch-all': { limited: { nominalConcurrencyShares: 7 } },
  'prioritylevelconfigurations/global-default': { limited: { nominalConcurrencyShares: 7 } },
  'prioritylevelconfigurations/system': { type: 'Exempt' },
  'prioritylevelconfigurations/node-high': { type: 'Exempt', limited: null, exempt: {} },
}

export const fairness: Part = {
  name: 'fairness',
  small: true,
  named: [schemas, levels],
  before: () => [
    ...removal(),
    ...ownLevels.map((each) => send('POST', levels, each)),
    ...ownSchemas.map((each) => send('POST', schemas, each)),
    // The last one has been looked at.
    { ...send('PATCH', `${schemas}/suite-seatless/status`, isFound, { 'content-type': 'application/json-patch+json' }), until: 200 },
  ],
  scenes,
  after: removal,
}
