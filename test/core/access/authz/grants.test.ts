/** Privilege escalation: writes of roles and bindings by users with different rights, through a server. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Authenticator } from '../../../../core/access/authn/authenticator.ts'
import { type Api, assertFailure } from '../../../support/api.ts'
import { type InProcess, startInProcess } from '../../../support/in-process.ts'
import { eventually } from '../../../support/wait.ts'
import { userOf } from './attributes.ts'

const rbac = '/apis/rbac.authorization.k8s.io/v1'
const clusterRoles = `${rbac}/clusterroles`
const clusterRoleBindings = `${rbac}/clusterrolebindings`
const roles = `${rbac}/namespaces/default/roles`
const roleBindings = `${rbac}/namespaces/default/rolebindings`

/** Takes the user from the header `who`: `name+group`. */
const byHeader: Authenticator = {
  name: 'header',
  authenticate: async (request) => ({ user: userOf(request.headers.get('who') ?? '') }),
}
const root = { who: 'root+system:masters' }

let running: InProcess
let api: Api
before(async () => {
  running = await startInProcess({ authorizationModes: ['RBAC'], authenticators: [byHeader], controllers: [] })
  api = running.api
  const grants: readonly (readonly [user: string, rules: object[]])[] = [
    ['reader', [writeRoles, reads('pods', 'configmaps')]],
    [
      'binder',
      [
        writeRoles,
        { verbs: ['bind'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], resourceNames: ['system:heapster'] },
      ],
    ],
    ['escalator', [writeRoles, { verbs: ['escalate'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'clusterroles'] }]],
    [
      'owner',
      [
        { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
        { verbs: ['*'], nonResourceURLs: ['*'] },
      ],
    ],
  ]
  for (const [user, rules] of grants) {
    await asRoot('POST', clusterRoles, { metadata: { name: `of-${user}` }, rules })
    await asRoot('POST', clusterRoleBindings, { metadata: { name: `of-${user}` }, ...binding('ClusterRole', `of-${user}`, user) })
  }
  await asRoot('POST', roleBindings, { metadata: { name: 'local' }, ...binding('ClusterRole', 'of-reader', 'local') })
  for (const user of ['reader', 'binder', 'escalator', 'owner']) await until(user, 'roles')
})
after(() => running.close())

// Not `*`, because it includes the verbs escalate and bind.
const writeRoles = {
  verbs: ['create', 'get', 'update', 'patch', 'delete', 'list'],
  apiGroups: ['rbac.authorization.k8s.io'],
  resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
}
const reads = (...resources: string[]) => ({ verbs: ['get', 'list'], apiGroups: [''], resources })
const binding = (kind: string, name: string, user: string) => ({
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
})

async function asRoot(method: string, path: string, body?: unknown) {
  const answer = await api.send(method, path, body, root)
  assert.ok(answer.status < 300, JSON.stringify(answer.body))
  return answer
}

/** Waits until RBAC decisions follow the stored objects. */
async function until(user: string, resource: string): Promise<void> {
  const spec = { user, resourceAttributes: { verb: 'create', group: 'rbac.authorization.k8s.io', resource, namespace: 'default' } }
  await eventually(`${user} has its rights`, async () => {
    const { body } = await api.send('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec }, root)
    return body.status?.['allowed'] === true
  })
}

let count = 0
const name = () => `r-${++count}`
const as = (user: string, method: string, path: string, body: object, headers: object = {}) =>
  api.send(method, path, body, { who: user, ...headers })
const role = (...rules: object[]) => ({ metadata: { name: name() }, rules })

test('a user may write a role with rights that the user has', async () => {
  assert.equal((await as('reader', 'POST', roles, role(reads('pods')))).status, 201)
  assert.equal((await as('reader', 'POST', clusterRoles, role(reads('pods'), reads('configmaps')))).status, 201)
  assert.equal((await as('owner', 'POST', clusterRoles, role({ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }))).status, 201)
  assert.equal((await as('root+system:masters', 'POST', clusterRoles, role({ verbs: ['x'], nonResourceURLs: ['/y'] }))).status, 201)
})

test('a user may not write a role with other rights', async () => {
  const answer = await as('reader', 'POST', roles, {
    metadata: { name: 'more' },
    rules: [reads('pods', 'secrets'), { ...reads('pods'), verbs: ['delete'] }],
  })
  assertFailure(answer, 403, 'Forbidden', /./)
  assert.equal(
    (answer.body as unknown as { message: string }).message,
    'roles.rbac.authorization.k8s.io "more" is forbidden: user "reader" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n' +
      '{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}\n{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}',
  )
  assertFailure(
    await as('reader', 'POST', clusterRoles, role({ verbs: ['get'], nonResourceURLs: ['/metrics'] })),
    403,
    'Forbidden',
    /NonResourceURLs:\["\/metrics"\]/,
  )
  assertFailure(await api.get(`${roles}/more`, root), 404, 'NotFound')
})

test('escalation is refused for every verb', async () => {
  const { body } = await as('reader', 'POST', roles, role(reads('pods')))
  const path = `${roles}/${body.metadata.name}`
  const more = { ...body, rules: [reads('secrets')] }
  assertFailure(await as('reader', 'PUT', path, more), 403, 'Forbidden', /not currently held/)
  for (const type of ['application/merge-patch+json', 'application/strategic-merge-patch+json']) {
    assertFailure(
      await as('reader', 'PATCH', path, { rules: [reads('secrets')] }, { 'content-type': type }),
      403,
      'Forbidden',
      /not currently held/,
    )
  }
  const applied = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: body.metadata.name },
    rules: [reads('secrets')],
  }
  const apply = { 'content-type': 'application/apply-patch+yaml' }
  assertFailure(await as('reader', 'PATCH', `${path}?fieldManager=t&force=true`, applied, apply), 403, 'Forbidden', /not currently held/)
  assertFailure(
    await as('reader', 'PATCH', `${roles}/applied?fieldManager=t`, { ...applied, metadata: { name: 'applied' } }, apply),
    403,
    'Forbidden',
    /not currently held/,
  )
  assertFailure(
    await as('reader', 'PUT', `${roles}/put`, { metadata: { name: 'put' }, rules: [reads('secrets')] }),
    403,
    'Forbidden',
    /not currently held/,
  )
  assertFailure(await as('reader', 'POST', `${roles}?dryRun=All`, role(reads('secrets'))), 403, 'Forbidden', /not currently held/)
  assert.deepEqual((await api.get<{ rules: object[] } & Awaited<ReturnType<typeof api.create>>>(path, root)).body.rules, [reads('pods')])
})

