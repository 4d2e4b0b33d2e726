/**
 * Requests of every kind that audit events differ for: kubectl's daily commands as the requests that they send, watches, denials, errors,
 * connections, impersonation. They run one after the other, on the objects of the earlier ones.
 */

export interface Step {
  /** Sent as Audit-ID, by which the events are found. */
  readonly name: string
  readonly method?: string
  readonly path: string
  /** Sent as JSON; a text as it is. */
  readonly body?: object | string
  readonly headers?: { readonly [name: string]: string }
  /** Bearer token; empty: none. */
  readonly token?: string
  /** Sent again until its last event has this text: what earlier requests created takes effect later. */
  readonly until?: string
}

export const admin = 'reference-admin'
const alice = 'reference-alice'

const core = '/api/v1'
const space = `${core}/namespaces/audited`
const apps = '/apis/apps/v1/namespaces/audited'
const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' }
const merge = { 'content-type': 'application/merge-patch+json' }
const strategic = { 'content-type': 'application/strategic-merge-patch+json' }
const apply = { 'content-type': 'application/apply-patch+yaml' }
const manager = '?fieldManager=kubectl'
const background = { propagationPolicy: 'Background' }

const container = { name: 'web', image: 'nginx' }
const pod = (name: string, more: object = {}) => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name },
  spec: { automountServiceAccountToken: false, containers: [container], ...more },
})
const deployment = {
  kind: 'Deployment',
  apiVersion: 'apps/v1',
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [container] } },
  },
}
const configMap = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'settings' }, data: { b: '2', a: '<1>' } }
const definition = {
  kind: 'CustomResourceDefinition',
  apiVersion: 'apiextensions.k8s.io/v1',
  metadata: { name: 'crontabs.stable.example.com' },
  status: { storedVersions: ['v1'] },
  spec: {
    group: 'stable.example.com',
    scope: 'Namespaced',
    names: { plural: 'crontabs', singular: 'crontab', kind: 'CronTab' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { size: { type: 'integer', default: 3 }, cron: { type: 'string' } } } },
          },
        },
      },
    ],
  },
}
const policy = {
  kind: 'ValidatingAdmissionPolicy',
  apiVersion: 'admissionregistration.k8s.io/v1',
  metadata: { name: 'audited' },
  spec: {
    matchConstraints: { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['secrets'] }] },
    validations: [{ expression: 'has(object.data)', message: 'no data' }],
    auditAnnotations: [{ key: 'name', valueExpression: "'secret ' + object.metadata.name" }],
  },
}
const policyBinding = {
  kind: 'ValidatingAdmissionPolicyBinding',
  apiVersion: 'admissionregistration.k8s.io/v1',
  metadata: { name: 'audited' },
  spec: {
    policyName: 'audited',
    validationActions: ['Audit'],
    matchResources: { namespaceSelector: { matchLabels: { audited: 'yes' } } },
  },
}
const binding = {
  kind: 'ClusterRoleBinding',
  apiVersion: 'rbac.authorization.k8s.io/v1',
  metadata: { name: 'dev-views' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
  subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'dev' }],
}
const secureSpace = {
  kind: 'Namespace',
  apiVersion: 'v1',
  metadata: {
    name: 'secure',
    labels: {
      'pod-security.kubernetes.io/enforce': 'baseline',
      'pod-security.kubernetes.io/audit': 'restricted',
      'pod-security.kubernetes.io/enforce-version': 'v1.36',
      'pod-security.kubernetes.io/audit-version': 'v1.36',
    },
  },
}

