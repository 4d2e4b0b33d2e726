import { events, type RoleRow, read, readUpdate, readWrite, rule, urls, write } from './rows.ts'

const probes = '/livez /readyz /healthz'
const workloads = 'statefulsets statefulsets/scale daemonsets deployments deployments/scale replicasets replicasets/scale'
const workloadStatus = 'statefulsets/status daemonsets/status deployments/status replicasets/status'
const oldWorkloads = 'daemonsets deployments deployments/scale ingresses networkpolicies replicasets replicasets/scale'

const view = [
  rule(read, 'core', 'pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status'),
  rule(read, 'core', 'endpoints persistentvolumeclaims persistentvolumeclaims/status configmaps'),
  rule(read, 'core', 'limitranges resourcequotas bindings pods/status resourcequotas/status namespaces/status'),
  rule(read, 'core', 'replicationcontrollers/status pods/log namespaces'),
  rule(read, 'core events.<domain>', 'events'),
  rule(read, 'discovery.<domain>', 'endpointslices'),
  rule(read, 'apps', `controllerrevisions ${workloads} ${workloadStatus}`),
  rule(read, 'autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status'),
  rule(read, 'batch', 'cronjobs cronjobs/status jobs jobs/status'),
  rule(
    read,
    'extensions',
    `${oldWorkloads} replicationcontrollers/scale daemonsets/status deployments/status ingresses/status replicasets/status`,
  ),
  rule(read, 'policy', 'poddisruptionbudgets poddisruptionbudgets/status'),
  rule(read, 'networking.<domain>', 'networkpolicies ingresses ingresses/status'),
  rule(read, 'resource.<domain>', 'resourceclaims resourceclaims/status resourceclaimtemplates'),
]

const edit = [
  rule(read, 'core', 'pods/attach pods/proxy pods/exec pods/portforward secrets services/proxy'),
  rule('impersonate', 'core', 'serviceaccounts'),
  rule(write, 'core', 'pods pods/attach pods/proxy pods/exec pods/portforward'),
  rule('create', 'core', 'pods/eviction serviceaccounts/token'),
  rule(write, 'core', 'replicationcontrollers replicationcontrollers/scale serviceaccounts services services/proxy'),
  rule(write, 'core', 'persistentvolumeclaims configmaps secrets'),
  rule(write, 'core events.<domain>', 'events'),
  rule(write, 'apps', `${workloads} deployments/rollback`),
  rule(write, 'autoscaling', 'horizontalpodautoscalers'),
  rule(write, 'batch', 'jobs cronjobs'),
  rule(write, 'extensions', `${oldWorkloads} deployments/rollback replicationcontrollers/scale`),
  rule(write, 'policy', 'poddisruptionbudgets'),
  rule(write, 'networking.<domain>', 'networkpolicies ingresses'),
  rule(readWrite, 'coordination.<domain>', 'leases'),
  rule(write, 'resource.<domain>', 'resourceclaims resourceclaimtemplates'),
]

/** Rules that a node agent needs to run pods. */
const node = [
  rule('create', 'authentication.<domain>', 'tokenreviews'),
  rule('create', 'authorization.<domain>', 'subjectaccessreviews localsubjectaccessreviews'),
  rule(read, 'core', 'services pods secrets configmaps'),
  rule('create get list watch update patch', 'core', 'nodes'),
  rule('update patch', 'core', 'nodes/status pods/status'),
  events,
  rule('create delete', 'core', 'pods'),
  rule('create', 'core', 'pods/eviction serviceaccounts/token'),
  rule('get', 'core', 'persistentvolumeclaims persistentvolumes endpoints serviceaccounts'),
  rule('get update patch', 'core', 'persistentvolumeclaims/status'),
  rule('create get list watch', 'certificates.<domain>', 'certificatesigningrequests'),
  rule('get create update patch delete', 'coordination.<domain>', 'leases'),
  rule('get', 'storage.<domain>', 'volumeattachments'),
  rule(read, 'storage.<domain>', 'csidrivers'),
  rule('get create update patch delete', 'storage.<domain>', 'csinodes'),
  rule(read, 'node.<domain>', 'runtimeclasses'),
  rule('get', 'resource.<domain>', 'resourceclaims'),
  rule('deletecollection', 'resource.<domain>', 'resourceslices'),
]

const scheduler = [
  events,
  rule('create', 'coordination.<domain>', 'leases'),
  rule('get update list watch', 'coordination.<domain>', 'leases', '<component>-scheduler'),
  rule(readWrite, 'coordination.<domain>', 'leasecandidates'),
  rule(read, 'core', 'nodes services replicationcontrollers persistentvolumeclaims persistentvolumes namespaces'),
  rule('get list watch delete', 'core', 'pods'),
  rule('create', 'core', 'pods/binding bindings'),
  rule('patch update', 'core', 'pods/status'),
  rule('update', 'core', 'pods/finalizers'),
  rule(read, 'apps extensions', 'replicasets'),
  rule(read, 'apps', 'statefulsets'),
  rule(read, 'policy', 'poddisruptionbudgets'),
  rule('create', 'authentication.<domain>', 'tokenreviews'),
  rule('create', 'authorization.<domain>', 'subjectaccessreviews'),
  rule(read, 'storage.<domain>', 'csinodes volumeattachments csidrivers csistoragecapacities'),
  rule(read, 'resource.<domain>', 'deviceclasses resourceslices'),
  rule(readUpdate, 'resource.<domain>', 'resourceclaims resourceclaims/status'),
  rule('create delete', 'resource.<domain>', 'resourceclaims'),
  rule('patch update', 'resource.<domain>', 'resourceclaims/binding'),
]

