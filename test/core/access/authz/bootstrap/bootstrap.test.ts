import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrapRbac } from '../../../../../core/access/authz/bootstrap/objects.ts'
import { reconcile } from '../../../../../core/access/authz/bootstrap/reconcile.ts'
import { aggregate } from '../../../../../core/access/authz/rbac-aggregate.ts'
import { parseFeatureGates } from '../../../../../core/config/feature-gates.ts'
import { createPlatform } from '../../../../../core/platform.ts'
import type { ApiObject } from '../../../../../core/resources/definition.ts'
import { onPath, onResource } from '../attributes.ts'
import { freshCluster } from '../cluster.ts'

const platform = createPlatform('kubernetes')
const objects = bootstrapRbac(platform)
const keyOf = ({ kind, metadata }: ApiObject) => [kind, metadata.namespace, metadata.name].filter(Boolean).join('/')
const object = (key: string): ApiObject => {
  const found = objects.find((each) => keyOf(each) === key)
  assert.ok(found, key)
  return found
}

const scheduler = 'system:kube-scheduler+system:authenticated'
const account = (name: string) => `system:serviceaccount:kube-system:${name}+system:serviceaccounts+system:authenticated`
const requests: readonly (readonly [boolean, ...Parameters<typeof onResource>])[] = [
  [true, 'a+system:masters', 'delete', 'nodes'],
  [true, scheduler, 'create', 'pods/binding', 'dev'],
  [true, scheduler, 'update', 'leases.coordination.k8s.io', 'kube-system', 'kube-scheduler'],
  [false, scheduler, 'update', 'leases.coordination.k8s.io', 'dev', 'other'],
  [false, scheduler, 'create', 'pods', 'dev'],
  [true, 'system:kube-controller-manager', 'list', 'anything.example.com'],
  [false, 'system:kube-controller-manager', 'delete', 'pods', 'dev'],
  [true, account('deployment-controller'), 'create', 'replicasets.apps', 'dev'],
  [false, account('deployment-controller'), 'create', 'pods', 'dev'],
  [true, account('namespace-controller'), 'deletecollection', 'widgets.example.com', 'dev'],
  [true, account('horizontal-pod-autoscaler'), 'update', 'deployments.apps/scale', 'dev'],
  [true, account('token-cleaner'), 'delete', 'secrets', 'kube-system'],
  [false, account('token-cleaner'), 'delete', 'secrets', 'dev'],
  [true, account('bootstrap-signer'), 'update', 'configmaps', 'kube-public', 'cluster-info'],
  [true, 'x+system:authenticated', 'create', 'selfsubjectaccessreviews.authorization.k8s.io'],
  [false, 'x+system:authenticated', 'create', 'subjectaccessreviews.authorization.k8s.io'],
  [false, 'system:node:n+system:nodes+system:authenticated', 'get', 'pods', 'dev'],
  [true, 'admin', 'create', 'rolebindings.rbac.authorization.k8s.io', 'dev'],
  [true, 'admin', 'get', 'pods/log', 'dev'],
  [false, 'admin', 'get', 'pods', 'prod'],
  [true, 'edit', 'create', 'pods/exec', 'dev'],
  [true, 'edit', 'get', 'secrets', 'dev'],
  [false, 'edit', 'create', 'rolebindings.rbac.authorization.k8s.io', 'dev'],
  [false, 'edit', 'update', 'resourcequotas', 'dev'],
  [true, 'view', 'list', 'deployments.apps', 'dev'],
  [false, 'view', 'get', 'secrets', 'dev'],
  [false, 'view', 'create', 'pods', 'dev'],
]

test('the default policy covers components and users', () => {
  const index = freshCluster(objects)
  for (const [expected, ...request] of requests)
    assert.equal('allowedBy' in index.decide(onResource(...request)), expected, request.join(' '))
  const anonymous = 'system:anonymous+system:unauthenticated'
  assert.ok('allowedBy' in index.decide(onPath(anonymous, 'get', '/healthz')))
  assert.ok(!('allowedBy' in index.decide(onPath(anonymous, 'get', '/metrics'))))
  assert.ok('allowedBy' in index.decide(onPath('m+system:monitoring', 'get', '/metrics')))
  assert.ok('allowedBy' in index.decide(onPath('x+system:authenticated', 'get', '/apis/apps/v1')))
})