export const steps: readonly Step[] = [
  // ── Objects ───────────────────────────────────────────────────────────────────────────────────
  {
    name: 'create-namespace',
    method: 'POST',
    path: `${core}/namespaces${manager}`,
    body: { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'audited', labels: { audited: 'yes' } } },
  },
  { name: 'create-account', method: 'POST', path: `${space}/serviceaccounts${manager}`, body: { metadata: { name: 'default' } } },
  { name: 'create-configmap', method: 'POST', path: `${space}/configmaps${manager}&fieldValidation=Strict`, body: configMap },
  { name: 'create-again', method: 'POST', path: `${space}/configmaps`, body: configMap },
  {
    name: 'create-generated',
    method: 'POST',
    path: `${space}/configmaps?dryRun=All`,
    body: { metadata: { generateName: 'made-', uid: '11111111-2222-3333-4444-555555555555', creationTimestamp: '2020-01-01T00:00:00Z' } },
  },
  {
    name: 'create-elsewhere',
    method: 'POST',
    path: `${space}/configmaps`,
    body: { ...configMap, metadata: { name: 'x', namespace: 'default' } },
  },
  {
    name: 'create-yaml',
    method: 'POST',
    path: `${space}/configmaps`,
    body: 'metadata:\n  name: yaml\n',
    headers: { 'content-type': 'application/yaml' },
  },
  {
    name: 'create-unknown-field',
    method: 'POST',
    path: `${space}/configmaps?fieldValidation=Strict`,
    body: { ...configMap, extra: true },
  },
  { name: 'create-malformed', method: 'POST', path: `${space}/configmaps`, body: '{"metadata":' },
  { name: 'create-invalid', method: 'POST', path: `${space}/configmaps`, body: { metadata: { name: 'Not_Valid' } } },
  { name: 'create-secret', method: 'POST', path: `${space}/secrets`, body: { metadata: { name: 'token' }, stringData: { a: 'b' } } },
  { name: 'create-pod', method: 'POST', path: `${space}/pods${manager}`, body: pod('web') },
  { name: 'create-deployment', method: 'POST', path: `${apps}/deployments${manager}`, body: deployment },
  { name: 'get', path: `${space}/configmaps/settings` },
  { name: 'get-yaml', path: `${space}/configmaps/settings`, headers: { accept: 'application/yaml' } },
  { name: 'get-pretty', path: `${space}/configmaps/settings?pretty=true` },
  { name: 'get-protobuf', path: `${space}/configmaps/settings`, headers: { accept: 'application/vnd.kubernetes.protobuf' } },
  { name: 'get-table', path: `${space}/configmaps/settings`, headers: table },
  {
    name: 'get-metadata',
    path: `${space}/configmaps/settings`,
    headers: { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' },
  },
  { name: 'get-missing', path: `${space}/configmaps/none` },
  { name: 'get-unknown-resource', path: `${space}/nothings/none` },
  { name: 'list', path: `${space}/configmaps?limit=500&labelSelector=a%3Db%2Cc%21%3Dd` },
  { name: 'list-table', path: `${space}/pods?limit=500`, headers: table },
  { name: 'list-fields', path: `${space}/configmaps?fieldSelector=metadata.name%3Dsettings` },
  { name: 'list-bad-selector', path: `${space}/configmaps?labelSelector=a%3D%3D%3Db` },
  { name: 'list-unacceptable', path: `${space}/configmaps`, headers: { accept: 'text/csv' } },
  { name: 'replace', method: 'PUT', path: `${space}/configmaps/settings${manager}`, body: { ...configMap, data: { a: '2' } } },
  {
    name: 'replace-conflict',
    method: 'PUT',
    path: `${space}/configmaps/settings`,
    body: { ...configMap, metadata: { name: 'settings', resourceVersion: '1' } },
  },
  { name: 'replace-missing', method: 'PUT', path: `${space}/configmaps/none`, body: { ...configMap, metadata: { name: 'none' } } },
  {
    name: 'label',
    method: 'PATCH',
    path: `${space}/configmaps/settings${manager}-label`,
    body: '{"metadata": {"labels": {"a": "<b>"}}}\n',
    headers: merge,
  },
  {
    name: 'patch-strategic',
    method: 'PATCH',
    path: `${apps}/deployments/web${manager}`,
    body: { spec: { template: { metadata: { annotations: { restartedAt: 'now' } } } } },
    headers: strategic,
  },
  {
    name: 'patch-json',
    method: 'PATCH',
    path: `${space}/configmaps/settings`,
    body: [{ op: 'add', path: '/data/c', value: '3' }],
    headers: { 'content-type': 'application/json-patch+json' },
  },
  { name: 'patch-malformed', method: 'PATCH', path: `${space}/configmaps/settings`, body: '[1]', headers: merge },
  {
    name: 'patch-unsupported',
    method: 'PATCH',
    path: `${space}/configmaps/settings`,
    body: '{}',
    headers: { 'content-type': 'text/plain' },
  },
  {
    name: 'apply',
    method: 'PATCH',
    path: `${space}/configmaps/applied?fieldManager=kubectl&force=true`,
    body: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'applied' }, data: { a: '1' } },
    headers: apply,
  },
  { name: 'scale-get', path: `${apps}/deployments/web/scale` },
  { name: 'scale', method: 'PATCH', path: `${apps}/deployments/web/scale${manager}`, body: { spec: { replicas: 2 } }, headers: merge },
  {
    name: 'status',
    method: 'PUT',
    path: `${apps}/deployments/web/status`,
    body: { ...deployment, status: { replicas: 1 } },
  },
  { name: 'describe', path: `${space}/events?fieldSelector=involvedObject.name%3Dweb&limit=500` },
  // ── Watches and connections ───────────────────────────────────────────────────────────────────
  { name: 'watch', path: `${space}/configmaps?watch=true&timeoutSeconds=1` },
  { name: 'watch-table', path: `${space}/pods?watch=true&timeoutSeconds=1&resourceVersion=0`, headers: table },
  { name: 'watch-invalid', path: `${space}/configmaps?watch=true&labelSelector=a%3D%3D%3Db` },
  { name: 'watch-denied', path: `${core}/secrets?watch=true`, token: alice },
  { name: 'logs', path: `${space}/pods/web/log?container=web` },
  { name: 'logs-missing', path: `${space}/pods/none/log` },
  { name: 'exec', method: 'POST', path: `${space}/pods/web/exec?command=date&container=web&stdout=true` },
  { name: 'exec-missing', method: 'POST', path: `${space}/pods/none/exec?command=date&stdout=true` },
  { name: 'port-forward-missing', method: 'POST', path: `${space}/pods/none/portforward` },
  { name: 'proxy-missing', path: `${space}/pods/none/proxy/path?a=b` },
  // ── Reviews and actions ───────────────────────────────────────────────────────────────────────
  {
    name: 'can-i',
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: { spec: { resourceAttributes: { namespace: 'audited', verb: 'get', resource: 'pods' } } },
  },
  { name: 'whoami', method: 'POST', path: '/apis/authentication.k8s.io/v1/selfsubjectreviews', body: {}, token: alice },
  {
    name: 'create-token',
    method: 'POST',
    path: `${space}/serviceaccounts/default/token`,
    body: { kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1', spec: { audiences: ['a'], expirationSeconds: 3600 } },
  },
  {
    name: 'token-review',
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    body: { spec: { token: 'reference-alice' } },
  },
  {
    name: 'bind',
    method: 'POST',
    path: `${space}/pods/web/binding`,
    body: { kind: 'Binding', apiVersion: 'v1', metadata: { name: 'web' }, target: { kind: 'Node', name: 'node-1' } },
  },
  {
    name: 'evict',
    method: 'POST',
    path: `${space}/pods/web/eviction`,
    body: {
      kind: 'Eviction',
      apiVersion: 'policy/v1',
      metadata: { name: 'web', namespace: 'audited' },
      deleteOptions: { gracePeriodSeconds: 0 },
    },
  },
  // ── Users ─────────────────────────────────────────────────────────────────────────────────────
  { name: 'denied', path: `${space}/configmaps/settings`, token: alice },
  { name: 'denied-create', method: 'POST', path: `${space}/configmaps`, body: configMap, token: alice },
  { name: 'denied-path', path: '/metrics', token: alice },
  { name: 'bind-role', method: 'POST', path: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', body: binding },
  { name: 'wrong-token', path: `${space}/configmaps`, token: 'wrong' },
  { name: 'wrong-token-watch', path: `${space}/configmaps?watch=1`, token: 'wrong' },
  { name: 'anonymous', path: `${space}/configmaps`, token: '' },
  { name: 'anonymous-create', method: 'POST', path: `${space}/configmaps`, body: configMap, token: '' },
  {
    name: 'impersonated',
    path: `${space}/configmaps/settings`,
    headers: { 'impersonate-user': 'jane', 'impersonate-group': 'dev', 'impersonate-extra-example.com%2fscopes': 'view' },
  },
  { name: 'impersonated-system', path: `${space}/secrets`, headers: { 'impersonate-user': 'system:serviceaccount:audited:default' } },
  { name: 'impersonation-denied', path: `${space}/configmaps`, headers: { 'impersonate-user': 'jane' }, token: alice },
  { name: 'impersonation-malformed', path: `${space}/configmaps`, headers: { 'impersonate-group': 'dev' } },
  // ── Annotations ───────────────────────────────────────────────────────────────────────────────
  { name: 'create-policy', method: 'POST', path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies', body: policy },
  {
    name: 'create-policy-binding',
    method: 'POST',
    path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
    body: policyBinding,
  },
  {
    name: 'audited-by-policy',
    method: 'POST',
    path: `${space}/secrets?dryRun=All`,
    body: { metadata: { name: 'none' } },
    until: 'validation_failure',
  },
  { name: 'create-secure-namespace', method: 'POST', path: `${core}/namespaces`, body: secureSpace },
  {
    name: 'create-secure-account',
    method: 'POST',
    path: `${core}/namespaces/secure/serviceaccounts`,
    body: { metadata: { name: 'default' } },
  },
  { name: 'pod-audited', method: 'POST', path: `${core}/namespaces/secure/pods?dryRun=All`, body: pod('web') },
  { name: 'pod-refused', method: 'POST', path: `${core}/namespaces/secure/pods`, body: pod('web', { hostNetwork: true }) },
  { name: 'deprecated', path: `${space}/endpoints/none` },
  // ── Custom resources ──────────────────────────────────────────────────────────────────────────
  { name: 'create-definition', method: 'POST', path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', body: definition },
  {
    name: 'create-custom',
    method: 'POST',
    path: '/apis/stable.example.com/v1/namespaces/audited/crontabs',
    body: { kind: 'CronTab', apiVersion: 'stable.example.com/v1', metadata: { name: 'nightly' }, spec: { cron: '* * * * *', unknown: 1 } },
    until: '"code":201',
  },
  { name: 'list-custom', path: '/apis/stable.example.com/v1/namespaces/audited/crontabs', until: '"code":200' },
  // ── Other paths ───────────────────────────────────────────────────────────────────────────────
  { name: 'version', path: '/version' },
  { name: 'ready', path: '/readyz' },
  { name: 'discovery', path: '/api' },
  { name: 'discovery-group', path: '/apis/stable.example.com', until: '"code":200' },
  { name: 'discovery-version', path: '/apis/stable.example.com/v1', until: '"code":200' },
  { name: 'no-such-path', path: '/none' },
  { name: 'no-such-group', path: '/apis/none.example.com/v1/things' },
  { name: 'not-allowed', method: 'DELETE', path: '/version' },
  { name: 'method-not-supported', method: 'POST', path: `${space}/configmaps/settings`, body: configMap },
  { name: 'bad-timeout', path: `${space}/configmaps?timeout=x` },
  { name: 'forwarded', path: '/healthz', headers: { 'x-forwarded-for': '10.0.0.1, 10.0.0.2, not-an-address', 'x-real-ip': '10.0.0.3' } },
  { name: 'long-agent', path: '/healthz', headers: { 'user-agent': 'x'.repeat(1030) } },
  // ── Deletion ──────────────────────────────────────────────────────────────────────────────────
  { name: 'delete', method: 'DELETE', path: `${space}/configmaps/settings`, body: background },
  { name: 'delete-bare', method: 'DELETE', path: `${space}/configmaps/yaml` },
  {
    name: 'delete-typed',
    method: 'DELETE',
    path: `${space}/configmaps/applied`,
    body: {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      gracePeriodSeconds: 0,
      preconditions: { uid: '11111111-2222-3333-4444-555555555555' },
    },
  },
  { name: 'delete-missing', method: 'DELETE', path: `${space}/configmaps/none`, body: background },
  { name: 'delete-all', method: 'DELETE', path: `${space}/configmaps?labelSelector=none`, body: background },
  { name: 'delete-custom', method: 'DELETE', path: '/apis/stable.example.com/v1/namespaces/audited/crontabs/nightly', body: background },
  {
    name: 'delete-role-binding',
    method: 'DELETE',
    path: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/dev-views',
    body: background,
  },
]
