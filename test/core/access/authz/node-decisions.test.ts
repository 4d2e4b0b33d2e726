/** Decisions of the node authorizer, with a graph built from objects. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Attributes, Decision } from '../../../../core/access/authz/authorizer.ts'
import { nodeAuthorizer } from '../../../../core/access/authz/node.ts'
import { NodeGraph } from '../../../../core/access/authz/node-graph.ts'
import { linkRows } from '../../../../core/access/authz/node-links.ts'
import { createPlatform } from '../../../../core/platform.ts'
import type { ApiObject } from '../../../../core/resources/definition.ts'
import { onPath, onResource } from './attributes.ts'

const platform = createPlatform('kubernetes')
const graph = new NodeGraph()
const followed = { graph, complete: () => undefined, close() {} }
const authorizer = nodeAuthorizer(followed, platform, () => true)

const secret = (secretName: string) => ({ name: secretName, secret: { secretName } })
const put = (plural: string, name: string, namespace: string, rest: object) => {
  const row = linkRows.find((each) => each.plural === plural)
  const metadata = { name, namespace, ...(rest as { metadata?: object }).metadata }
  const object = { kind: '', apiVersion: 'v1', ...rest, metadata } as unknown as ApiObject
  graph.set(`${plural}/${namespace}/${name}`, row?.link(object, platform))
}

put('pods', 'web', 'dev', {
  spec: {
    nodeName: 'n1',
    serviceAccountName: 'runner',
    imagePullSecrets: [{ name: 'pull' }],
    initContainers: [{ envFrom: [{ secretRef: { name: 'init-env' } }] }],
    containers: [
      {
        envFrom: [{ configMapRef: { name: 'env-from' } }],
        env: [
          { name: 'A', valueFrom: { secretKeyRef: { name: 'env-key', key: 'k' } } },
          { name: 'B', valueFrom: { configMapKeyRef: { name: 'env-map', key: 'k' } } },
          { name: 'C', value: 'plain' },
        ],
      },
    ],
    ephemeralContainers: [{ envFrom: [{ secretRef: { name: 'debug' } }] }],
    volumes: [
      secret('certs'),
      { name: 'conf', configMap: { name: 'conf' } },
      { name: 'mix', projected: { sources: [{ secret: { name: 'mixed' } }, { configMap: { name: 'mixed' } }, { downwardAPI: {} }] } },
      { name: 'az', azureFile: { secretName: 'azure' } },
      { name: 'ceph', cephfs: { secretRef: { name: 'ceph' } } },
      { name: 'inline', csi: { driver: 'd', nodePublishSecretRef: { name: 'inline' } } },
      { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
      { name: 'scratch', ephemeral: { volumeClaimTemplate: {} } },
    ],
    resourceClaims: [
      { name: 'gpu', resourceClaimName: 'gpu' },
      { name: 'made', resourceClaimTemplateName: 't' },
      { name: 'pending', resourceClaimTemplateName: 't' },
    ],
  },
  status: {
    resourceClaimStatuses: [{ name: 'made', resourceClaimName: 'web-made' }],
    extendedResourceClaimStatus: { resourceClaimName: 'ext' },
  },
})
put('pods', 'other', 'dev', { spec: { nodeName: 'n2', serviceAccountName: 'walker', volumes: [secret('others')] } })
put('pods', 'unbound', 'dev', { spec: { serviceAccountName: 'sleeper', volumes: [secret('unbound')] } })
put('pods', 'mirror', 'dev', {
  metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } },
  spec: { nodeName: 'n1', serviceAccountName: 'mirrored', volumes: [secret('mirrored')] },
})
put('persistentvolumes', 'pv-data', '', {
  spec: {
    claimRef: { namespace: 'dev', name: 'data' },
    csi: {
      nodeStageSecretRef: { namespace: 'store', name: 'stage' },
      nodeExpandSecretRef: { namespace: 'store', name: 'expand' },
      controllerPublishSecretRef: { namespace: 'store', name: 'controller' },
    },
  },
})
put('persistentvolumes', 'pv-rbd', '', {
  spec: { claimRef: { namespace: 'dev', name: 'web-scratch' }, rbd: { secretRef: { name: 'rbd' } } },
})
put('persistentvolumes', 'pv-free', '', { spec: { iscsi: { secretRef: { name: 'free' } } } })
put('persistentvolumes', 'pv-far', '', { spec: { claimRef: { namespace: 'dev', name: 'far' }, azureFile: { secretName: 'far' } } })
put('volumeattachments', 'va1', '', { spec: { nodeName: 'n1' } })
put('volumeattachments', 'va2', '', { spec: { nodeName: 'n2' } })
put('resourceslices', 's1', '', { spec: { nodeName: 'n1' } })
put('resourceslices', 's-all', '', { spec: { allNodes: true } })
put('podcertificaterequests', 'req1', 'dev', { spec: { nodeName: 'n1' } })

const n1 = 'system:node:n1+system:nodes'
const unrelated = "no relationship found between node 'n1' and this object"
const on = (verb: string, what: string, namespace = '', name = '', more: Partial<Attributes> = {}) => ({
  ...onResource(n1, verb, what, namespace, name),
  ...more,
})
type Case = readonly [attributes: Attributes, reason: string | true]
const dev = (verb: string, what: string, reason: string | true, ...names: string[]): Case[] =>
  names.map((name) => [on(verb, what, 'dev', name), reason])

const selects = (fieldSelector: string) => ({ fieldSelector })
const leases = 'leases.coordination.k8s.io'
const csi = 'csinodes.storage.k8s.io'
const slices = 'resourceslices.resource.k8s.io'
const requests = 'podcertificaterequests.certificates.k8s.io'
const sliceReason = 'can only list/watch/deletecollection resourceslices with nodeName field selector'

const cases: readonly Case[] = [
  ...dev('get', 'secrets', true, 'pull', 'init-env', 'env-key', 'debug', 'certs', 'mixed', 'azure', 'ceph', 'inline', 'rbd'),
  ...dev('get', 'secrets', unrelated, 'others', 'unbound', 'mirrored', 'conf', 'free', 'far', '__proto__'),
  ...dev('get', 'configmaps', true, 'env-from', 'env-map', 'conf', 'mixed'),
  ...dev('get', 'configmaps', unrelated, 'certs', 'none'),
  ...dev('list', 'secrets', true, 'certs'),
  ...dev('watch', 'configmaps', true, 'conf'),
  ...dev('update', 'secrets', 'can only read resources of this type', 'certs'),
  ...dev('get', 'secrets/x', 'cannot read subresource', 'certs'),
  [on('list', 'secrets', 'dev'), 'No Object name found'],
  [on('get', 'secrets', '', 'certs'), 'can only read namespaced object of this type'],
  [on('get', 'secrets', 'store', 'stage'), true],
  [on('get', 'secrets', 'store', 'expand'), true],
  [on('get', 'secrets', 'store', 'controller'), unrelated],
  [on('get', 'secrets', 'prod', 'certs'), unrelated],
  ...dev('get', 'persistentvolumeclaims', true, 'data', 'web-scratch'),
  ...dev('get', 'persistentvolumeclaims', unrelated, 'far', 'scratch'),
  ...dev('list', 'persistentvolumeclaims', 'can only get individual resources of this type', 'data'),
  ...dev('get', 'persistentvolumeclaims/x', 'cannot get subresource', 'data'),
  ...dev('patch', 'persistentvolumeclaims/status', true, 'data'),
  ...dev('update', 'persistentvolumeclaims/status', true, 'data'),
  ...dev('update', 'persistentvolumeclaims/status', unrelated, 'far'),
  ...dev('get', 'persistentvolumeclaims/status', 'can only get/update/patch this type', 'data'),
  [on('get', 'persistentvolumes', '', 'pv-data'), true],
  [on('get', 'persistentvolumes', '', 'pv-rbd'), true],
  [on('get', 'persistentvolumes', '', 'pv-far'), unrelated],
  [on('get', 'persistentvolumes', '', 'pv-free'), unrelated],
  [on('update', 'persistentvolumes', '', 'pv-data'), 'can only get individual resources of this type'],
  [on('get', 'volumeattachments.storage.k8s.io', '', 'va1'), true],
  [on('get', 'volumeattachments.storage.k8s.io', '', 'va2'), unrelated],
  [on('get', 'volumeattachments.storage.k8s.io', '', 'va3'), unrelated],
  ...dev('get', 'resourceclaims.resource.k8s.io', true, 'gpu', 'web-made', 'ext'),
  ...dev('get', 'resourceclaims.resource.k8s.io', unrelated, 'made', 'pending'),
  ...dev('create', 'serviceaccounts/token', true, 'runner'),
  ...dev('create', 'serviceaccounts/token', unrelated, 'walker', 'sleeper', 'mirrored'),
  ...dev('create', 'serviceaccounts/x', 'can only create token subresource of serviceaccount', 'runner'),
  ...dev('update', 'serviceaccounts/token', 'can only create tokens for individual service accounts', 'runner'),
  ...dev('get', 'serviceaccounts', true, 'runner'),
  ...dev('get', 'serviceaccounts', unrelated, 'walker'),
  [on('list', 'serviceaccounts', 'dev'), 'can only create tokens for individual service accounts'],
  ...['get', 'update', 'patch', 'delete'].map((verb): Case => [on(verb, leases, 'kube-node-lease', 'n1'), true]),
  [on('create', leases, 'kube-node-lease'), true],
  [on('get', leases, 'kube-node-lease', 'n2'), 'can only access node lease with the same name as the requesting node'],
  [on('get', leases, 'dev', 'n1'), 'can only access leases in the "kube-node-lease" system namespace'],
  [on('list', leases, 'kube-node-lease'), 'can only get, create, update, patch, or delete a node lease'],
  [on('get', csi, '', 'n1'), true],
  [on('create', csi), true],
  [on('delete', csi, '', 'n2'), 'can only access CSINode with the same name as the requesting node'],
  [on('get', `${csi}/x`, '', 'n1'), 'cannot authorize CSINode subresources'],
  [on('watch', csi), 'can only get, create, update, patch, or delete a CSINode'],
  [on('create', slices), true],
  [on('delete', slices, '', 's1'), true],
  [on('get', slices, '', 's-all'), unrelated],
  [on('list', slices), sliceReason],
  [on('list', slices, '', '', selects('spec.nodeName=n1')), true],
  [on('deletecollection', slices, '', '', selects('spec.nodeName=n1,spec.driver=d')), true],
  [on('watch', slices, '', '', selects('spec.nodeName=n2')), sliceReason],
  [on('watch', slices, '', '', selects('spec.nodeName!=n1')), sliceReason],
  [on('watch', slices, '', '', selects('spec.nodeName=n1\\')), sliceReason],
  [on('get', `${slices}/x`, '', 's1'), 'cannot authorize ResourceSlice subresources'],
  [
    on('bind', slices, '', 's1'),
    'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
  ],
  [on('create', requests, 'dev'), true],
  [on('get', requests, 'dev', 'req1'), true],
  [on('get', requests, 'dev', 'req2'), unrelated],
  [on('list', requests, '', '', selects('spec.nodeName=n1')), true],
  [on('list', requests), 'can only list/watch PodCertificateRequests with spec.nodeName field selector'],
  [on('update', requests, 'dev', 'req1'), 'nodes may not update PodCertificateRequests'],
  [on('update', `${requests}/status`, 'dev', 'req1'), 'nodes may not access the subresources of PodCertificateRequests'],
  [on('get', 'nodes', '', 'n1'), true],
  [on('watch', 'nodes', '', 'n1'), true],
  [on('get', 'nodes', '', 'n2'), "node 'n1' cannot read 'n2', only its own Node object"],
  [on('list', 'nodes'), "node 'n1' cannot read all nodes, only its own Node object"],
  [on('create', 'nodes'), true],
  [on('patch', 'nodes/status', '', 'n1'), true],
  [on('get', 'nodes/status', '', 'n1'), ''],
  [on('delete', 'nodes', '', 'n1'), ''],
  [on('get', 'nodes/proxy', '', 'n1'), ''],
  ...dev('get', 'pods', true, 'web', 'mirror'),
  ...dev('get', 'pods', unrelated, 'other', 'unbound'),
  ...dev('watch', 'pods', true, 'web'),
  [on('list', 'pods'), 'can only list/watch pods with spec.nodeName field selector'],
  [on('list', 'pods', '', '', selects('spec.nodeName=n1')), true],
  [on('watch', 'pods', 'dev', '', selects('status.phase!=Failed,spec.nodeName==n1')), true],
  [on('list', 'pods', '', '', selects('spec.nodeName=n2')), 'can only list/watch pods with spec.nodeName field selector'],
  [on('create', 'pods', 'dev'), true],
  [on('delete', 'pods', 'dev', 'other'), true],
  [on('update', 'pods', 'dev', 'web'), ''],
  [on('patch', 'pods/status', 'dev', 'web'), true],
  [on('get', 'pods/log', 'dev', 'web'), ''],
  [on('get', 'pods/constructor', 'dev', 'web'), ''],
  [on('create', 'pods/eviction', 'dev', 'web'), true],
  [on('list', 'services'), true],
  [on('create', 'events', 'dev'), true],
  [on('watch', 'csidrivers.storage.k8s.io'), true],
  [on('create', 'subjectaccessreviews.authorization.k8s.io'), true],
  [on('list', 'deployments.apps'), ''],
  [onPath(n1, 'get', '/metrics'), ''],
  [onResource('system:node:+system:nodes', 'get', 'nodes', '', 'n1'), 'unknown node for user "system:node:"'],
  [onResource('system:node:n1', 'get', 'nodes', '', 'n1'), ''],
  [onResource('n1+system:nodes', 'get', 'nodes', '', 'n1'), ''],
]

test(`${cases.length} decisions`, async () => {
  for (const [attributes, reason] of cases) {
    const { user, verb, resource, subresource, namespace, name, fieldSelector = '' } = attributes
    const expected: Decision = reason === true ? { verdict: 'allow', reason: '' } : { verdict: 'no-opinion', reason }
    const what = `${user.name} ${verb} ${resource}/${subresource} ${namespace}/${name} ${fieldSelector}`
    assert.deepEqual(await authorizer.authorize(attributes, undefined), expected, what)
  }
  assert.ok(cases.length >= 100)
})

test('objects used by a deleted pod are denied, unless another pod uses them', async () => {
  const reaches = async (name: string) => (await authorizer.authorize(on('get', 'secrets', 'dev', name), undefined)).verdict === 'allow'
  put('pods', 'a', 'dev', { spec: { nodeName: 'n1', volumes: [secret('shared'), secret('own')] } })
  put('pods', 'b', 'dev', { spec: { nodeName: 'n1', volumes: [secret('shared')] } })
  assert.deepEqual([await reaches('shared'), await reaches('own')], [true, true])
  graph.set('pods/dev/a', undefined)
  assert.deepEqual([await reaches('shared'), await reaches('own')], [true, false])
  put('pods', 'b', 'dev', { spec: { nodeName: 'n2', volumes: [secret('shared')] } })
  assert.equal(await reaches('shared'), false)
  graph.set('pods/dev/b', undefined)
})

test('the graph is empty once its objects are deleted', () => {
  const other = new NodeGraph()
  other.set('a', { to: { node: 'n' }, from: ['x', 'y'] })
  other.set('b', { to: { claim: 'y' }, from: ['z', 'y'] })
  assert.deepEqual([other.size, other.reaches('z', 'n'), other.reaches('z', 'm')], [3, true, false])
  other.set('a', { to: { node: 'n' }, from: ['x'] })
  assert.equal(other.reaches('z', 'n'), false)
  other.set('a', undefined)
  other.set('b', undefined)
  other.set('c', undefined)
  assert.equal(other.size, 0)
})

test('rules of nodes are not listed', () => {
  const [node, other] = ['system:node:n1+system:nodes', 'x'].map((who) => authorizer.rulesFor?.(onPath(who, 'get', '/').user, 'dev'))
  assert.deepEqual([node?.incomplete, node?.evaluationError], [true, 'node authorizer does not support user rule resolution'])
  assert.equal(other?.incomplete, false)
})

test('rules of gated features', async () => {
  const withGates = (...on: string[]) => nodeAuthorizer(followed, platform, (gate) => on.includes(gate))
  const ask = async (made: ReturnType<typeof withGates>, ...request: Parameters<typeof on>) =>
    await made.authorize(on(...request), undefined)
  const account = ['get', 'serviceaccounts', 'dev', 'runner'] as const
  const requests = ['create', 'podcertificaterequests.certificates.k8s.io', 'dev'] as const
  const [none, credentials, certificates] = [
    withGates(),
    withGates('NodeagentServiceAccountTokenForCredentialProviders'),
    withGates('PodCertificateRequest'),
  ]
  assert.deepEqual(await ask(none, ...account), { verdict: 'no-opinion', reason: 'not allowed to get service accounts' })
  assert.deepEqual(await ask(none, ...requests), { verdict: 'no-opinion', reason: '' })
  assert.equal((await ask(credentials, ...account)).verdict, 'allow')
  assert.equal((await ask(credentials, ...requests)).verdict, 'no-opinion')
  assert.equal((await ask(certificates, ...account)).verdict, 'allow')
  assert.equal((await ask(certificates, ...requests)).verdict, 'allow')
})