test('default objects carry the bootstrapping label and no placeholders', () => {
  assert.ok(!JSON.stringify(objects).includes('<'))
  assert.equal(new Set(objects.map(keyOf)).size, objects.length)
  for (const { metadata, apiVersion } of objects) {
    assert.equal(apiVersion, 'rbac.authorization.k8s.io/v1')
    assert.equal(metadata.labels?.['kubernetes.io/bootstrapping'], 'rbac-defaults')
    assert.equal(metadata.annotations?.['rbac.authorization.kubernetes.io/autoupdate'], 'true')
  }
  assert.equal(object('ClusterRole/edit').metadata.labels?.['rbac.authorization.k8s.io/aggregate-to-admin'], 'true')
  assert.deepEqual(object('ClusterRole/edit')['aggregationRule'], {
    clusterRoleSelectors: [{ matchLabels: { 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' } }],
  })
  assert.ok(bootstrapRbac(createPlatform('platform', 'example.net')).some(({ metadata }) => metadata.namespace === 'platform-system'))
})

test('reconciles a role', () => {
  const desired = object('ClusterRole/system:discovery')
  assert.deepEqual(reconcile(desired, undefined, platform), { action: 'create', object: desired })
  assert.equal(reconcile(desired, structuredClone(desired), platform), undefined)

  const own = { verbs: ['get'], nonResourceURLs: ['/own'] }
  const changed = { ...structuredClone(desired), rules: [own] }
  changed.metadata = { ...changed.metadata, uid: 'u', labels: { mine: 'yes' } }
  const result = reconcile(desired, changed, platform)
  assert.ok(result)
  assert.equal(result.action, 'update')
  assert.equal(result.object.metadata.uid, 'u')
  assert.deepEqual(result.object.metadata.labels, { 'kubernetes.io/bootstrapping': 'rbac-defaults', mine: 'yes' })
  assert.deepEqual((result.object['rules'] as unknown[])[0], own)
  assert.equal(reconcile(desired, result.object, platform), undefined, 'a second run changes nothing')

  const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' }
  assert.equal(reconcile(desired, { ...changed, metadata: { ...changed.metadata, annotations } }, platform), undefined)
})

test('reconciles aggregation', () => {
  const desired = object('ClusterRole/view')
  const custom = { matchLabels: { custom: 'x' } }
  const result = reconcile(desired, { ...desired, aggregationRule: { clusterRoleSelectors: [custom] } }, platform)
  const selectors = (desired['aggregationRule'] as { clusterRoleSelectors: unknown[] }).clusterRoleSelectors
  assert.deepEqual(result?.object['aggregationRule'], { clusterRoleSelectors: [custom, ...selectors] })
  const plain = object('ClusterRole/system:heapster')
  const stripped = reconcile(plain, { ...plain, aggregationRule: { clusterRoleSelectors: [custom] } }, platform)
  assert.equal(stripped?.action, 'update')
  assert.ok(stripped && !('aggregationRule' in stripped.object))
})

test('reconciles a binding', () => {
  const desired = object('ClusterRoleBinding/system:public-info-viewer')
  const subjects = desired['subjects'] as object[]
  const extra = { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'extra' }
  const result = reconcile(desired, { ...desired, subjects: [extra, subjects[0]] }, platform)
  assert.equal(result?.action, 'update')
  assert.deepEqual(result?.object['subjects'], [extra, ...subjects])
  assert.equal(reconcile(desired, { ...desired, subjects: [...subjects, extra] }, platform), undefined)
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' }
  assert.deepEqual(reconcile(desired, { ...desired, roleRef }, platform), { action: 'recreate', object: desired })
})

test('aggregates by labels and expressions, without duplicates', () => {
  const get = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }
  const list = { verbs: ['list'], apiGroups: [''], resources: ['pods'] }
  const role = (name: string, labels: { [key: string]: string }, ...rules: (typeof get)[]) => ({ metadata: { name, labels }, rules })
  const all = [role('b', { a: '1' }, list, get), role('a', { a: '1', z: '' }, get), role('c', { a: '2' }, { ...get, verbs: ['c'] })]
  const aggregated = (...clusterRoleSelectors: object[]) =>
    aggregate({ ...role('b', { a: '1' }), aggregationRule: { clusterRoleSelectors } }, all).map(({ verbs }) => verbs[0])
  assert.deepEqual(aggregated({ matchLabels: { a: '1' } }), ['get'], 'a role does not aggregate itself')
  assert.deepEqual(aggregated({ matchExpressions: [{ key: 'a', operator: 'In', values: ['1', '2'] }] }), ['get', 'c'])
  assert.deepEqual(aggregated({ matchExpressions: [{ key: 'z', operator: 'DoesNotExist' }] }), ['c'])
  assert.deepEqual(aggregated({ matchExpressions: [{ key: 'z', operator: 'Exists' }] }, { matchLabels: {} }), ['get', 'c'])
  assert.deepEqual(aggregated({ matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['2'] }] }), ['get'])
  assert.deepEqual(aggregated(), [])
})