test('an update without changes, or of owner references only, is allowed', async () => {
  const big = { metadata: { name: 'big' }, rules: [reads('secrets')] }
  const { body } = await asRoot('POST', roles, big)
  assert.equal((await as('reader', 'PUT', `${roles}/big`, body)).status, 200)
  const merge = { 'content-type': 'application/merge-patch+json' }
  assert.equal((await as('reader', 'PATCH', `${roles}/big`, { metadata: { finalizers: ['example.com/hold'] } }, merge)).status, 200)
  assert.equal((await as('reader', 'PATCH', `${roles}/big`, { metadata: { finalizers: null } }, merge)).status, 200)
  assertFailure(
    await as('reader', 'PATCH', `${roles}/big`, { metadata: { labels: { a: 'b' } } }, merge),
    403,
    'Forbidden',
    /not currently held/,
  )
})

test('the verb escalate allows it for roles, not for bindings', async () => {
  assert.equal((await as('escalator', 'POST', roles, role(reads('secrets')))).status, 201)
  const all = { metadata: { name: name() }, rules: [], aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } }
  assert.equal((await as('escalator', 'POST', clusterRoles, all)).status, 201)
  assertFailure(
    await as('escalator', 'POST', roleBindings, { metadata: { name: name() }, ...binding('ClusterRole', 'system:node', 'x') }),
    403,
    'Forbidden',
    /not currently held/,
  )
})

