/**
 * Decisions of the whole authorizer chain on a fresh cluster, taken from the documentation of the default RBAC roles,
 * resource names, subresources and paths, of mode ABAC and of mode Node. Each row expands into many questions, asked
 * both ways.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Policy, parsePolicyFile } from '../../../../core/access/authz/abac-policy.ts'
import type { Attributes, Authorizer } from '../../../../core/access/authz/authorizer.ts'
import { bootstrapRbac } from '../../../../core/access/authz/bootstrap/objects.ts'
import { createAuthorizer } from '../../../../core/access/authz/modes.ts'
import { followNodes } from '../../../../core/access/authz/node-follow.ts'
import type { RbacIndex } from '../../../../core/access/authz/rbac-index.ts'
import { parseFeatureGates } from '../../../../core/config/feature-gates.ts'
import { createPlatform } from '../../../../core/platform.ts'
import { ManualClock } from '../../../support/clock.ts'
import { onPath, onResource } from './attributes.ts'
import { freshCluster } from './cluster.ts'

const platform = createPlatform('kubernetes')
const readVerbs = ['get', 'list', 'watch']
const writeVerbs = ['create', 'update', 'patch', 'delete', 'deletecollection']
const verbs = [...readVerbs, ...writeVerbs]
const letters: { readonly [letter: string]: readonly string[] } = {
  R: readVerbs,
  W: writeVerbs,
  c: ['create'],
  g: ['get'],
  l: ['list'],
  w: ['watch'],
  u: ['update'],
  p: ['patch'],
  d: ['delete'],
  '-': [],
}
const verbsOf = (text: string) => new Set([...text].flatMap((letter) => letters[letter] ?? assert.fail(`no verbs ${letter}`)))

function authorizerWith(modes: readonly string[], rbac: RbacIndex, policies: readonly Policy[] = []): Authorizer {
  const nodes = followNodes(
    () => undefined,
    new ManualClock(),
    platform,
    () => {},
  )
  return createAuthorizer(
    modes.map((type) => ({ type })),
    { platform, rbac, nodes, policies, enabled: parseFeatureGates([], platform).enabled },
  )
}

const describe = ({ user, verb, group, resource, subresource, namespace, name, path }: Attributes) =>
  `${user.name}+${user.groups} ${verb} ${path}${resource}.${group}/${subresource} ${namespace}/${name}`

let asked = 0
let allowedCount = 0
async function expect(authorizer: Authorizer, attributes: Attributes, allowed: boolean): Promise<void> {
  asked++
  if (allowed) allowedCount++
  const { verdict } = await authorizer.authorize(attributes, undefined)
  assert.equal(verdict === 'allow', allowed, `${describe(attributes)}: ${verdict}`)
}

/** Verbs of `admin`, `edit` and `view` in their namespace. */
const people: readonly (readonly [resources: string, admin: string, edit: string, view: string])[] = [
  ['pods configmaps persistentvolumeclaims replicationcontrollers services', 'RW', 'RW', 'R'],
  ['replicationcontrollers/scale', 'RW', 'RW', 'R'],
  ['pods/log pods/status', 'R', 'R', 'R'],
  ['pods/exec pods/attach pods/portforward pods/proxy services/proxy', 'RW', 'RW', '-'],
  ['pods/eviction', 'c', 'c', '-'],
  ['secrets', 'RW', 'RW', '-'],
  ['serviceaccounts', 'RW', 'RW', 'R'],
  ['serviceaccounts/token', 'c', 'c', '-'],
  ['events', 'RW', 'RW', 'R'],
  ['limitranges resourcequotas resourcequotas/status namespaces/status bindings', 'R', 'R', 'R'],
  ['persistentvolumeclaims/status services/status replicationcontrollers/status', 'R', 'R', 'R'],
  ['endpoints', 'R', 'R', 'R'],
  ['deployments.apps daemonsets.apps replicasets.apps statefulsets.apps', 'RW', 'RW', 'R'],
  ['deployments.apps/scale replicasets.apps/scale statefulsets.apps/scale', 'RW', 'RW', 'R'],
  ['deployments.apps/status daemonsets.apps/status controllerrevisions.apps', 'R', 'R', 'R'],
  ['deployments.apps/rollback', 'W', 'W', '-'],
  ['jobs.batch cronjobs.batch horizontalpodautoscalers.autoscaling', 'RW', 'RW', 'R'],
  ['ingresses.networking.k8s.io networkpolicies.networking.k8s.io', 'RW', 'RW', 'R'],
  ['poddisruptionbudgets.policy', 'RW', 'RW', 'R'],
  ['endpointslices.discovery.k8s.io', 'R', 'R', 'R'],
  ['roles.rbac.authorization.k8s.io rolebindings.rbac.authorization.k8s.io', 'RW', '-', '-'],
  ['localsubjectaccessreviews.authorization.k8s.io', 'c', '-', '-'],
  ['nodes persistentvolumes', '-', '-', '-'],
  ['storageclasses.storage.k8s.io clusterroles.rbac.authorization.k8s.io', '-', '-', '-'],
  ['customresourcedefinitions.apiextensions.k8s.io widgets.example.com', '-', '-', '-'],
  ['certificatesigningrequests.certificates.k8s.io priorityclasses.scheduling.k8s.io', '-', '-', '-'],
]

