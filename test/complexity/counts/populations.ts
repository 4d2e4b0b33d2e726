/** Things that a cluster may have many of, and that no request of `operations.ts` is about. */
import type { Site } from './site.ts'

export interface Population {
  readonly name: string
  /** Part of the count: those that take long to add are fewer. Default 1. */
  readonly share?: number
  /** Adds number `index`. */
  add(site: Site, index: number): Promise<unknown>
}

const elsewhere = (plural: string, group = '/api/v1') => `${group}/namespaces/elsewhere/${plural}`
const rbac = '/apis/rbac.authorization.k8s.io/v1'
const other = { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'someone-else' }
const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }]
const pod = (name: string, nodeName?: string) => ({
  metadata: { name, labels: { app: 'other' } },
  spec: { ...(nodeName && { nodeName }), containers: [{ name: 'main', image: 'any' }] },
})
const definition = (index: number) => ({
  metadata: { name: `widgets.g${index}.example.com` },
  spec: {
    group: `g${index}.example.com`,
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget', singular: 'widget', listKind: 'WidgetList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
})

export const populations: readonly Population[] = [
  { name: 'watches of other names', add: (site, index) => site.watch(`/api/v1/configmaps?fieldSelector=metadata.name%3Dother-${index}`) },
  {
    name: 'watches of other names in the same namespace',
    add: (site, index) => site.watch(`/api/v1/namespaces/here/secrets?fieldSelector=metadata.name%3Dother-${index}`),
  },
  { name: 'watches of other namespaces', add: (site) => site.watch(elsewhere('configmaps')) },
  { name: "watches of other nodes' pods", add: (site, index) => site.watch(`/api/v1/pods?fieldSelector=spec.nodeName%3Dother-${index}`) },
  {
    name: 'watches of other labels',
    add: (site, index) => site.watch(`/api/v1/namespaces/here/configmaps?labelSelector=app%3Dother-${index}`),
  },
  { name: 'namespaces', add: (site, index) => site.create('/api/v1/namespaces', { metadata: { name: `n-${index}` } }) },
  { name: 'service accounts', add: (site, index) => site.create(elsewhere('serviceaccounts'), { metadata: { name: `a-${index}` } }) },
  { name: 'roles', add: (site, index) => site.create(elsewhere('roles', rbac), { metadata: { name: `r-${index}` }, rules }) },
  {
    name: 'role bindings of others',
    add: (site, index) =>
      site.create(elsewhere('rolebindings', rbac), {
        metadata: { name: `b-${index}` },
        roleRef: { apiGroup: other.apiGroup, kind: 'Role', name: `r-${index}` },
        subjects: [{ ...other, name: `someone-${index}` }],
      }),
  },
  { name: 'cluster roles', add: (site, index) => site.create(`${rbac}/clusterroles`, { metadata: { name: `r-${index}` }, rules }) },
  {
    name: 'cluster role bindings of others',
    add: (site, index) =>
      site.create(`${rbac}/clusterrolebindings`, {
        metadata: { name: `b-${index}` },
        roleRef: { apiGroup: other.apiGroup, kind: 'ClusterRole', name: 'view' },
        subjects: [{ ...other, name: `someone-${index}` }],
      }),
  },
  {
    // The deletion of a namespace looks at each resource.
    name: 'definitions',
    share: 0.05,
    add: (site, index) => site.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition(index)),
  },
  {
    // Each config map that is made there later changes each of them.
    name: 'quotas elsewhere',
    share: 0.1,
    add: (site, index) =>
      site.create(elsewhere('resourcequotas'), { metadata: { name: `q-${index}` }, spec: { hard: { 'count/configmaps': '100000' } } }),
  },
  {
    name: 'limit ranges elsewhere',
    add: (site, index) =>
      site.create(elsewhere('limitranges'), {
        metadata: { name: `l-${index}` },
        spec: { limits: [{ type: 'PersistentVolumeClaim', max: { storage: '1Ti' } }] },
      }),
  },
  { name: 'nodes', add: (site, index) => site.create('/api/v1/nodes', { metadata: { name: `other-${index}` } }) },
  { name: 'pods elsewhere', add: (site, index) => site.create(elsewhere('pods'), pod(`p-${index}`, `other-${index % 100}`)) },
  { name: 'pods in the namespace', add: (site, index) => site.create('/api/v1/namespaces/here/pods', pod(`p-${index}`)) },
  {
    name: 'services',
    add: (site, index) => site.create(elsewhere('services'), { metadata: { name: `s-${index}` }, spec: { ports: [{ port: 80 }] } }),
  },
  { name: 'config maps elsewhere', add: (site, index) => site.create(elsewhere('configmaps'), { metadata: { name: `c-${index}` } }) },
  {
    name: 'config maps in the namespace',
    add: (site, index) => site.create('/api/v1/namespaces/here/configmaps', { metadata: { name: `c-${index}` } }),
  },
  { name: 'secrets', add: (site, index) => site.create(elsewhere('secrets'), { metadata: { name: `s-${index}` } }) },
  {
    name: 'leases',
    add: (site, index) => site.create(elsewhere('leases', '/apis/coordination.k8s.io/v1'), { metadata: { name: `l-${index}` } }),
  },
  {
    name: 'persistent volumes',
    add: (site, index) =>
      site.create('/api/v1/persistentvolumes', {
        metadata: { name: `v-${index}` },
        spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
      }),
  },
  {
    name: 'claims elsewhere',
    add: (site, index) =>
      site.create(elsewhere('persistentvolumeclaims'), {
        metadata: { name: `c-${index}` },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      }),
  },
  {
    name: 'priority classes',
    add: (site, index) => site.create('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: `c-${index}` }, value: index }),
  },
]
