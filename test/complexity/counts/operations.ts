/** Requests that must cost the same however much else the cluster has. */
import type { Site } from './site.ts'

export interface Operation {
  readonly name: string
  /** Does it once; `index` is unique. */
  run(site: Site, index: number): Promise<void>
  /** Before the first run. */
  prepare?(site: Site): Promise<void>
}

const here = (plural: string, group = '/api/v1') => `${group}/namespaces/here/${plural}`
const rbac = '/apis/rbac.authorization.k8s.io/v1'
const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases'
const merge = { type: 'application/merge-patch+json' }
const strategic = { type: 'application/strategic-merge-patch+json' }
const node = { user: 'system:node:own', group: 'system:nodes' }
const immediately = { gracePeriodSeconds: 0 }
const pod = (name: string, nodeName?: string) => ({
  metadata: { name },
  spec: { ...(nodeName && { nodeName }), containers: [{ name: 'main', image: 'any' }] },
})
const configMap = (name: string) => ({ metadata: { name, labels: { app: 'own' } }, data: { text: 'x' } })
const binding = (user: string, name: string) => ({
  metadata: { name },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
})

/** Creates an object, and deletes it. */
function comeAndGo(name: string, collection: string, object: (name: string) => object): Operation {
  return {
    name,
    async run(site, index) {
      await site.send('POST', collection, object(`own-${index}`))
      await site.send('DELETE', `${collection}/own-${index}`)
    },
  }
}

export const operations: readonly Operation[] = [
  {
    name: 'get a config map as a user with a role',
    async prepare(site) {
      await site.create(here('configmaps'), configMap('read'))
      await site.create(here('rolebindings', rbac), binding('reader', 'reader'))
    },
    run: (site) => site.send('GET', here('configmaps/read'), undefined, { user: 'reader' }),
  },
  {
    name: 'list the secrets of a namespace',
    prepare: (site) => site.create(here('secrets'), { metadata: { name: 'read' } }),
    run: (site) => site.send('GET', here('secrets')),
  },
  {
    name: 'list by name',
    prepare: (site) => site.create(here('configmaps'), configMap('by-name')),
    run: (site) => site.send('GET', `${here('configmaps')}?fieldSelector=metadata.name%3Dby-name`),
  },
  { name: "list a node's pods", run: (site) => site.send('GET', '/api/v1/pods?fieldSelector=spec.nodeName%3Down', undefined, node) },
  comeAndGo('create and delete a config map', here('configmaps'), configMap),
  comeAndGo('create and delete a secret', here('secrets'), (name) => ({ metadata: { name } })),
  comeAndGo('create and delete a service', here('services'), (name) => ({ metadata: { name }, spec: { ports: [{ port: 80 }] } })),
  comeAndGo('create and delete a service account', here('serviceaccounts'), (name) => ({ metadata: { name } })),
  comeAndGo('create and delete a role binding', here('rolebindings', rbac), (name) => binding('nobody', name)),
  comeAndGo('create and delete a cluster role', `${rbac}/clusterroles`, (name) => ({ metadata: { name }, rules: [] })),
  comeAndGo('create and delete a quota', here('resourcequotas'), (name) => ({
    metadata: { name },
    spec: { hard: { 'count/leases': '5' } },
  })),
  comeAndGo('create and delete a namespace', '/api/v1/namespaces', (name) => ({ metadata: { name } })),
  comeAndGo('create and delete a lease', here('leases', '/apis/coordination.k8s.io/v1'), (name) => ({ metadata: { name } })),
  {
    name: 'patch a config map',
    prepare: (site) => site.create(here('configmaps'), configMap('patched')),
    run: (site, index) => site.send('PATCH', here('configmaps/patched'), { data: { text: `${index}` } }, merge),
  },
  {
    name: 'apply a config map',
    run: (site, index) =>
      site.send(
        'PATCH',
        `${here('configmaps/applied')}?fieldManager=me&force=true`,
        { apiVersion: 'v1', kind: 'ConfigMap', ...configMap('applied'), data: { text: `${index}` } },
        { type: 'application/apply-patch+yaml' },
      ),
  },
  {
    name: 'create, bind, start and delete a pod',
    async run(site, index) {
      const path = here(`pods/own-${index}`)
      await site.send('POST', here('pods'), pod(`own-${index}`))
      await site.send('POST', `${path}/binding`, { metadata: { name: `own-${index}` }, target: { kind: 'Node', name: 'own' } })
      await site.send('PATCH', `${path}/status`, { status: { phase: 'Running' } }, { ...node, ...strategic })
      await site.send('DELETE', path)
      await site.send('DELETE', path, immediately, node)
    },
  },
  {
    name: 'renew a lease as a node',
    async prepare(site) {
      await site.create('/api/v1/nodes', { metadata: { name: 'own' } })
      await site.send('POST', leases, { metadata: { name: 'own' }, spec: { holderIdentity: 'own' } }, node)
    },
    run: (site, index) => site.send('PATCH', `${leases}/own`, { spec: { leaseTransitions: index } }, { ...node, ...merge }),
  },
  {
    name: "post a node's status",
    run: (site, index) =>
      site.send('PATCH', '/api/v1/nodes/own/status', { status: { capacity: { cpu: `${1 + (index % 9)}` } } }, { ...node, ...strategic }),
  },
  {
    name: 'review access',
    run: (site) =>
      site.send(
        'POST',
        '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        {
          spec: { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'here' } },
        },
        { user: 'reader' },
      ),
  },
]
