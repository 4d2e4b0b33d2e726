/** Writes by nodes, row by row: resource, operation, objects and refusal (absent: admitted). */
import 'reflect-metadata'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509'
import type { AdmissionAttributes, AdmissionOperation } from '../../../../core/admission/attributes.ts'
import { nodeRestriction } from '../../../../core/admission/plugins/node-restriction.ts'
import { ApiError } from '../../../../core/answers/status.ts'
import { createPlatform } from '../../../../core/platform.ts'
import { userOf } from '../../access/authz/attributes.ts'
import { attributesOf, once } from '../attributes.ts'
import { contextWith } from '../context.ts'

const platform = createPlatform('kubernetes')
const mirror = { annotations: { 'kubernetes.io/config.mirror': 'x' } }
const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'node-uid', controller: true }

function pod(nodeName: string, spec: object = {}, metadata: object = {}, status: object = {}) {
  return { metadata: { name: 'p', namespace: 'dev', uid: 'pod-uid', ...metadata }, spec: { nodeName, containers: [], ...spec }, status }
}
const own = (spec: object = {}, owners: readonly object[] = [owner]) => pod('n1', spec, { ...mirror, ownerReferences: owners })
const volumes = (...sources: object[]) => ({ volumes: sources.map((source, index) => ({ name: `v${index}`, ...source })) })
const tokenVolume = (audience: string) => volumes({ projected: { sources: [{ serviceAccountToken: { audience, path: 't' } }] } })

const stored: { readonly [key: string]: object } = {
  'nodes//n1': { metadata: { name: 'n1', uid: 'node-uid' } },
  'pods/dev/mine': pod('n1', tokenVolume('vault')),
  'pods/dev/other': pod('n2'),
  'pods/dev/plain': pod('n1'),
  'pods/dev/static': pod('n1', {}, mirror),
  'pods/dev/driven': pod('n1', volumes({ csi: { driver: 'inline.example' } })),
  'pods/dev/claimed': pod('n1', volumes({ persistentVolumeClaim: { claimName: 'claim' } })),
  'pods/dev/ephemeral': pod('n1', { volumes: [{ name: 'scratch', ephemeral: {} }] }, { name: 'ephemeral' }),
  'pods/dev/lost': pod('n1', volumes({ persistentVolumeClaim: { claimName: 'nowhere' } })),
  'pods/dev/old': pod('n1', volumes({ azureFile: { secretName: 's' } })),
  'pods/dev/account': pod('n1', { serviceAccountName: 'bot' }),
  'persistentvolumeclaims/dev/claim': { metadata: { name: 'claim' }, spec: { volumeName: 'volume' } },
  'persistentvolumeclaims/dev/ephemeral-scratch': { metadata: { name: 'claim' }, spec: { volumeName: 'volume' } },
  'persistentvolumes//volume': { metadata: { name: 'volume' }, spec: { csi: { driver: 'claim.example' } } },
  'csidrivers//inline.example': { metadata: {}, spec: { tokenRequests: [{ audience: 'storage' }] } },
  'csidrivers//claim.example': { metadata: {}, spec: { tokenRequests: [{ audience: 'disks' }, { audience: '' }] } },
  'csidrivers//file.csi.azure.com': { metadata: {}, spec: { tokenRequests: [{ audience: 'files' }] } },
  'serviceaccounts/dev/bot': { metadata: { name: 'bot', uid: 'account-uid' } },
}

const gates = new Map([
  ['ServiceAccountNodeAudienceRestriction', true],
  ['PodCertificateRequest', true],
])
const context = contextWith(stored, {
  platform,
  authorizer: {
    name: 'registry only',
    authorize: ({ verb, resource, name }) => ({
      verdict: verb === 'request-serviceaccounts-token-audience' && resource === 'registry' && name === 'bot' ? 'allow' : 'no-opinion',
      reason: '',
    }),
  },
  enabled: (gate) => gates.get(gate) ?? false,
})