test('admin, edit and view', async () => {
  const chain = authorizerWith(['Node', 'RBAC'], freshCluster(bootstrapRbac(platform)))
  for (const [resources, admin, edit, view] of people) {
    for (const [who, may] of Object.entries({ admin, edit, view })) {
      const allowed = verbsOf(may)
      for (const what of resources.split(' ')) {
        for (const verb of verbs) {
          await expect(chain, onResource(who, verb, what, 'dev', 'x'), allowed.has(verb))
          await expect(chain, onResource(who, verb, what, 'prod', 'x'), false)
        }
      }
    }
  }
  await expect(chain, onResource('edit', 'impersonate', 'serviceaccounts', 'dev', 'x'), true)
  await expect(chain, onResource('view', 'impersonate', 'serviceaccounts', 'dev', 'x'), false)
  await expect(chain, onResource('admin', 'impersonate', 'users', 'dev', 'x'), false)
  await expect(chain, onResource('admin', 'escalate', 'roles.rbac.authorization.k8s.io', 'dev', 'x'), false)
  await expect(chain, onResource('admin', 'bind', 'roles.rbac.authorization.k8s.io', 'dev', 'x'), false)
})

const account = (name: string) => `system:serviceaccount:kube-system:${name}+system:serviceaccounts+system:authenticated`
const leases = 'leases.coordination.k8s.io'

/** Rights of system users and service accounts, allowed and denied. */
const system: readonly (readonly [who: string, what: string, verbs: string, namespace?: string, name?: string])[] = [
  ['root+system:masters', 'secrets', 'RW', 'any'],
  ['root+system:masters', 'widgets.example.com/scale', 'RW', 'any'],
  ['jane+system:authenticated', 'pods', '-', 'dev'],
  ['jane+system:authenticated', 'selfsubjectaccessreviews.authorization.k8s.io', 'c'],
  ['jane+system:authenticated', 'selfsubjectrulesreviews.authorization.k8s.io', 'c'],
  ['jane+system:authenticated', 'selfsubjectreviews.authentication.k8s.io', 'c'],
  ['jane+system:authenticated', 'tokenreviews.authentication.k8s.io', '-'],
  ['system:kube-scheduler', 'pods', 'Rd', 'dev'],
  ['system:kube-scheduler', 'pods/binding', 'c', 'dev'],
  ['system:kube-scheduler', 'pods/status', 'up', 'dev'],
  ['system:kube-scheduler', 'nodes', 'R'],
  ['system:kube-scheduler', 'secrets', '-', 'dev'],
  ['system:kube-scheduler', leases, 'Rcu', 'dev', 'kube-scheduler'],
  ['system:kube-scheduler', leases, 'c', 'dev', 'other'],
  ['system:kube-controller-manager', 'secrets', 'Rcud', 'dev'],
  ['system:kube-controller-manager', 'serviceaccounts/token', 'lwc', 'dev'],
  ['system:kube-controller-manager', 'widgets.example.com', 'lw', 'dev'],
  ['system:kube-controller-manager', 'tokenreviews.authentication.k8s.io', 'lwc'],
  ['system:kube-proxy', 'endpointslices.discovery.k8s.io', 'lw', 'dev'],
  ['system:kube-proxy', 'services', 'lw', 'dev'],
  ['system:kube-proxy', 'nodes', 'R'],
  ['system:kube-proxy', 'pods', '-', 'dev'],
  [account('deployment-controller'), 'deployments.apps', 'glwu', 'dev'],
  [account('deployment-controller'), 'replicasets.apps', 'Rcupd', 'dev'],
  [account('deployment-controller'), 'secrets', '-', 'dev'],
  [account('replicaset-controller'), 'pods', 'lwcpd', 'dev'],
  [account('replicaset-controller'), 'deployments.apps', '-', 'dev'],
  [account('job-controller'), 'pods', 'lwcpd', 'dev'],
  [account('namespace-controller'), 'widgets.example.com', 'Rd', 'dev'],
  [account('generic-garbage-collector'), 'widgets.example.com', 'Rupd', 'dev'],
  [account('horizontal-pod-autoscaler'), 'deployments.apps/scale', 'gu', 'dev'],
  [account('node-controller'), 'nodes', 'Rupd'],
  [account('token-cleaner'), 'secrets', 'Rd', 'kube-system'],
  [account('token-cleaner'), 'secrets', '-', 'dev'],
  [account('bootstrap-signer'), 'configmaps', 'Ru', 'kube-public', 'cluster-info'],
  [account('bootstrap-signer'), 'configmaps', 'R', 'kube-public', 'other'],
  [account('unknown-controller'), 'pods', '-', 'dev'],
  ['system:serviceaccount:dev:deployment-controller+system:authenticated', 'replicasets.apps', '-', 'dev'],
]