const controllerManager = [
  events,
  rule('create', 'coordination.<domain>', 'leases'),
  rule('get update', 'coordination.<domain>', 'leases', '<component>-controller-manager'),
  rule('create get update', 'core', 'secrets serviceaccounts'),
  rule('delete', 'core', 'secrets'),
  rule('get', 'core', 'namespaces configmaps'),
  rule('create', 'authentication.<domain>', 'tokenreviews'),
  rule('create', 'authorization.<domain>', 'subjectaccessreviews'),
  rule('list watch', '*', '*'),
  rule('create', 'core', 'serviceaccounts/token'),
]

const approver = (name: string, signer: string): RoleRow => ({
  name: `system:certificates.<domain>:${name}-approver`,
  rules: [rule('approve', 'certificates.<domain>', 'signers', `<labels>/${signer}`)],
})

/** Default cluster roles for users, nodes and components. */
export const clusterRoles: readonly RoleRow[] = [
  { name: 'cluster-admin', rules: [rule('*', '*', '*'), urls('*', '*')] },
  { name: 'admin', aggregates: 'admin' },
  { name: 'edit', aggregates: 'edit', aggregateTo: 'admin' },
  { name: 'view', aggregates: 'view', aggregateTo: 'edit' },
  {
    name: 'system:aggregate-to-admin',
    aggregateTo: 'admin',
    rules: [
      rule('create', 'authorization.<domain>', 'localsubjectaccessreviews'),
      rule(readWrite, 'rbac.authorization.<domain>', 'roles rolebindings'),
    ],
  },
  { name: 'system:aggregate-to-edit', aggregateTo: 'edit', rules: edit },
  { name: 'system:aggregate-to-view', aggregateTo: 'view', rules: view },
  { name: 'system:discovery', rules: [urls('get', `${probes} /version /version/ /openapi /openapi/* /api /api/* /apis /apis/*`)] },
  {
    name: 'system:monitoring',
    rules: [
      urls('get', `${probes} /livez/* /readyz/* /healthz/* /metrics /metrics/slis /flagz /statusz`),
      rule('get', 'core', 'nodes/metrics'),
    ],
  },
  {
    name: 'system:basic-user',
    rules: [
      rule('create', 'authorization.<domain>', 'selfsubjectaccessreviews selfsubjectrulesreviews'),
      rule('create', 'authentication.<domain>', 'selfsubjectreviews'),
    ],
  },
  { name: 'system:public-info-viewer', rules: [urls('get', `${probes} /version /version/`)] },
  {
    name: 'system:service-account-issuer-discovery',
    rules: [urls('get', '/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/')],
  },
  {
    name: 'system:auth-delegator',
    rules: [rule('create', 'authentication.<domain>', 'tokenreviews'), rule('create', 'authorization.<domain>', 'subjectaccessreviews')],
  },
  { name: 'system:heapster', rules: [rule(read, 'core', 'events pods nodes namespaces'), rule(read, 'extensions', 'deployments')] },
  { name: 'system:node', rules: node },
  {
    name: 'system:node-problem-detector',
    rules: [rule('get', 'core', 'nodes'), rule('patch', 'core', 'nodes/status'), events],
  },
  { name: 'system:node-bootstrapper', rules: [rule('create get list watch', 'certificates.<domain>', 'certificatesigningrequests')] },
  {
    name: 'system:node-proxier',
    rules: [
      rule('list watch', 'core', 'services endpoints'),
      rule(read, 'core', 'nodes'),
      events,
      rule('list watch', 'networking.<domain>', 'servicecidrs'),
      rule('list watch', 'discovery.<domain>', 'endpointslices'),
    ],
  },
  {
    name: 'system:<component>let-api-admin',
    rules: [
      rule('get list watch proxy', 'core', 'nodes'),
      rule('*', 'core', 'nodes/proxy nodes/metrics nodes/stats nodes/log nodes/pods nodes/healthz nodes/configz'),
    ],
  },
  { name: 'system:<component>-aggregator', rules: [rule(read, 'core', 'services endpoints')] },
  { name: 'system:<component>-controller-manager', rules: controllerManager },
  { name: 'system:<component>-scheduler', rules: scheduler },
  { name: 'system:<component>-dns', rules: [rule('list watch', 'core', 'endpoints services')] },
  {
    name: 'system:volume-scheduler',
    rules: [rule(readUpdate, 'core', 'persistentvolumes persistentvolumeclaims'), rule(read, 'storage.<domain>', 'storageclasses')],
  },
  {
    name: 'system:persistent-volume-provisioner',
    rules: [
      rule('get list watch create delete', 'core', 'persistentvolumes'),
      rule('get list watch update', 'core', 'persistentvolumeclaims'),
      rule(read, 'storage.<domain>', 'storageclasses'),
      rule('watch', 'core', 'events'),
      events,
    ],
  },
  ...['nodeclient', 'selfnodeclient'].map((kind) => ({
    name: `system:certificates.<domain>:certificatesigningrequests:${kind}`,
    rules: [rule('create', 'certificates.<domain>', `certificatesigningrequests/${kind}`)],
  })),
  approver('legacy-unknown', 'legacy-unknown'),
  approver('<component>let-serving', '<component>let-serving'),
  approver('<component>-apiserver-client', '<component>-apiserver-client'),
  approver('<component>-apiserver-client-<component>let', '<component>-apiserver-client-<component>let'),
]
