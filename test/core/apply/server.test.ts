/** Server-side apply and managed fields through an in-process server. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type EmbeddedOptions, memoryStore } from '../../../runtimes/web/index.ts'
import { startInProcess } from '../../support/in-process.ts'

interface Entry {
  manager: string
  operation: string
  apiVersion: string
  subresource?: string
  time?: string
  fieldsV1: { [key: string]: unknown }
}

interface Thing {
  [key: string]: unknown
  metadata: { [key: string]: unknown; resourceVersion: string; generation?: number; managedFields?: Entry[] }
  message?: string
}

interface Answer {
  readonly code: number
  readonly body: Thing
  readonly warnings: string | null
}

async function client(t: TestContext, options: Partial<EmbeddedOptions> = {}) {
  const { api } = await startInProcess(options, t)
  const call = async (method: string, path: string, body?: unknown, type = 'application/json', agent = 'tester/1.0'): Promise<Answer> => {
    const answer = await api.send<Thing>(method, path, body, { 'content-type': type, 'user-agent': agent })
    return { code: answer.status, body: answer.body, warnings: answer.headers.get('warning') }
  }
  const apply = (path: string, manager: string, body: unknown, query = '') =>
    call('PATCH', `${path}?fieldManager=${manager}${query}`, body, 'application/apply-patch+yaml')
  return { api, call, apply }
}

const owners = ({ body }: Answer) =>
  Object.fromEntries(
    (body.metadata.managedFields ?? []).map(({ manager, operation, subresource, fieldsV1 }) => [
      [manager, operation, subresource].filter(Boolean).join(' '),
      fieldsV1,
    ]),
  )

const configMaps = '/api/v1/namespaces/default/configmaps'
const deployments = '/apis/apps/v1/namespaces/default/deployments'
const map = (data: object, metadata: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', ...metadata }, data })
const deployment = (spec: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: {
    selector: { matchLabels: { app: 'd' } },
    template: { metadata: { labels: { app: 'd' } }, spec: { containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80 }] }] } },
    ...spec,
  },
})

test('creates, changes, conflicts, forces and removes', async (t) => {
  const { apply, call } = await client(t)
  const created = await apply(`${configMaps}/m`, 'a', map({ k: '1', l: '1' }))
  assert.equal(created.code, 201)
  assert.deepEqual(owners(created), { 'a Apply': { 'f:data': { 'f:k': {}, 'f:l': {} } } })
  const same = await apply(`${configMaps}/m`, 'a', map({ k: '1', l: '1' }))
  assert.deepEqual([same.code, same.body], [200, created.body])
  const conflict = await apply(`${configMaps}/m`, 'b', map({ k: '2' }))
  assert.deepEqual([conflict.code, conflict.body['reason']], [409, 'Conflict'])
  assert.equal(conflict.body.message, 'Apply failed with 1 conflict: conflict with "a": .data.k')
  const forced = await apply(`${configMaps}/m`, 'b', map({ k: '2' }), '&force=true')
  assert.deepEqual(owners(forced), { 'a Apply': { 'f:data': { 'f:l': {} } }, 'b Apply': { 'f:data': { 'f:k': {} } } })
  const less = await apply(`${configMaps}/m`, 'a', map({ n: '1' }))
  assert.deepEqual(less.body['data'], { k: '2', n: '1' })
  const stored = await call('GET', `${configMaps}/m`)
  assert.deepEqual(stored.body, less.body)
})

test('YAML, dry runs and refused bodies', async (t) => {
  const { apply, call } = await client(t)
  const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m\ndata:\n  k: "1"\n'
  assert.equal((await apply(`${configMaps}/m`, 'a', yaml, '&dryRun=All')).code, 201)
  assert.equal((await call('GET', `${configMaps}/m`)).code, 404)
  assert.equal((await apply(`${configMaps}/m`, 'a', yaml)).code, 201)
  const texts = async (body: unknown, query?: string) => {
    const { code, body: status } = await apply(`${configMaps}/m`, 'a', body, query)
    return `${code} ${status['reason'] ?? '-'} ${status.message}`
  }
  assert.equal(await texts(map({}, { managedFields: [] })), '400 BadRequest metadata.managedFields must be nil')
  assert.equal(await texts({ ...map({}), kind: 'Secret' }), '400 BadRequest invalid object type: /v1, Kind=Secret')
  assert.equal(
    await texts({ ...map({}), nope: 1 }),
    '500 - failed to create typed patch object (/m; /v1, Kind=ConfigMap): .nope: field not declared in schema',
  )
  assert.equal(
    await texts(map({}, { name: true })),
    '500 - failed to create typed patch object (/; /v1, Kind=ConfigMap): .metadata.name: expected string, got &value.valueUnstructured{Value:true}',
  )
  assert.match(await texts('a: [\n'), /^400 BadRequest error decoding YAML: error converting YAML to JSON: yaml: line \d/)
  assert.match(await texts(map({}, { name: 'other' })), /^400 BadRequest the name of the object/)
  assert.match(await texts(map({}, { uid: 'x' })), /^422 Invalid ConfigMap "m" is invalid: metadata.uid: .*: field is immutable$/)
  const twice = `${yaml}  k: "2"\n`
  assert.match(
    await texts(twice, '&fieldValidation=Strict'),
    /^400 BadRequest error strict decoding YAML: .*\n {2}line 7: key "k" already set in map$/,
  )
  assert.equal((await apply(`${configMaps}/m`, 'a', twice)).warnings, '299 - "line 7: key \\"k\\" already set in map"')
  const unnamed = await call('PATCH', `${configMaps}/m`, yaml, 'application/apply-patch+yaml')
  assert.deepEqual(
    [unnamed.code, /fieldManager: Required value: is required for apply patch/.test(unnamed.body.message ?? '')],
    [422, true],
  )
})

test('an empty list that is written even if it is absent is owned, also when the body has managed fields', async (t) => {
  const { call } = await client(t)
  const slice = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', addressType: 'IPv4' }
  const entry = { manager: 'x', operation: 'Update', apiVersion: slice.apiVersion, fieldsType: 'FieldsV1', fieldsV1: { 'f:ports': {} } }
  const lists = { endpoints: [], ports: [] }
  for (const [index, managedFields] of [undefined, [], [{}], [entry]].entries()) {
    const metadata = { name: `s-${index}`, ...(managedFields && { managedFields }) }
    const created = await call('POST', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', { ...slice, ...lists, metadata })
    assert.deepEqual(owners(created), { 'tester Update': { 'f:addressType': {}, 'f:endpoints': {}, 'f:ports': {} } })
  }
})

test('the rules of a role are owned by who gives a list, or applies none; the empty list and null are stored alike', async (t) => {
  const { call, apply } = await client(t)
  const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles'
  const role = (name: string, more: object) => ({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name }, ...more })
  const owned = { 'f:rules': {} }
  const created = await call('POST', roles, role('empty', { rules: [] }))
  assert.deepEqual([owners(created), created.body['rules']], [{ 'tester Update': owned }, null])
  assert.equal((await apply(`${roles}/empty`, 'a', role('empty', { rules: [] }))).code, 409)
  const without = await call('PUT', `${roles}/empty`, role('empty', { rules: null }), 'application/json', 'other/1.0')
  assert.deepEqual([owners(without), without.body['rules']], [{ 'tester Update': owned }, null])

  assert.deepEqual(owners(await call('POST', roles, role('null', { rules: null }))), {})
  assert.deepEqual(owners(await apply(`${roles}/null`, 'a', role('null', { rules: null }))), { 'a Apply': owned })
  assert.deepEqual(owners(await call('PUT', `${roles}/null`, role('null', { rules: [] }))), { 'tester Update': owned })

  assert.deepEqual(owners(await call('POST', roles, role('none', {}))), {})
  assert.deepEqual(owners(await apply(`${roles}/none`, 'a', role('none', {}))), {})
  assert.deepEqual(owners(await call('PUT', `${roles}/none`, role('none', { rules: [] }))), {})
})

test('the first apply to an object without identities in a list names what it could not do', async (t) => {
  const { apply, call } = await client(t)
  const path = '/api/v1/namespaces/default/serviceaccounts'
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a' } }
  assert.equal((await call('POST', path, { ...account, secrets: [{}] })).code, 201)
  const { code, body } = await apply(`${path}/a`, 'a', account)
  const prefix =
    'failed to create manager for existing fields: failed to convert new object (default/a; /v1, Kind=ServiceAccount) to smd typed'
  const why =
    'associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)'
  assert.deepEqual([code, body.message], [500, `${prefix}: .secrets: element 0: ${why}`])
})

test('a key that an item leaves out is zero where it can not be unset', async (t) => {
  const { apply, call } = await client(t)
  const pods = '/api/v1/namespaces/default/pods'
  const pod = (containers: readonly object[]) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers } })
  const repeated = await apply(`${pods}/p`, 'a', pod([{ image: 'x' }, { image: 'y' }]))
  const title = 'failed to create typed patch object (/p; /v1, Kind=Pod)'
  assert.deepEqual([repeated.code, repeated.body.message], [500, `${title}: .spec.containers: duplicate entries for key [name=""]`])
  const services = '/api/v1/namespaces/default/services'
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' } }
  await call('POST', services, { ...service, spec: { type: 'LoadBalancer', ports: [{ port: 80 }] } })
  const applied = await apply(`${services}/s/status`, 'a', { ...service, status: { conditions: [{ status: 'True' }] } })
  assert.deepEqual(owners(applied)['a Apply status'], { 'f:status': { 'f:conditions': { 'k:{"type":""}': { '.': {}, 'f:status': {} } } } })
})

test('creates, updates and patches are recorded under the field manager or the user agent', async (t) => {
  const { call } = await client(t)
  const created = await call('POST', configMaps, map({ k: '1' }, { labels: { a: 'b' } }))
  assert.deepEqual(owners(created), {
    'tester Update': { 'f:data': { '.': {}, 'f:k': {} }, 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } },
  })
  const patched = await call('PATCH', `${configMaps}/m?fieldManager=p`, { data: { l: '1' } }, 'application/merge-patch+json')
  assert.deepEqual(owners(patched)['p Update'], { 'f:data': { 'f:l': {} } })
  const replaced = await call('PUT', `${configMaps}/m?fieldManager=u`, map({ k: '2', l: '1' }))
  assert.deepEqual(owners(replaced), {
    'p Update': { 'f:data': { 'f:l': {} } },
    'tester Update': { 'f:data': {} },
    'u Update': { 'f:data': { 'f:k': {} } },
  })
  const noop = await call('PUT', `${configMaps}/m?fieldManager=w`, map({ k: '2', l: '1' }))
  assert.deepEqual(noop.body, replaced.body)
  const cleared = await call('PUT', `${configMaps}/m`, map({ k: '3' }, { managedFields: [] }))
  assert.equal(cleared.body.metadata.managedFields, undefined)
})

test('in an atomic list, an empty list that an update gives is a change', async (t) => {
  const { call } = await client(t)
  const withTerm = (term: object) => {
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } }
    const { template, ...spec } = deployment().spec
    return deployment({ ...spec, template: { ...template, spec: { ...template.spec, affinity } } })
  }
  const term = { matchExpressions: [{ key: 'a', operator: 'Exists' }] }
  assert.equal((await call('POST', deployments, withTerm(term))).code, 201)
  const ownersAfter = async (changed: object) =>
    Object.keys(owners(await call('PUT', `${deployments}/d?dryRun=All`, withTerm(changed), 'application/json', 'other/1.0')))
  assert.deepEqual(await ownersAfter(term), ['tester Update'])
  assert.deepEqual((await ownersAfter({ ...term, matchFields: [] })).sort(), ['other Update', 'tester Update'])
})

test('in an atomic object, an empty list or map is a change inside of lists only', async (t) => {
  const { call } = await client(t)
  const policies = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies'
  const from = [{ podSelector: { matchLabels: { a: 'b' } }, namespaceSelector: {} }]
  const policy = { metadata: { name: 'p' }, spec: { podSelector: { matchLabels: { a: 'b' } }, ingress: [{ from }] } }
  assert.equal((await call('POST', policies, policy)).code, 201)
  const gained = async (spec: object) => {
    const body = { ...policy, spec: { ...policy.spec, ...spec } }
    return owners(await call('PUT', `${policies}/p?dryRun=All`, body, 'application/json', 'other/1.0'))['other Update']
  }
  assert.equal(await gained({ podSelector: { matchLabels: { a: 'b' }, matchExpressions: [] } }), undefined)
  assert.deepEqual(await gained({ ingress: [{ from, ports: [] }] }), { 'f:spec': { 'f:ingress': {} } })
})

test('an empty list of managed fields resets ownership in versions that are not stored, too', async (t) => {
  const { call } = await client(t)
  const path = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers'
  const scaler = (metadata: object) => ({
    apiVersion: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'h', ...metadata },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }, maxReplicas: 1 },
  })
  assert.equal((await call('POST', path, scaler({}))).body.metadata.managedFields?.length, 1)
  const cleared = await call('PUT', `${path}/h`, scaler({ managedFields: [] }))
  assert.deepEqual([cleared.code, cleared.body.metadata.managedFields], [200, undefined])
})

test('defaults are owned by a create, not by an apply', async (t) => {
  const { apply, call } = await client(t)
  const applied = await apply(`${deployments}/d`, 'a', deployment())
  assert.equal(applied.code, 201)
  assert.deepEqual(owners(applied), {
    'a Apply': {
      'f:spec': {
        'f:selector': {},
        'f:template': {
          'f:metadata': { 'f:labels': { 'f:app': {} } },
          'f:spec': {
            'f:containers': {
              'k:{"name":"c"}': {
                '.': {},
                'f:image': {},
                'f:name': {},
                'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
              },
            },
          },
        },
      },
    },
  })
  const again = await apply(`${deployments}/d`, 'a', deployment())
  assert.deepEqual(again.body, applied.body)
  await call('DELETE', `${deployments}/d`)
  const created = await call('POST', deployments, deployment())
  const spec = owners(created)['tester Update']?.['f:spec'] as { [key: string]: unknown }
  assert.deepEqual(Object.keys(spec), [
    'f:progressDeadlineSeconds',
    'f:replicas',
    'f:revisionHistoryLimit',
    'f:selector',
    'f:strategy',
    'f:template',
  ])
})

test('status and scale', async (t) => {
  const { apply, call } = await client(t)
  await apply(`${deployments}/d`, 'a', deployment({ replicas: 2 }))
  const status = await apply(`${deployments}/d/status`, 'k', {
    ...deployment({ replicas: 9 }),
    status: { replicas: 2, conditions: [{ type: 'Available', status: 'True' }] },
  })
  assert.deepEqual([status.code, (status.body['spec'] as { replicas: number }).replicas], [200, 2])
  assert.deepEqual(owners(status)['k Apply status'], {
    'f:status': { 'f:conditions': { 'k:{"type":"Available"}': { '.': {}, 'f:status': {}, 'f:type': {} } }, 'f:replicas': {} },
  })
  const scale = await call('PATCH', `${deployments}/d/scale?fieldManager=hpa`, { spec: { replicas: 5 } }, 'application/merge-patch+json')
  assert.equal(scale.code, 200)
  assert.equal(scale.body.metadata.managedFields, undefined)
  const scaled = await call('GET', `${deployments}/d`)
  assert.deepEqual(owners(scaled)['hpa Update scale'], { 'f:spec': { 'f:replicas': {} } })
  assert.doesNotMatch(JSON.stringify(owners(scaled)['a Apply']), /f:replicas/)
  assert.equal(scaled.body.metadata.generation, 2)
  const again = await call('PATCH', `${deployments}/d/scale?fieldManager=hpa`, { spec: { replicas: 5 } }, 'application/merge-patch+json')
  assert.equal(again.body.metadata.resourceVersion, scaled.body.metadata.resourceVersion)
  const conflict = await apply(`${deployments}/d`, 'a', deployment({ replicas: 3 }))
  assert.equal(
    conflict.body.message,
    'Apply failed with 1 conflict: conflict with "hpa" with subresource "scale" using apps/v1: .spec.replicas',
  )
  const yielded = await apply(`${deployments}/d`, 'a', deployment())
  assert.equal((yielded.body['spec'] as { replicas: number }).replicas, 5)
})

test('migrates from client-side apply without conflicts', async (t) => {
  const { apply, call } = await client(t)
  const annotation = 'kubectl.kubernetes.io/last-applied-configuration'
  const before = map({ k: '1' })
  await call(
    'POST',
    `${configMaps}?fieldManager=kubectl-client-side-apply`,
    map({ k: '1' }, { annotations: { [annotation]: JSON.stringify(before) } }),
  )
  assert.equal((await apply(`${configMaps}/m`, 'other', map({ k: '2' }))).code, 409)
  const after = await apply(`${configMaps}/m`, 'kubectl', map({ k: '2' }))
  assert.equal(after.code, 200)
  assert.deepEqual(owners(after)['kubectl Apply'], { 'f:data': { 'f:k': {} } })
  const { annotations } = after.body.metadata as unknown as { annotations: { [key: string]: string } }
  assert.equal(annotations[annotation], '{"apiVersion":"v1","data":{"k":"2"},"kind":"ConfigMap","metadata":{"name":"m"}}\n')
})

test('managers of several versions of one resource', async (t) => {
  const { apply } = await client(t)
  const path = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers/h`
  const hpa = (version: string, spec: object) => ({
    apiVersion: `autoscaling/${version}`,
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'h' },
    spec: { scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, maxReplicas: 5, ...spec },
  })
  const created = await apply(path('v1'), 'a', hpa('v1', { targetCPUUtilizationPercentage: 50 }))
  assert.equal(created.code, 201, String(created.body.message))
  const conflict = await apply(path('v2'), 'b', hpa('v2', { maxReplicas: 6 }))
  assert.equal(conflict.body.message, 'Apply failed with 1 conflict: conflict with "a": .spec.maxReplicas')
  const shared = await apply(path('v2'), 'b', hpa('v2', {}))
  assert.deepEqual(shared.body.metadata.managedFields?.map(({ manager, apiVersion }) => `${manager} ${apiVersion}`).sort(), [
    'a autoscaling/v1',
    'b autoscaling/v2',
  ])
  const moved = await apply(path('v2'), 'a', hpa('v2', { metrics: [] }))
  assert.equal(moved.code, 200, String(moved.body.message))
})

test('values stored in another form are not changes', async (t) => {
  let now = Date.UTC(2026, 0, 1)
  const { apply } = await client(t, { controllers: [], clock: { now: () => now, monotonic: () => now, after: () => () => {} } })
  const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec: { hard: { cpu: 0.5 } } }
  const again = () => apply('/api/v1/namespaces/default/resourcequotas/q', 'a', quota)
  const { body: first } = await again()
  assert.deepEqual(first['spec'], { hard: { cpu: '500m' } })
  now += 60_000
  assert.deepEqual((await again()).body, first)
})

test('what does not fit the kind is an error without reason, as whole numbers of any size fit', async (t) => {
  const { call, apply } = await client(t)
  const refusals: readonly (readonly [path: string, body: object, type: string, why: string])[] = [
    [`${deployments}/d`, deployment({ replicas: 1.5 }), 'apps/v1, Kind=Deployment', 'cannot convert float64 to int32'],
    [
      '/api/v1/namespaces/default/secrets/m',
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'm' }, data: { a: '!' } },
      '/v1, Kind=Secret',
      'error decoding from json: illegal base64 data at input byte 0',
    ],
    [
      `${configMaps}/m`,
      map({}, { creationTimestamp: 'x' }),
      '/v1, Kind=ConfigMap',
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ],
  ]
  for (const [path, body, type, why] of refusals) {
    const { name } = (body as Thing).metadata
    const { code, body: status } = await apply(path, 'one', body)
    const message = `failed to convert new object (/${name}; ${type}) to proper version: unable to convert unstructured object to ${type}: ${why}`
    assert.deepEqual([code, status.message, status['reason']], [500, message, undefined])
  }
  const text = JSON.stringify(deployment()).replace('"spec":{', '"spec":{"replicas":1e20,')
  const { body } = await apply(`${deployments}/d`, 'one', text)
  assert.equal((body['spec'] as { replicas: number }).replicas, 0)
  assert.equal((await call('GET', `${deployments}/d`)).code, 200)
})

test('apply requires the create verb for a new object', async (t) => {
  const store = memoryStore()
  const { api: open } = await client(t, { store })
  const rbac = '/apis/rbac.authorization.k8s.io/v1'
  const group = 'rbac.authorization.k8s.io'
  await open.create(`${rbac}/clusterroles`, {
    metadata: { name: 'patcher' },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['patch', 'get'] }],
  })
  await open.create(`${rbac}/clusterrolebindings`, {
    metadata: { name: 'patcher' },
    roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'patcher' },
    subjects: [{ apiGroup: group, kind: 'Group', name: 'system:unauthenticated' }],
  })
  await open.create(configMaps, map({}))
  const { apply } = await client(t, { store, authorizationModes: ['RBAC'] })
  assert.equal((await apply(`${configMaps}/m`, 'a', map({ k: '1' }))).code, 200)
  const refused = await apply(`${configMaps}/n`, 'a', map({ k: '1' }, { name: 'n' }))
  assert.equal(refused.code, 403)
  assert.match(refused.body.message ?? '', /User "system:anonymous" cannot create resource "configmaps"/)
})