test('components, their service accounts and other users', async () => {
  const chain = authorizerWith(['Node', 'RBAC'], freshCluster(bootstrapRbac(platform)))
  for (const [who, what, may, namespace = '', name = ''] of system) {
    const allowed = verbsOf(may)
    for (const verb of verbs) {
      // The namespace controller may deletecollection, which has no letter in the rows.
      const extra = verb === 'deletecollection' && who.includes('namespace-controller')
      await expect(chain, onResource(who, verb, what, namespace, name), extra || allowed.has(verb))
    }
  }
})

const somebody = 'jane+system:authenticated'
const nobody = 'system:anonymous+system:unauthenticated'
const paths: readonly (readonly [path: string, authenticated: boolean, anonymous: boolean, monitoring: boolean])[] = [
  ['/healthz', true, true, true],
  ['/livez', true, true, true],
  ['/readyz', true, true, true],
  ['/livez/ping', false, false, true],
  ['/version', true, true, false],
  ['/version/', true, true, false],
  ['/api', true, false, false],
  ['/api/v1', true, false, false],
  ['/apis', true, false, false],
  ['/apis/apps/v1', true, false, false],
  ['/openapi/v2', true, false, false],
  ['/openapi/v3/apis/apps/v1', true, false, false],
  ['/metrics', false, false, true],
  ['/metrics/slis', false, false, true],
  ['/debug/pprof/heap', false, false, false],
  ['/logs/', false, false, false],
  ['/', false, false, false],
]

test('paths', async () => {
  const chain = authorizerWith(['RBAC'], freshCluster(bootstrapRbac(platform)))
  for (const [path, authenticated, anonymous, monitoring] of paths) {
    await expect(chain, onPath(somebody, 'get', path), authenticated)
    await expect(chain, onPath(nobody, 'get', path), anonymous)
    await expect(chain, onPath('prometheus+system:monitoring', 'get', path), monitoring)
    await expect(chain, onPath('root+system:masters', 'delete', path), true)
  }
  for (const path of ['/version', '/metrics', '/api']) await expect(chain, onPath(somebody, 'post', path), false)
})

