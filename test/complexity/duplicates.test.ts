/** Rules that refuse repeated items, on 100,000 of them: each item was once compared with all before it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { covers } from '../../core/access/authz/rbac-covers.ts'
import type { Status } from '../../core/answers/status.ts'
import { allKinds } from '../support/all-kinds.ts'
import { processorTime, slowness } from '../support/cost.ts'
import { apiAs, serverForTests, startInProcess } from '../support/in-process.ts'

/** Milliseconds of processor time on a quiet machine; comparing each with each takes five times as long and more. */
const most = 1_500
const count = 100_000

const api = serverForTests({
  controllers: [],
  ...allKinds,
  admissionPlugins: { disable: ['ServiceAccount', 'CertificateSubjectRestriction'] },
})

const times = <T>(length: number, make: (index: number) => T): T[] => Array.from({ length }, (_, index) => make(index))
const names = (length: number) => times(length, (index) => `n${index}`)

async function cheap<T>(work: () => T | Promise<T>): Promise<T> {
  const { result, milliseconds } = await processorTime(work)
  if (milliseconds > most) assert.ok(milliseconds < most * (await slowness()), `${Math.round(milliseconds)} ms`)
  return result
}

const policies = '/apis/admissionregistration.k8s.io/v1'
const resourceRules = [{ apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: ['*'] }]
const policy = (more: object) => ({ spec: { matchConstraints: { resourceRules }, validations: [{ expression: 'true' }], ...more } })
const webhook = (more: object) => ({
  webhooks: [
    {
      name: 'a.example.com',
      clientConfig: { url: 'https://example.com' },
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      rules: resourceRules,
      ...more,
    },
  ],
})
const definition = (conversionReviewVersions: string[]) => ({
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions, clientConfig: { url: 'https://example.com' } } },
  },
})
const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'any' }] } }
const job = (values: number[]) => ({
  spec: { template, podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values } }] } },
})

/** Collection, object with these items, and how the same item twice is refused; absent: other rules speak first. */
const rows: { [what: string]: [path: string, make: (items: string[]) => object, twice?: RegExp] } = {
  'names of match conditions': [
    `${policies}/validatingadmissionpolicies`,
    (items) => policy({ matchConditions: items.map((name) => ({ name, expression: 'true' })) }),
    /spec\.matchConditions\[1\]\.name: Duplicate value: "n0"/,
  ],
  'keys of audit annotations': [
    `${policies}/validatingadmissionpolicies`,
    (items) => policy({ auditAnnotations: items.map((key) => ({ key, valueExpression: '"a"' })) }),
    /spec\.auditAnnotations\[1\]\.key: Duplicate value: "n0"/,
  ],
  'actions of bindings': [
    `${policies}/validatingadmissionpolicybindings`,
    (items) => ({ spec: { policyName: 'a', validationActions: items } }),
    /spec\.validationActions\[1\]: Duplicate value: "n0"/,
  ],
  'review versions of webhooks': [
    `${policies}/validatingwebhookconfigurations`,
    (items) => webhook({ admissionReviewVersions: items }),
    /admissionReviewVersions\[1\]: Invalid value: "n0": duplicate version/,
  ],
  'review versions of conversions': [
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    definition,
    /conversionReviewVersions\[1\]: Invalid value: "n0": duplicate version/,
  ],
  'exit codes': [
    '/apis/batch/v1/namespaces/default/jobs',
    (items) => job(items.map((name) => Number(name.slice(1)) + 1)),
    /values\[1\]: Duplicate value: 1/,
  ],
  'usages of certificates': [
    '/apis/certificates.k8s.io/v1/certificatesigningrequests',
    (usages) => ({ spec: { request: 'YQ==', signerName: 'example.com/a', usages } }),
    /spec\.usages\[1\]: Duplicate value: "n0"/,
  ],
  'ranges of nodes': [
    '/api/v1/nodes',
    (items) => ({ spec: { podCIDRs: items.map((name) => `fd00:0:0:${Number(name.slice(1)).toString(16).slice(-4)}::/64`) } }),
    /spec\.podCIDRs: Invalid value: .*: may specify no more than one CIDR for each IP family/,
  ],
  'families of services': [
    '/api/v1/namespaces/default/services',
    (ipFamilies) => ({ spec: { ports: [{ port: 80 }], ipFamilies } }),
    /spec\.ipFamilies\[1\]: Duplicate value: "n0"/,
  ],
  'templates of workloads': [
    '/apis/scheduling.k8s.io/v1alpha2/namespaces/default/workloads',
    (items) => ({ spec: { podGroupTemplates: items.map((name) => ({ name, schedulingPolicy: { basic: {} } })) } }),
    /podGroupTemplates\[1\]/,
  ],
  'topology keys of drivers': [
    '/apis/storage.k8s.io/v1/csinodes',
    (topologyKeys) => ({ spec: { drivers: [{ name: 'any.example.com', nodeID: 'any', topologyKeys }] } }),
    /spec\.drivers\[0\]: Duplicate value: "n0"/,
  ],
  'claims of containers': [
    '/api/v1/namespaces/default/pods',
    (items) => ({ spec: { containers: [{ name: 'main', image: 'any', resources: { claims: items.map((name) => ({ name })) } }] } }),
    /resources\.claims\[1\]: Duplicate value: "n0"/,
  ],
  'label keys of affinity': [
    '/api/v1/namespaces/default/pods',
    (items) => {
      const labelSelector = { matchExpressions: items.map((key) => ({ key, operator: 'Exists' })) }
      const term = { topologyKey: 'zone', labelSelector, matchLabelKeys: items, mismatchLabelKeys: [...items, 'other'] }
      return {
        spec: {
          containers: [{ name: 'main', image: 'any' }],
          affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
        },
      }
    },
    /exists in both matchLabelKeys and/,
  ],
}
/** Larger items: as many as a body of 3 MiB holds, and at most 100,000 objects in it. */
const fewer: { readonly [what: string]: number } = {
  'names of match conditions': 60_000,
  'keys of audit annotations': 60_000,
  'ranges of nodes': 60_000,
  'templates of workloads': 30_000,
  'claims of containers': 90_000,
  'label keys of affinity': 40_000,
}