test('only a user with all rights may write an aggregation rule', async () => {
  const gathers = () => ({
    metadata: { name: name() },
    rules: [],
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
  })
  assertFailure(
    await as('reader', 'POST', clusterRoles, gathers()),
    403,
    'Forbidden',
    /: must have cluster-admin privileges to use the aggregationRule$/,
  )
  assert.equal((await as('owner', 'POST', clusterRoles, gathers())).status, 201)
  const { body } = await asRoot('POST', clusterRoles, gathers())
  const { aggregationRule: _gone, ...rest } = body as typeof body & { aggregationRule?: object }
  assertFailure(await as('reader', 'PUT', `${clusterRoles}/${body.metadata.name}`, rest), 403, 'Forbidden', /cluster-admin privileges/)
})

test('binding a role requires its rights or the verb bind', async () => {
  const bind = (kind: string, role: string) => ({ metadata: { name: name() }, ...binding(kind, role, 'friend') })
  assert.equal((await as('reader', 'POST', clusterRoleBindings, bind('ClusterRole', 'of-reader'))).status, 201)
  assert.equal((await as('binder', 'POST', roleBindings, bind('ClusterRole', 'system:heapster'))).status, 201)
  assert.equal((await as('binder', 'POST', clusterRoleBindings, bind('ClusterRole', 'system:heapster'))).status, 201)
  assertFailure(await as('binder', 'POST', roleBindings, bind('ClusterRole', 'system:node')), 403, 'Forbidden', /not currently held/)
  assertFailure(await as('reader', 'POST', roleBindings, bind('ClusterRole', 'system:heapster')), 403, 'Forbidden', /^rolebindings.rbac/)
  assertFailure(
    await as('reader', 'POST', clusterRoleBindings, bind('ClusterRole', 'cluster-admin')),
    403,
    'Forbidden',
    /NonResourceURLs:\["\*"\]/,
  )
  assertFailure(
    await as('reader', 'POST', roleBindings, bind('ClusterRole', 'nowhere')),
    404,
    'NotFound',
    /^clusterroles.rbac.authorization.k8s.io "nowhere" not found$/,
  )
  assertFailure(
    await as('reader', 'POST', roleBindings, bind('Role', 'nowhere')),
    404,
    'NotFound',
    /^roles.rbac.authorization.k8s.io "nowhere" not found$/,
  )
  assertFailure(await as('reader', 'POST', roleBindings, bind('User', 'x')), 422, 'Invalid', /roleRef.kind/)
})

test('adding subjects to a binding requires the rights as well', async () => {
  const { body } = await asRoot('POST', roleBindings, { metadata: { name: name() }, ...binding('ClusterRole', 'system:node', 'a') })
  const path = `${roleBindings}/${body.metadata.name}`
  const more = { ...body, subjects: binding('ClusterRole', 'system:node', 'reader').subjects }
  assertFailure(await as('reader', 'PUT', path, more), 403, 'Forbidden', /not currently held/)
  assert.equal((await as('reader', 'PUT', path, body)).status, 200)
  assert.equal((await as('reader', 'DELETE', path, {})).status, 200)
})

test('rights in one namespace do not count in another', async () => {
  assert.equal((await as('local', 'POST', roles, role(reads('pods')))).status, 201)
  assertFailure(
    await as('local', 'POST', `${rbac}/namespaces/kube-system/roles`, role(reads('pods'))),
    403,
    'Forbidden',
    /cannot create resource "roles"/,
  )
  assertFailure(
    await as('local', 'POST', roleBindings, { metadata: { name: name() }, ...binding('ClusterRole', 'system:node', 'x') }),
    403,
    'Forbidden',
    /not currently held/,
  )
})

test('without RBAC no check is made', async () => {
  const open = await startInProcess({ authenticators: [byHeader], controllers: [] })
  assert.equal((await open.api.send('POST', roles, role(reads('secrets')), { who: 'anybody' })).status, 201)
  await open.close()
})