/** A rule of a cluster role bound to all users, with questions `verb resource [name]` that it allows and denies. */
const rules: readonly (readonly [rule: object, allowed: readonly string[], refused: readonly string[]])[] = [
  [
    { verbs: ['get', 'update'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['a', 'b'] },
    ['get configmaps a', 'update configmaps b'],
    ['get configmaps c', 'list configmaps', 'get configmaps', 'delete configmaps a', 'create configmaps'],
  ],
  [
    { verbs: ['create', 'list', 'watch'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['a'] },
    ['list configmaps a', 'watch configmaps a'],
    // Create and list have no resource name, unless a selector names one.
    ['create configmaps', 'list configmaps', 'list configmaps b'],
  ],
  [
    { verbs: ['*'], apiGroups: [''], resources: ['pods'] },
    ['get pods', 'deletecollection pods', 'odd pods x'],
    ['get pods/log', 'get pods.x'],
  ],
  [{ verbs: ['get'], apiGroups: [''], resources: ['pods/log'] }, ['get pods/log x'], ['get pods x', 'get pods/exec x', 'list pods/log x']],
  [
    { verbs: ['get'], apiGroups: ['*'], resources: ['*/scale'] },
    ['get a.b/scale', 'get c/scale'],
    ['get a.b', 'get c/status', 'get scale'],
  ],
  [{ verbs: ['get'], apiGroups: ['*'], resources: ['*'] }, ['get a.b', 'get c', 'get c/d x'], ['list a.b', 'update c/d x']],
  [{ verbs: ['get'], apiGroups: ['apps'], resources: ['*'] }, ['get x.apps', 'get x.apps/y'], ['get x', 'get x.batch', 'get x.apps.y']],
  [{ verbs: ['get'], apiGroups: ['apps'], resources: ['pods/*'] }, ['get pods.apps/*'], ['get pods.apps/log', 'get pods.apps']],
  [{ verbs: ['get'], apiGroups: ['apps', 'batch'], resources: ['a', 'b'] }, ['get a.apps', 'get b.batch'], ['get a', 'get c.apps']],
  [{ verbs: [], apiGroups: ['*'], resources: ['*'] }, [], ['get pods', 'list pods']],
  [{ verbs: ['GET'], apiGroups: [''], resources: ['pods'] }, [], ['get pods']],
  [{ verbs: ['get'], nonResourceURLs: ['*'] }, [], ['get pods']],
]

test('rules: names, subresources, wildcards', async () => {
  for (const [rule, allowed, refused] of rules) {
    const index = freshCluster([])
    index.upsertRole({ metadata: { name: 'r' }, rules: [rule as never] })
    index.upsertBinding({
      metadata: { name: 'b' },
      roleRef: { kind: 'ClusterRole', name: 'r' },
      subjects: [{ kind: 'User', name: 'jane' }],
    })
    const chain = authorizerWith(['RBAC'], index)
    for (const [questions, may] of [[allowed, true] as const, [refused, false] as const]) {
      for (const question of questions) {
        const [verb = '', what = '', name = ''] = question.split(' ')
        for (const namespace of ['', 'dev']) await expect(chain, onResource('jane', verb, what, namespace, name), may)
        await expect(chain, onResource('john', verb, what, 'dev', name), false)
      }
    }
  }
})

const abac = (spec: object) => JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec })
/** ABAC policies from the documentation. */
const policyText = [
  { user: 'alice', namespace: '*', resource: '*', apiGroup: '*' },
  { user: 'kubelet', namespace: '*', resource: 'pods', readonly: true },
  { user: 'kubelet', namespace: '*', resource: 'events' },
  { user: 'bob', namespace: 'projectCaribou', resource: 'pods', readonly: true },
  { group: 'system:authenticated', readonly: true, nonResourcePath: '*' },
  { user: 'system:serviceaccount:kube-system:default', namespace: '*', resource: '*', apiGroup: '*' },
]
  .map(abac)
  .join('\n')
const policyRows: readonly (readonly [who: string, what: string, namespace: string, verbs: string])[] = [
  ['alice', 'pods', 'dev', 'RW'],
  ['alice', 'deployments.apps', 'prod', 'RW'],
  ['kubelet', 'pods', 'dev', 'R'],
  ['kubelet', 'events', 'dev', 'RW'],
  ['kubelet', 'secrets', 'dev', '-'],
  ['bob', 'pods', 'projectCaribou', 'R'],
  ['bob', 'pods', 'dev', '-'],
  ['bob', 'services', 'projectCaribou', '-'],
  ['system:serviceaccount:kube-system:default', 'nodes', '', 'RW'],
  ['system:serviceaccount:dev:default', 'pods', 'dev', '-'],
]