test('gates add and remove roles, rules, URLs and bindings', () => {
  const names = (...pairs: string[]) => {
    const made = bootstrapRbac(platform, parseFeatureGates(pairs, platform).enabled)
    const text = (each: ApiObject) => `${keyOf(each)} ${JSON.stringify([each['rules'], each['subjects']])}`
    return new Map(made.map((each) => [keyOf(each), text(each)]))
  }
  const usual = names()
  const changed = (...pairs: string[]) => {
    const made = names(...pairs)
    const keys = new Set([...usual.keys(), ...made.keys()])
    return [...keys].filter((key) => usual.get(key) !== made.get(key)).sort()
  }
  const controller = (name: string) => [`ClusterRole/system:controller:${name}`, `ClusterRoleBinding/system:controller:${name}`]
  assert.deepEqual(changed('ClusterTrustBundle=true'), [
    'ClusterRole/system:cluster-trust-bundle-discovery',
    'ClusterRole/system:controller:kube-apiserver-serving-clustertrustbundle-publisher',
    'ClusterRole/system:node',
    'ClusterRoleBinding/system:cluster-trust-bundle-discovery',
    'ClusterRoleBinding/system:controller:kube-apiserver-serving-clustertrustbundle-publisher',
  ])
  assert.deepEqual(changed('StorageVersionMigrator=true'), controller('storage-version-migrator-controller'))
  assert.deepEqual(changed('StorageVersionAPI=true'), controller('storage-version-garbage-collector'))
  assert.deepEqual(changed('DRADeviceTaints=false'), controller('device-taint-eviction-controller'))
  assert.deepEqual(changed('ComponentFlagz=false'), ['ClusterRole/system:monitoring'])
  assert.deepEqual(changed('GenericWorkload=true'), [
    'ClusterRole/system:aggregate-to-edit',
    'ClusterRole/system:aggregate-to-view',
    ...controller('podgroup-protection-controller').slice(0, 1),
    'ClusterRole/system:kube-scheduler',
    ...controller('podgroup-protection-controller').slice(1),
  ])
  assert.deepEqual(changed('DRADeviceTaintRules=true'), [
    'ClusterRole/system:controller:device-taint-eviction-controller',
    'ClusterRole/system:kube-scheduler',
  ])
  const off = bootstrapRbac(platform, () => false)
  const on = bootstrapRbac(platform, () => true)
  assert.ok(off.length < usual.size && usual.size < on.length)
  assert.ok(!/"gates"|gatedUrls/.test(JSON.stringify(on)), 'rows, not objects, have gates')
})
