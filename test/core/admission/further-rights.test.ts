/** Rights checked beyond the authorization of the request: parts of resource claims, and parameters of policies. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Authenticator } from '../../../core/access/authn/authenticator.ts'
import { createPlatform } from '../../../core/platform.ts'
import type { Api } from '../../support/api.ts'
import { type InProcess, startInProcess } from '../../support/in-process.ts'
import { userOf } from '../access/authz/attributes.ts'

const nodeKey = 'authentication.kubernetes.io/node-name'
/** User `driver@n1`: a token bound to node n1. */
const byHeader: Authenticator = {
  name: 'header',
  authenticate: async ({ headers }) => {
    const [who = '', node] = (headers.get('who') ?? '').split('@')
    return { user: { ...userOf(who), ...(node && { extra: { [nodeKey]: [node] } }) } }
  },
}
const root = { who: 'root+system:masters' }
const as = (who: string) => ({ who: `${who}+system:authenticated` })

let running: InProcess
let api: Api
before(async () => {
  running = await startInProcess({ platform: createPlatform('kubernetes'), authorizationModes: ['RBAC'], authenticators: [byHeader] })
  api = running.api
})
after(() => running.close())

const rbac = '/apis/rbac.authorization.k8s.io/v1'
const claims = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims'

async function make(path: string, body: object): Promise<void> {
  const { status, body: answer } = await api.send('POST', path, body, root)
  assert.equal(status, 201, JSON.stringify(answer))
}

async function grant(user: string, rules: object[]): Promise<void> {
  await make(`${rbac}/clusterroles`, { metadata: { name: user }, rules })
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user }
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }]
  await make(`${rbac}/clusterrolebindings`, { metadata: { name: user }, roleRef, subjects })
}

const onClaims = (verbs: string[], resource: string, rest: object = {}) => ({
  apiGroups: ['resource.k8s.io'],
  resources: [resource],
  verbs,
  ...rest,
})
const causesOf = ({ body }: { body: unknown }) =>
  ((body as { details?: { causes?: { field: string; message: string }[] } }).details?.causes ?? []).map(
    ({ field, message }) => `${field}: ${message}`,
  )
const merge = (path: string, patch: object, who: { who: string }) =>
  api.send('PATCH', path, patch, { ...who, 'content-type': 'application/merge-patch+json' })

const claim = (name: string, adminAccess?: boolean) => ({
  metadata: { name },
  spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c', ...(adminAccess && { adminAccess }) } }] } },
})

test('adminAccess to devices requires a label on the namespace, for claims and templates', async () => {
  const needs =
    'spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace'
  const templates = (namespace: string) => `/apis/resource.k8s.io/v1/namespaces/${namespace}/resourceclaimtemplates`
  const template = { metadata: { name: 't' }, spec: { spec: claim('t', true).spec } }
  assert.deepEqual(causesOf(await api.send('POST', claims, claim('admin', true), root)), [needs])
  assert.deepEqual(causesOf(await api.send('POST', templates('default'), template, root)), [needs])
  await make('/api/v1/namespaces', { metadata: { name: 'admins', labels: { 'resource.kubernetes.io/admin-access': 'true' } } })
  await make(claims.replace('default', 'admins'), claim('admin', true))
  await make(templates('admins'), template)
})

test('each part of a claim status requires its own right', async () => {
  await make(claims, claim('shared'))
  const status = onClaims(['get', 'update', 'patch'], 'resourceclaims/status')
  await grant('reporter', [status])
  await grant('binder', [status, onClaims(['patch'], 'resourceclaims/binding')])
  await grant('driver', [status, onClaims(['associated-node:patch'], 'resourceclaims/driver', { resourceNames: ['d.io'] })])
  await grant('controller', [status, onClaims(['arbitrary-node:patch'], 'resourceclaims/driver', { resourceNames: ['d.io'] })])

  const term = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }
  const results = [{ request: 'r', driver: 'd.io', pool: 'p', device: 'a' }]
  const allocation = { devices: { results }, nodeSelector: { nodeSelectorTerms: [term] } }
  const patch = { status: { allocation } }
  const path = `${claims}/shared/status`
  assert.deepEqual(causesOf(await merge(path, patch, as('reporter'))), [
    'status.allocation: Forbidden: changes need the verb "patch" on resourceclaims/binding',
  ])
  assert.equal((await merge(path, patch, as('binder'))).status, 200)
  assert.equal(
    (await merge(path, { metadata: { labels: { a: 'b' } } }, as('reporter'))).status,
    200,
    'changes of neither part need no further right',
  )

  const devices = [{ driver: 'd.io', pool: 'p', device: 'a', conditions: [] }]
  const report = { status: { devices } }
  const needs =
    'status.devices: Forbidden: changes need the verb "arbitrary-node:patch", or on the node of the claim "associated-node:patch", on resourceclaims/driver for "d.io"'
  for (const who of ['reporter', 'binder', 'driver']) assert.deepEqual(causesOf(await merge(path, report, as(who))), [needs], who)
  assert.deepEqual(causesOf(await merge(path, report, { who: 'driver+system:authenticated@n2' })), [needs], 'of another node')
  assert.equal((await merge(path, report, { who: 'driver+system:authenticated@n1' })).status, 200)
  assert.equal((await merge(path, { status: { devices: [] } }, as('controller'))).status, 200)
})

test('writing a policy with parameters requires the right to read them', async () => {
  const group = '/apis/admissionregistration.k8s.io/v1'
  const rule = { apiGroups: ['x'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['z'] }
  const policy = (name: string, kind: string) => ({
    metadata: { name },
    spec: { paramKind: { apiVersion: 'v1', kind }, matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'true' }] },
  })
  const binding = (name: string, policyName: string, paramRef: object) => ({
    metadata: { name },
    spec: { policyName, paramRef: { parameterNotFoundAction: 'Deny', ...paramRef }, validationActions: ['Deny'] },
  })
  const writes = { apiGroups: ['admissionregistration.k8s.io'], resources: ['*'], verbs: ['*'] }
  await grant('writer', [writes])
  await grant('reader', [writes, { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }])
  const [policies, bindings] = [`${group}/validatingadmissionpolicies`, `${group}/validatingadmissionpolicybindings`]
  const who = '&{writer  [system:authenticated] map[]}'

  assert.deepEqual(causesOf(await api.send('POST', policies, policy('p', 'ConfigMap'), as('writer'))), [
    `spec.paramKind: Forbidden: user ${who} must have "get" permission on all objects of the referenced paramKind (kind=ConfigMap, apiVersion=v1)`,
  ])
  assert.equal((await api.send('POST', policies, policy('p', 'ConfigMap'), as('reader'))).status, 201)
  assert.equal(
    (await merge(`${policies}/p`, { metadata: { labels: { a: 'b' } } }, as('writer'))).status,
    200,
    'unchanged parameters are not checked again',
  )

  const named = { name: 'c', namespace: 'default' }
  assert.deepEqual(causesOf(await api.send('POST', bindings, binding('b', 'p', named), as('writer'))), [
    `spec.paramRef: Forbidden: user ${who} does not have "get" permission on the object referenced by paramRef`,
  ])
  assert.deepEqual(causesOf(await api.send('POST', bindings, binding('b', 'none', { selector: {} }), as('writer'))), [
    `spec.paramRef: Forbidden: unable to get policy none to determine minimum required permissions and user ${who} does not have "list" permission for all groups, versions and resources`,
  ])
  assert.equal((await api.send('POST', bindings, binding('b', 'p', named), as('reader'))).status, 201)
})