for (const [what, [path, make, twice]] of Object.entries(rows))
  test(what, async () => {
    const send = (items: string[]) => api.send<Status>('POST', `${path}?dryRun=All`, { metadata: { name: 'duplicates' }, ...make(items) })
    const many = names(fewer[what] ?? count)
    const { status } = await cheap(() => send(many))
    assert.ok(status === 201 || status === 422, `${status}`)
    const repeated = await send(['n0', 'n0'])
    assert.equal(repeated.status, 422)
    if (twice) assert.match(repeated.body.message ?? '', twice)
  })

test('a part of a claim, and the claim as a whole', async () => {
  const claims = [{ name: 'a', request: 'x' }, { name: 'a', request: 'y' }, { name: 'a' }, { name: 'b' }]
  const spec = { containers: [{ name: 'main', image: 'any', resources: { claims } }], resourceClaims: [{ name: 'a' }, { name: 'b' }] }
  const { body } = await api.send<Status>('POST', '/api/v1/namespaces/default/pods?dryRun=All', { metadata: { name: 'a' }, spec })
  assert.deepEqual(body.message?.match(/claims\[\d\]: Duplicate value: "\w+"/g), ['claims[2]: Duplicate value: "a"'])
})

test('paths of roles, compared when one gives rights to another', async () => {
  const paths = (prefix: string, more: string[] = []) => [...times(20_000, (index) => `/${prefix}/${index}`), ...more]
  const rule = (nonResourceURLs: string[]) => ({ verbs: ['get'], nonResourceURLs })
  const stars = times(10_000, (index) => `/a/${index}/*`)
  assert.deepEqual(await cheap(() => covers([rule(paths('a'))], [rule(paths('a').toReversed())])), [])
  assert.deepEqual(await cheap(() => covers([rule([...paths('b'), ...stars])], [rule(stars.map((path) => path.replace('*', 'x/y')))])), [])
  assert.deepEqual(await cheap(() => covers([rule(['*'])], [rule(paths('a'))])), [])
  assert.equal(
    (await cheap(() => covers([rule(paths('a', ['/c*']))], [rule(['/c', '/cd', '/c*', '/d', '/c/*'])])).catch(() => [])).length,
    1,
  )
  assert.deepEqual(covers([rule(['/c*'])], [rule(['/c', '/cd/e', '/c*', '/d'])]), [rule(['/d'])])
})

test('a role with 20,000 paths is written, also by somebody who is not allowed to escalate', async (t) => {
  const tokens = [
    { token: 'admin', user: { name: 'admin', groups: ['system:masters'] } },
    { token: 'ann', user: { name: 'ann' } },
  ]
  const { server } = await startInProcess({ controllers: [], authorizationModes: ['RBAC'], tokens }, t)
  const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
  const nonResourceURLs = times(20_000, (index) => `/paths/${index}`)
  const role = (name: string, rules: object[]) => ({ metadata: { name }, rules })
  const all = [
    { verbs: ['get'], nonResourceURLs },
    { verbs: ['create'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'] },
  ]
  const admin = apiAs(server, 'admin')
  assert.equal((await cheap(() => admin.send('POST', roles, role('all', all)))).status, 201)
  const subjects = [{ kind: 'User', name: 'ann', apiGroup: 'rbac.authorization.k8s.io' }]
  const roleRef = { kind: 'ClusterRole', name: 'all', apiGroup: 'rbac.authorization.k8s.io' }
  await admin.create('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', { metadata: { name: 'ann' }, subjects, roleRef })
  const ann = apiAs(server, 'ann')
  const reversed = { verbs: ['get'], nonResourceURLs: nonResourceURLs.toReversed() }
  assert.equal((await cheap(() => ann.send('POST', roles, role('same', [reversed])))).status, 201)
  const other = { verbs: ['get'], nonResourceURLs: [...nonResourceURLs.slice(1), '/other'] }
  const refused = await cheap(() => ann.send<Status>('POST', roles, role('more', [other])))
  assert.equal(refused.status, 403)
  assert.ok((refused.body.message ?? '').length < 100_000)
})