test('ABAC, alone and together with RBAC', async () => {
  const { policies } = parsePolicyFile(policyText, 'policies', platform)
  const alone = authorizerWith(['ABAC'], freshCluster([]), policies)
  const beside = authorizerWith(['RBAC', 'ABAC'], freshCluster(bootstrapRbac(platform)), policies)
  for (const chain of [alone, beside]) {
    for (const [who, what, namespace, may] of policyRows) {
      for (const verb of verbs) await expect(chain, onResource(who, verb, what, namespace, 'x'), verbsOf(may).has(verb))
    }
    for (const path of ['/metrics', '/anything']) {
      await expect(chain, onPath(somebody, 'get', path), true)
      await expect(chain, onPath(somebody, 'post', path), false)
      await expect(chain, onPath(nobody, 'get', path), false)
    }
  }
  for (const verb of verbs) {
    await expect(beside, onResource('view', verb, 'pods', 'dev'), readVerbs.includes(verb))
    await expect(alone, onResource('view', verb, 'pods', 'dev'), false)
  }
})

const node = 'system:node:n1+system:nodes+system:authenticated'
/** Field selectors narrow a request: a node may list objects that it may get, if the selector allows no others. */
const selected: readonly (readonly [what: string, selector: string, allowed: boolean])[] = [
  ['pods', 'spec.nodeName=n1', true],
  ['pods', 'spec.nodeName==n1', true],
  ['pods', 'spec.nodeName=n1,status.phase=Running', true],
  ['pods', 'spec.nodeName=n2', false],
  ['pods', 'spec.nodeName!=n2', false],
  ['pods', 'status.phase=Running', false],
  ['pods', '', false],
  ['resourceslices.resource.k8s.io', 'spec.nodeName=n1', true],
  ['resourceslices.resource.k8s.io', 'spec.nodeName=n2', false],
  ['nodes', 'metadata.name=n2', false],
  ['services', 'metadata.name=x', true],
]

test('field selectors of nodes', async () => {
  const chain = authorizerWith(['Node', 'RBAC'], freshCluster(bootstrapRbac(platform)))
  for (const [what, fieldSelector, allowed] of selected) {
    for (const verb of ['list', 'watch']) await expect(chain, { ...onResource(node, verb, what), fieldSelector }, allowed)
    await expect(chain, { ...onResource('system:node:n1', 'list', what), fieldSelector }, false)
  }
  const own: readonly (readonly [verb: string, what: string, namespace: string, name: string, allowed: boolean])[] = [
    ['get', 'nodes', '', 'n1', true],
    ['get', 'nodes', '', 'n2', false],
    ['create', 'nodes', '', '', true],
    ['patch', 'nodes/status', '', 'n1', true],
    ['delete', 'nodes', '', 'n1', false],
    ['update', leases, 'kube-node-lease', 'n1', true],
    ['update', leases, 'kube-node-lease', 'n2', false],
    ['update', leases, 'dev', 'n1', false],
    ['get', 'csinodes.storage.k8s.io', '', 'n1', true],
    ['get', 'csinodes.storage.k8s.io', '', 'n2', false],
    ['get', 'secrets', 'dev', 'unused', false],
    ['list', 'secrets', 'dev', '', false],
    ['create', 'pods/eviction', 'dev', 'x', true],
    ['create', 'pods/exec', 'dev', 'x', false],
    ['create', 'serviceaccounts/token', 'dev', 'unused', false],
    ['create', 'certificatesigningrequests.certificates.k8s.io', '', '', true],
    ['create', 'subjectaccessreviews.authorization.k8s.io', '', '', true],
    ['list', 'deployments.apps', 'dev', '', false],
  ]
  for (const [verb, what, namespace, name, allowed] of own) await expect(chain, onResource(node, verb, what, namespace, name), allowed)
})

test('the tables expand into enough decisions of both kinds', (t) => {
  t.diagnostic(`${asked} decisions, ${allowedCount} of them allowed`)
  assert.ok(asked >= 300, `${asked} decisions`)
  assert.ok(allowedCount > asked / 5 && allowedCount < (asked * 4) / 5, `${allowedCount} of ${asked} allowed`)
})