const signers = { serving: 'kubernetes.io/kubelet-serving', client: 'kubernetes.io/kube-apiserver-client-kubelet' }
const keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
async function request(name: string): Promise<string> {
  const made = await Pkcs10CertificateRequestGenerator.create({ name, keys, signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' } })
  return btoa(made.toString('pem'))
}
const csr = (signerName: string, body: string) => ({ metadata: { name: 'c' }, spec: { signerName, request: body } })

const node = (spec: object = {}, labels: object = {}, metadata: object = {}) => ({ metadata: { name: 'n1', labels, ...metadata }, spec })
const token = (bound: object | undefined, ...audiences: string[]) => ({
  metadata: { name: 'bot' },
  spec: { boundObjectRef: bound, audiences },
})
const bound = (name: string, uid = 'pod-uid') => ({ apiVersion: 'v1', kind: 'Pod', name, uid })
const claim = (status: object, metadata: object = {}) => ({ metadata: { name: 'claim', ...metadata }, spec: { volumeName: 'v' }, status })
const certificate = (spec: object) => ({
  metadata: { name: 'r' },
  spec: {
    nodeName: 'n1',
    nodeUID: 'node-uid',
    podName: 'account',
    podUID: 'pod-uid',
    serviceAccountName: 'bot',
    serviceAccountUID: 'account-uid',
    ...spec,
  },
})

interface Row {
  readonly on: string
  readonly operation: AdmissionOperation
  readonly object?: object
  readonly old?: object
  readonly name?: string
  readonly namespace?: string
  readonly user?: string
  /** The refusal after `… is forbidden: `, or another full message. */
  readonly refusal?: string
}

const create = (on: string, object: object, refusal?: string, more: Partial<Row> = {}): Row => ({
  on,
  operation: 'CREATE',
  object,
  ...(refusal !== undefined && { refusal }),
  ...more,
})
const update = (on: string, old: object, object: object, refusal?: string, more: Partial<Row> = {}): Row => ({
  on,
  operation: 'UPDATE',
  object,
  old,
  ...(refusal !== undefined && { refusal }),
  ...more,
})
const remove = (on: string, name: string, refusal?: string, more: Partial<Row> = {}): Row => ({
  on,
  operation: 'DELETE',
  name,
  ...(refusal !== undefined && { refusal }),
  ...more,
})
const inDev = { namespace: 'dev' }
const cannotReference = (what: string) => `node "n1" can not create pods that reference ${what}`
const referring = (spec: object, what: string) => create('pods', own(spec), cannotReference(what), inDev)
const labelled = (labels: object, refused?: string) =>
  create('nodes', node({}, labels), refused && `node "n1" is not allowed to set the following labels: ${refused}`)
const asks = (name: string, object: object, refusal?: string) =>
  create('serviceaccounts/token', object, refusal, { ...inDev, name: 'bot', user: name })
const me = 'system:node:n1+system:nodes'
const nobody = (audience: string) =>
  `audience "${audience}" not found in pod spec volume, system:node:n1 is not authorized to request tokens for this audience`
const status = (old: object, object: object, refusal?: string) => update('pods/status', old, object, refusal, inDev)
const inLeases = { namespace: 'kube-node-lease' }
const otherLease = 'can only access node lease with the same name as the requesting node'
const otherStorageNode = 'can only access CSINode with the same name as the requesting node'
const slice = (nodeName?: string) => ({ metadata: { name: 's' }, spec: { nodeName } })
const claimChange = 'node "n1" is not allowed to update fields other than status.quantity and status.conditions'
const certificates = 'podcertificaterequests.certificates.k8s.io'
const certified = (spec: object, refusal?: string, more: Partial<Row> = {}) =>
  create(certificates, certificate(spec), refusal, { ...inDev, ...more })
const aboutPod = (name = 'account') => `PodCertificateRequest for pod "dev/${name}"`
const broken = (text: string) => `Internal error occurred: ${text}`

const rows: readonly Row[] = [
  // Users
  create('pods', pod('n2'), undefined, { ...inDev, user: 'jane+system:nodes' }),
  create('pods', pod('n2'), undefined, { ...inDev, user: 'system:node:n1' }),
  create('nodes', node(), 'could not determine node from user "system:node:"', { user: 'system:node:+system:nodes' }),
  create('configmaps', { metadata: { name: 'c' } }, undefined, inDev),
  // Mirror pods
  create('pods', own(), undefined, inDev),
  create('pods', pod('n1'), 'pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods', inDev),
  create('pods', pod('n2', {}, mirror), 'node "n1" can only create pods with spec.nodeName set to itself', inDev),
  create('pods', own({}, [owner, owner]), 'node "n1" can only create pods with a single owner reference set to itself', inDev),
  create('pods', own({}, []), 'node "n1" can only create pods with an owner reference set to itself', inDev),
  create('pods', own({}, [{ ...owner, kind: 'Pod' }]), 'node "n1" can only create pods with an owner reference set to itself', inDev),
  create('pods', own({}, [{ ...owner, name: 'n2' }]), 'node "n1" can only create pods with an owner reference set to itself', inDev),
  create('pods', own({}, [{ ...owner, apiVersion: 'v2' }]), 'node "n1" can only create pods with an owner reference set to itself', inDev),
  create(
    'pods',
    own({}, [{ ...owner, controller: false }]),
    'node "n1" can only create pods with a controller owner reference set to itself',
    inDev,
  ),
  create(
    'pods',
    own({}, [{ ...owner, blockOwnerDeletion: true }]),
    'node "n1" must not set blockOwnerDeletion on an owner reference',
    inDev,
  ),
  create('pods', own({}, [{ ...owner, uid: 'old' }]), 'node n1 UID mismatch: expected old got node-uid', inDev),
  create('pods', pod('n9', {}, { ...mirror, ownerReferences: [{ ...owner, name: 'n9' }] }), 'node "n9" not found', {
    ...inDev,
    user: 'system:node:n9+system:nodes',
  }),
  referring({ serviceAccountName: 'default' }, 'serviceaccounts'),
  referring({ imagePullSecrets: [{ name: 's' }] }, 'secrets'),
  referring(volumes({ secret: { secretName: 's' } }), 'secrets'),
  referring(volumes({ secret: {} }), 'secrets (via secret volumes)'),
  referring({ containers: [{ envFrom: [{ configMapRef: { name: 'c' } }] }] }, 'configmaps'),
  referring({ initContainers: [{ env: [{ valueFrom: { secretKeyRef: { name: 's' } } }] }] }, 'secrets'),
  referring(volumes({ configMap: {} }), 'configmaps (via configmap volumes)'),
  referring({ resourceClaims: [{ name: 'r' }] }, 'resourceclaims'),
  referring(volumes({ csi: { driver: 'd' } }), 'csidrivers (via CSI volumes)'),
  referring(volumes({ glusterfs: { endpoints: 'e' } }), 'endpoints (via glusterFS volumes)'),
  referring(volumes({ persistentVolumeClaim: { claimName: 'c' } }), 'persistentvolumeclaims'),
  referring(volumes({ ephemeral: {} }), 'persistentvolumeclaims (via ephemeral volumes)'),
  referring(volumes({ azureFile: {} }), 'secrets (via azureFile volumes)'),
  referring(tokenVolume('a'), 'serviceaccounts (via projected volumes)'),
  referring(volumes({ projected: { sources: [{ clusterTrustBundle: {} }] } }), 'clustertrustbundles'),
  referring(volumes({ projected: { sources: [{ podCertificate: {} }] } }), 'podcertificates'),
  create('pods', own(volumes({ hostPath: { path: '/' } }, { projected: { sources: [{ downwardAPI: {} }] } })), undefined, inDev),
  update('pods', own(), own(), 'unexpected operation "UPDATE", node "n1" can only create and delete mirror pods', inDev),
  remove('pods', 'mine', undefined, inDev),
  remove('pods', 'other', 'node "n1" can only delete pods with spec.nodeName set to itself', inDev),
  remove('pods', 'nowhere', 'pod "nowhere" not found', inDev),
  create('pods/exec', {}, `unexpected pod subresource "exec", only 'status' and 'eviction' are allowed`, inDev),
  update('pods/resize', own(), own(), `unexpected pod subresource "resize", only 'status' and 'eviction' are allowed`, inDev),
  // Status
  status(pod('n1'), pod('n1', {}, {}, { phase: 'Running' })),
  status(pod('n2'), pod('n1'), 'node "n1" can only update pod status for pods with spec.nodeName set to itself'),
  status(pod('n1'), pod('n1', {}, { labels: { a: 'b' } }), 'node "n1" cannot update labels through pod status'),
  status(
    pod('n1'),
    pod('n1', {}, {}, { resourceClaimStatuses: [{ name: 'a', resourceClaimName: 'b' }] }),
    'node "n1" cannot update resource claim statues',
  ),
  status(
    pod('n1'),
    pod('n1', {}, {}, { extendedResourceClaimStatus: { resourceClaimName: 'b' } }),
    'node "n1" cannot update extended resource claim status',
  ),
  create('pods/status', pod('n1'), 'unexpected operation "CREATE"', inDev),
  // Eviction
  create('pods/eviction', { metadata: { name: 'mine' } }, undefined, inDev),
  create('pods/eviction', { metadata: { name: 'other' } }, 'node n1 can only evict pods with spec.nodeName set to itself', inDev),
  create('pods/eviction', { metadata: { name: 'nowhere' } }, 'pod "nowhere" not found', inDev),
  create('pods/eviction', { metadata: {} }, 'could not determine pod from request data', inDev),
  update('pods/eviction', {}, { metadata: { name: 'mine' } }, 'unexpected operation UPDATE', inDev),
  // Nodes
  create('nodes', node()),
  create('nodes', { metadata: { name: 'n2' } }, 'node "n1" is not allowed to modify node "n2"'),
  update('nodes', node(), node(), 'node "n1" is not allowed to modify node "n2"', { name: 'n2' }),
  remove('nodes', 'n1'),
  remove('nodes', 'n2', 'node "n1" is not allowed to modify node "n2"'),
  create('nodes', node({ configSource: {} }), 'node "n1" is not allowed to create pods with a non-nil configSource'),
  update(
    'nodes',
    node(),
    node({ configSource: { configMap: {} } }),
    'node "n1" is not allowed to update configSource to a new non-nil configSource',
  ),
  update('nodes', node({ configSource: {} }), node()),
  create('nodes', node({ taints: [{ key: 'a', effect: 'NoSchedule' }] })),
  update('nodes', node({ taints: [{ key: 'a' }] }), node(), 'node "n1" is not allowed to modify taints'),
  update('nodes', node({ taints: [] }), node()),
  update('nodes', node({ unschedulable: false }), node({ unschedulable: true })),
  update('nodes', node(), node({}, {}, { ownerReferences: [owner] }), 'node "n1" is not allowed to modify ownerReferences'),
  labelled({ 'kubernetes.io/hostname': 'a', 'topology.kubernetes.io/zone': 'b', 'example.com/x': 'c', plain: 'd' }),
  labelled({ 'node.kubernetes.io/x': 'a', 'sub.node.kubernetes.io/x': 'a', 'kubelet.kubernetes.io/y': 'b' }),
  labelled({ 'beta.kubernetes.io/os': 'a', 'failure-domain.beta.kubernetes.io/region': 'b' }),
  labelled({ 'kubernetes.io/other': 'a', 'x.k8s.io/y': 'b', 'k8s.io/z': 'c' }, 'k8s.io/z, kubernetes.io/other, x.k8s.io/y'),
  labelled({ 'node-restriction.kubernetes.io/a': 'b' }, 'node-restriction.kubernetes.io/a'),
  labelled({ 'my.node-restriction.kubernetes.io/a': 'b' }, 'my.node-restriction.kubernetes.io/a'),
  labelled({ 'node-role.kubernetes.io/master': '' }, 'node-role.kubernetes.io/master'),
  update(
    'nodes',
    node({}, { 'node-restriction.kubernetes.io/a': 'b', 'x.k8s.io/y': 'z' }),
    node({}, { 'x.k8s.io/y': 'w' }),
    'is not allowed to modify labels: node-restriction.kubernetes.io/a, x.k8s.io/y',
  ),
  update('nodes', node({}, { 'x.k8s.io/y': 'z' }), node({}, { 'x.k8s.io/y': 'z', free: 'w' })),
  update('nodes/status', node(), node({}, { 'x.k8s.io/y': 'z' }), 'is not allowed to modify labels: x.k8s.io/y'),
  // Claims
  update('persistentvolumeclaims/status', claim({ phase: 'Bound' }), claim({ phase: 'Bound', capacity: { storage: '1' }, conditions: [] })),
  update(
    'persistentvolumeclaims/status',
    claim({}, { resourceVersion: '1' }),
    claim({ allocatedResources: { storage: '2' }, allocatedResourceStatuses: { storage: 'x' } }),
  ),
  update('persistentvolumeclaims/status', claim({ phase: 'Bound' }), claim({ phase: 'Lost' }), claimChange),
  update('persistentvolumeclaims/status', claim({}), claim({}, { labels: { a: 'b' } }), claimChange),
  update('persistentvolumeclaims', claim({}), claim({}), 'may only update PVC status', inDev),
  create('persistentvolumeclaims/status', claim({}), 'unexpected operation "CREATE"', inDev),
  // Tokens
  asks(me, token(bound('mine'), 'vault')),
  asks(me, token(undefined, 'vault'), 'node requested token not bound to a pod'),
  asks(me, token({ ...bound('mine'), kind: 'Secret' }, 'vault'), 'node requested token not bound to a pod'),
  asks(me, token(bound('mine', ''), 'vault'), 'node requested token with a pod binding without a uid'),
  asks(me, token(bound('nowhere'), 'vault'), 'pod "nowhere" not found'),
  asks(
    me,
    token(bound('mine', 'old'), 'vault'),
    'the UID in the bound object reference (old) does not match the UID in record. The object might have been deleted and then recreated',
  ),
  asks(me, token(bound('other'), 'vault'), 'node requested token bound to a pod scheduled on a different node'),
  asks(me, token(bound('mine'), 'a', 'b'), 'node may only request 0 or 1 audiences'),
  asks(me, token(bound('mine'), 'elsewhere'), nobody('elsewhere')),
  asks(me, token(bound('mine')), nobody('')),
  asks(me, token(bound('plain'), 'registry')),
  asks(me, token(bound('driven'), 'storage')),
  asks(me, token(bound('driven'), 'disks'), nobody('disks')),
  asks(me, token(bound('claimed'), 'disks')),
  asks(me, token(bound('claimed'))),
  asks(me, token(bound('ephemeral'), 'disks')),
  asks(me, token(bound('old'), 'files')),
  asks(me, token(bound('lost'), 'disks'), 'error validating audience "disks": persistentvolumeclaim "nowhere" not found'),
  create('serviceaccounts', { metadata: { name: 'x' } }, undefined, inDev),
  // Leases, storage nodes, slices
  create('leases.coordination.k8s.io', { metadata: { name: 'n1' } }, undefined, inLeases),
  create('leases.coordination.k8s.io', { metadata: { name: 'n2' } }, otherLease, inLeases),
  create(
    'leases.coordination.k8s.io',
    { metadata: { name: 'n1' } },
    'can only access leases in the "kube-node-lease" system namespace',
    inDev,
  ),
  update('leases.coordination.k8s.io', {}, { metadata: { name: 'n1' } }, undefined, inLeases),
  update('leases.coordination.k8s.io', {}, { metadata: { name: 'n2' } }, otherLease, inLeases),
  remove('leases.coordination.k8s.io', 'n2', otherLease, inLeases),
  create('csinodes.storage.k8s.io', { metadata: { name: 'n1' } }),
  create('csinodes.storage.k8s.io', { metadata: { name: 'n2' } }, otherStorageNode),
  remove('csinodes.storage.k8s.io', 'n1'),
  remove('csinodes.storage.k8s.io', 'n2', otherStorageNode),
  create('resourceslices.resource.k8s.io', slice('n1')),
  create('resourceslices.resource.k8s.io', slice(), 'can only create ResourceSlice with the same NodeName as the requesting node'),
  update('resourceslices.resource.k8s.io', slice('n2'), slice('n2')),
  remove('resourceslices.resource.k8s.io', 's', undefined, { old: slice('n1') }),
  remove('resourceslices.resource.k8s.io', 's', 'can only delete ResourceSlice with the same NodeName as the requesting node', {
    old: slice('n2'),
  }),
  // Certificates
  create('certificatesigningrequests.certificates.k8s.io', csr(signers.serving, await request('O=system:nodes, CN=system:node:n1'))),
  create('certificatesigningrequests.certificates.k8s.io', csr(signers.client, await request('CN=system:node:n1'))),
  create(
    'certificatesigningrequests.certificates.k8s.io',
    csr(signers.serving, await request('CN=system:node:n2')),
    'can only create a node CSR with CN=system:node:n1',
  ),
  create(
    'certificatesigningrequests.certificates.k8s.io',
    csr(signers.client, await request('O=system:nodes')),
    'can only create a node CSR with CN=system:node:n1',
  ),
  create('certificatesigningrequests.certificates.k8s.io', csr('example.com/other', await request('CN=anyone'))),
  create(
    'certificatesigningrequests.certificates.k8s.io',
    csr(signers.client, btoa('nothing')),
    'unable to parse csr: PEM block type must be CERTIFICATE REQUEST',
  ),
  certified({}),
  certified({ nodeName: 'n2' }, 'PodCertificateRequest.Spec.NodeName="n2", which is not the requesting node "n1"'),
  certified({ nodeUID: 'x' }, broken(`${aboutPod()} names node UID "x", inconsistent with the running node ("node-uid")`)),
  certified(
    { podName: 'nowhere' },
    broken('while retrieving pod "dev/nowhere" named in the PodCertificateRequest: pod "nowhere" not found'),
  ),
  certified({ podUID: 'x' }, broken(`${aboutPod()} contains pod UID ("x") which differs from running pod "pod-uid"`)),
  certified({ podName: 'other' }, 'pod "dev/other" is not running on node "n1" named in the PodCertificateRequest'),
  certified({ podName: 'static', serviceAccountName: '' }, 'pod "dev/static" is a mirror pod'),
  certified({ serviceAccountName: 'x' }, `${aboutPod()} contains serviceAccountName ("x") that differs from running pod ("bot")`),
  certified(
    { serviceAccountUID: 'x' },
    broken(`${aboutPod()} names service account UID "x", which differs from the running service account ("account-uid")`),
  ),
  update(certificates, certificate({}), certificate({}), 'unexpected operation UPDATE', inDev),
]

async function admit(row: Row): Promise<string | undefined> {
  const attributes: AdmissionAttributes = attributesOf({ ...row, user: userOf(row.user ?? me) })
  try {
    await nodeRestriction(context).mutate?.(attributes, once)
    return undefined
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error))
    if (error.status.reason !== 'Forbidden') return error.message
    assert.match(error.message, / is forbidden: /, error.message)
    return error.message.slice(error.message.indexOf(' is forbidden: ') + ' is forbidden: '.length)
  }
}

test(`${rows.length} writes by nodes`, async () => {
  for (const row of rows) assert.equal(await admit(row), row.refusal, JSON.stringify(row))
})

test('feature gates: certificates of other nodes, audiences, pod certificates', async () => {
  const foreign = create('certificatesigningrequests.certificates.k8s.io', csr(signers.client, await request('CN=system:node:n2')))
  const audience = asks(me, token(bound('plain'), 'elsewhere'))
  gates.set('AllowInsecureNodeagentCertificateSigningRequests', true)
  gates.set('ServiceAccountNodeAudienceRestriction', false)
  gates.set('PodCertificateRequest', false)
  assert.equal(await admit(foreign), undefined, 'a certificate for another node')
  assert.equal(await admit(audience), undefined, 'any audience')
  assert.equal(await admit(certified({})), 'PodCertificateRequest feature gate is disabled')
})
