import { startServer, tables } from '../support.ts'

const client = startServer()
const group = 'rbac.authorization.k8s.io'
const apiVersion = `${group}/v1`
const rule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }

tables(
  client,
  {
    path: `/apis/${apiVersion}/namespaces/default/roles`,
    manifest: { apiVersion, kind: 'Role', metadata: { name: 'system:reader' }, rules: [rule] },
  },
  {
    stored: [['no rules', { rules: undefined }, { rules: null }]],
    refused: [
      [
        'empty rule',
        { rules: [{}] },
        [
          'rules[0].verbs: Required value: verbs must contain at least one value',
          'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
          'rules[0].resources: Required value: resource rules must supply at least one resource',
        ],
      ],
      [
        'nonResourceURLs in a namespaced role',
        { rules: [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }] },
        ['rules[0].nonResourceURLs: Invalid value: ["/healthz"]: namespaced rules cannot apply to non-resource URLs'],
      ],
      ['slash in the name', { 'metadata.name': 'a/b' }, ['metadata.name: Invalid value: "a/b": may not contain \'/\'']],
    ],
  },
)

tables(
  client,
  { path: `/apis/${apiVersion}/clusterroles`, manifest: { apiVersion, kind: 'ClusterRole', metadata: { name: 'reader' }, rules: [rule] } },
  {
    stored: [['paths', { rules: [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }] }, { rules: [{ nonResourceURLs: ['/healthz'] }] }]],
    refused: [
      [
        'nonResourceURLs and resources',
        { rules: [{ ...rule, nonResourceURLs: ['/x'] }] },
        ['rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs'],
      ],
      [
        'aggregation rule without selectors',
        { aggregationRule: {} },
        ['aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil'],
      ],
      [
        'bad selector',
        { 'aggregationRule.clusterRoleSelectors': [{ matchExpressions: [{ key: 'a', operator: 'Exists', values: ['x'] }] }] },
        [
          "aggregationRule.clusterRoleSelectors[0].matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
          'aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.',
        ],
      ],
    ],
  },
)

const subjects = [
  { kind: 'User', name: 'ada' },
  { kind: 'ServiceAccount', name: 'robot', namespace: 'default' },
]
const roleRef = { kind: 'ClusterRole', name: 'view' }
tables(
  client,
  {
    path: `/apis/${apiVersion}/namespaces/default/rolebindings`,
    manifest: { apiVersion, kind: 'RoleBinding', metadata: { name: 'b' }, subjects, roleRef },
  },
  {
    stored: [['groups of the API', {}, { roleRef: { apiGroup: group }, subjects: [{ apiGroup: group }, { apiGroup: undefined }] }]],
    refused: [
      [
        'roleRef of another kind',
        { 'roleRef.kind': 'Pod' },
        ['roleRef.kind: Unsupported value: "Pod": supported values: "Role", "ClusterRole"'],
      ],
      ['no role name', { 'roleRef.name': undefined }, ['roleRef.name: Required value']],
      ['other group', { 'roleRef.apiGroup': 'x.io' }, [`roleRef.apiGroup: Unsupported value: "x.io": supported values: "${group}"`]],
      [
        'unknown subject',
        { subjects: [{ kind: 'Robot', name: 'r' }] },
        ['subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"'],
      ],
      ['nameless subject', { subjects: [{ kind: 'User' }] }, ['subjects[0].name: Required value']],
    ],
    updates: [
      ['subjects', { subjects: [] }, []],
      [
        'role',
        { 'roleRef.name': 'edit' },
        [`roleRef: Invalid value: {"APIGroup":"${group}","Kind":"ClusterRole","Name":"edit"}: cannot change roleRef`],
      ],
    ],
  },
)

tables(
  client,
  {
    path: `/apis/${apiVersion}/clusterrolebindings`,
    manifest: { apiVersion, kind: 'ClusterRoleBinding', metadata: { name: 'b' }, subjects, roleRef },
  },
  {
    refused: [
      ['namespaced role', { 'roleRef.kind': 'Role' }, ['roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"']],
      ['account without namespace', { subjects: [{ kind: 'ServiceAccount', name: 'x' }] }, ['subjects[0].namespace: Required value']],
    ],
  },
)
