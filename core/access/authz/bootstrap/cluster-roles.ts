import { events, gated, type RoleRow, read, readUpdate, readWrite, rule, urls, write } from './rows.ts'

const probes = '/livez /readyz /healthz'

const view = () => [
  rule(
    read,
    'core',
    'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
  ),
  rule(
    read,
    'core',
    'bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
  ),
  rule(read, 'core', 'namespaces'),
  rule(read, 'core events.<domain>', 'events'),
  rule(read, 'discovery.<domain>', 'endpointslices'),
  rule(
    read,
    'apps',
    'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
  ),
  rule(read, 'autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status'),
  rule(read, 'batch', 'cronjobs cronjobs/status jobs jobs/status'),
  rule(
    read,
    'extensions',
    'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
  ),
  rule(read, 'policy', 'poddisruptionbudgets poddisruptionbudgets/status'),
  rule(read, 'networking.<domain>', 'ingresses ingresses/status networkpolicies'),
  ...gated(['DynamicResourceAllocation'], rule(read, 'resource.<domain>', 'resourceclaims resourceclaims/status resourceclaimtemplates')),
  ...gated(['GenericWorkload'], rule(read, 'scheduling.<domain>', 'podgroups podgroups/status workloads')),
]

const edit = () => [
  rule(read, 'core', 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy'),
  rule('impersonate', 'core', 'serviceaccounts'),
  rule(write, 'core', 'pods pods/attach pods/exec pods/portforward pods/proxy'),
  rule('create', 'core', 'pods/eviction'),
  rule(
    write,
    'core',
    'configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
  ),
  rule('create', 'core', 'serviceaccounts/token'),
  rule(write, 'core events.<domain>', 'events'),
  rule(
    write,
    'apps',
    'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
  ),
  rule(write, 'autoscaling', 'horizontalpodautoscalers'),
  rule(write, 'batch', 'cronjobs jobs'),
  rule(
    write,
    'extensions',
    'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
  ),
  rule(write, 'policy', 'poddisruptionbudgets'),
  rule(write, 'networking.<domain>', 'ingresses networkpolicies'),
  rule(readWrite, 'coordination.<domain>', 'leases'),
  ...gated(['DynamicResourceAllocation'], rule(write, 'resource.<domain>', 'resourceclaims resourceclaimtemplates')),
  ...gated(['GenericWorkload'], rule(write, 'scheduling.<domain>', 'podgroups workloads')),
]

/** Rules that a node agent needs to run pods. */
const node = () => [
  rule('create', 'authentication.<domain>', 'tokenreviews'),
  rule('create', 'authorization.<domain>', 'localsubjectaccessreviews subjectaccessreviews'),
  rule(read, 'core', 'services'),
  rule('create get list watch', 'core', 'nodes'),
  rule('patch update', 'core', 'nodes/status'),
  rule('patch update', 'core', 'nodes'),
  events,
  rule(read, 'core', 'pods'),
  rule('create delete', 'core', 'pods'),
  rule('patch update', 'core', 'pods/status'),
  rule('create', 'core', 'pods/eviction'),
  rule(read, 'core', 'configmaps secrets'),
  rule('get', 'core', 'persistentvolumeclaims persistentvolumes'),
  rule('get', 'core', 'endpoints'),
  rule('create get list watch', 'certificates.<domain>', 'certificatesigningrequests'),
  rule('create delete get patch update', 'coordination.<domain>', 'leases'),
  rule('get', 'storage.<domain>', 'volumeattachments'),
  rule('create', 'core', 'serviceaccounts/token'),
  rule('get patch update', 'core', 'persistentvolumeclaims/status'),
  rule(read, 'storage.<domain>', 'csidrivers'),
  rule('create delete get patch update', 'storage.<domain>', 'csinodes'),
  rule(read, 'node.<domain>', 'runtimeclasses'),
  ...gated(
    ['DynamicResourceAllocation'],
    rule('get', 'resource.<domain>', 'resourceclaims'),
    rule('deletecollection', 'resource.<domain>', 'resourceslices'),
  ),
  ...gated(['ClusterTrustBundle'], rule(read, 'certificates.<domain>', 'clustertrustbundles')),
  ...gated(['NodeagentServiceAccountTokenForCredentialProviders'], rule('get', 'core', 'serviceaccounts')),
  ...gated(['PodCertificateRequest'], rule('create get list watch', 'certificates.<domain>', 'podcertificaterequests')),
]

const scheduler = () => [
  events,
  rule('create', 'coordination.<domain>', 'leases'),
  rule('get list update watch', 'coordination.<domain>', 'leases', '<component>-scheduler'),
  rule(readWrite, 'coordination.<domain>', 'leasecandidates'),
  rule(read, 'core', 'nodes'),
  rule('delete get list watch', 'core', 'pods'),
  rule('create', 'core', 'bindings pods/binding'),
  rule('patch update', 'core', 'pods/status'),
  rule(read, 'core', 'replicationcontrollers services'),
  rule(read, 'apps extensions', 'replicasets'),
  rule(read, 'apps', 'statefulsets'),
  rule(read, 'policy', 'poddisruptionbudgets'),
  rule(read, 'core', 'persistentvolumeclaims persistentvolumes'),
  rule('create', 'authentication.<domain>', 'tokenreviews'),
  rule('create', 'authorization.<domain>', 'subjectaccessreviews'),
  rule(read, 'storage.<domain>', 'csinodes'),
  rule(read, 'storage.<domain>', 'volumeattachments'),
  rule(read, 'core', 'namespaces'),
  rule(read, 'storage.<domain>', 'csidrivers'),
  rule(read, 'storage.<domain>', 'csistoragecapacities'),
  ...gated(
    ['DynamicResourceAllocation'],
    rule(read, 'resource.<domain>', 'deviceclasses'),
    rule(readUpdate, 'resource.<domain>', 'resourceclaims'),
    rule(readUpdate, 'resource.<domain>', 'resourceclaims/status'),
    rule('update', 'core', 'pods/finalizers'),
    rule(read, 'resource.<domain>', 'resourceslices'),
  ),
  ...gated(['DynamicResourceAllocation', 'DRAExtendedResource'], rule('create delete', 'resource.<domain>', 'resourceclaims')),
  ...gated(['DynamicResourceAllocation', 'DRADeviceTaintRules'], rule(read, 'resource.<domain>', 'devicetaintrules')),
  ...gated(
    ['DynamicResourceAllocation', 'DRAResourceClaimGranularStatusAuthorization'],
    rule('patch update', 'resource.<domain>', 'resourceclaims/binding'),
  ),
  ...gated(
    ['GenericWorkload'],
    rule(read, 'scheduling.<domain>', 'podgroups'),
    rule('patch update', 'scheduling.<domain>', 'podgroups/status'),
  ),
]

const controllerManager = () => [
  events,
  rule('create', 'coordination.<domain>', 'leases'),
  rule('get update', 'coordination.<domain>', 'leases', '<component>-controller-manager'),
  rule('create', 'core', 'secrets serviceaccounts'),
  rule('delete', 'core', 'secrets'),
  rule('get', 'core', 'configmaps namespaces secrets serviceaccounts'),
  rule('update', 'core', 'secrets serviceaccounts'),
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
export const clusterRoles = (): readonly RoleRow[] => [
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
  { name: 'system:aggregate-to-edit', aggregateTo: 'edit', rules: edit() },
  { name: 'system:aggregate-to-view', aggregateTo: 'view', rules: view() },
  { name: 'system:discovery', rules: [urls('get', `${probes} /version /version/ /openapi /openapi/* /api /api/* /apis /apis/*`)] },
  {
    name: 'system:monitoring',
    rules: [
      {
        ...urls('get', `${probes} /livez/* /readyz/* /healthz/* /metrics /metrics/slis /flagz /statusz`),
        gatedUrls: { '/flagz': 'ComponentFlagz', '/statusz': 'ComponentStatusz' },
      },
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
  { name: 'system:node', rules: node() },
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
      ...gated(['MultiCIDRServiceAllocator'], rule('list watch', 'networking.<domain>', 'servicecidrs')),
      rule('list watch', 'discovery.<domain>', 'endpointslices'),
    ],
  },
  {
    name: 'system:<component>let-api-admin',
    rules: [
      rule(read, 'core', 'nodes'),
      rule('proxy', 'core', 'nodes'),
      rule('*', 'core', 'nodes/log nodes/metrics nodes/proxy nodes/stats'),
      ...gated(['NodeagentFineGrainedAuthz'], rule('*', 'core', 'nodes/configz nodes/healthz nodes/pods')),
    ],
  },
  { name: 'system:<component>-aggregator', rules: [rule(read, 'core', 'services endpoints')] },
  { name: 'system:<component>-controller-manager', rules: controllerManager() },
  { name: 'system:<component>-scheduler', rules: scheduler() },
  { name: 'system:<component>-dns', rules: [rule('list watch', 'core', 'endpoints services')] },
  {
    name: 'system:volume-scheduler',
    rules: [
      rule(readUpdate, 'core', 'persistentvolumes'),
      rule(read, 'storage.<domain>', 'storageclasses'),
      rule(readUpdate, 'core', 'persistentvolumeclaims'),
    ],
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
  {
    name: 'system:cluster-trust-bundle-discovery',
    gates: ['ClusterTrustBundle'],
    rules: [rule(read, 'certificates.<domain>', 'clustertrustbundles')],
  },
]
