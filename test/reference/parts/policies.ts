/** Admission policies: expressions, actions, parameters, matching; each on objects with a label of their own. */
import { type Call, type Part, type Scene, send } from '../exchange.ts'

const api = '/apis/admissionregistration.k8s.io/v1'
const policies = `${api}/validatingadmissionpolicies`
const bindings = `${api}/validatingadmissionpolicybindings`
const maps = '/api/v1/namespaces/default/configmaps'

const only = (label: string) => ({ matchLabels: { suite: label } })
const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] }]

const expressions: readonly string[] = [
  ...[
    'true',
    'false',
    'object.data.a == "1"',
    'has(object.data)',
    'object.metadata.name.startsWith("x")',
    'oldObject == null',
    'request.operation == "CREATE"',
    'request.userInfo.username == "admin"',
    'namespaceObject.metadata.name == "default"',
  ],
  ...[
    'params.data.limit == "1"',
    'variables.x == 1',
    'object.nothing == 1',
    'object.',
    '1',
    '"x"',
    'size(object.data) < 1',
    'object.data.all(k, k.size() < 5)',
    'authorizer.group("").resource("pods").check("get").allowed()',
  ],
  ...[
    'request.resource.resource == "configmaps"',
    'object.metadata.labels["suite"] != ""',
    '[1, 2, 3].sum() == 6',
    'quantity("1Gi").isGreaterThan(quantity("1Mi"))',
    'url("https://x/y").getHost() == "x"',
    'ip("192.0.2.1").family() == 4',
    '"a,b".split(",").size() == 2',
  ],
  ...[
    'isSemver("1.0.0")',
    'optional.of(1).hasValue()',
    'format.dns1123Label().validate("A").hasValue()',
    '1 / 0 == 1',
    'object.data["none"] == "x"',
    'cidr("192.0.2.0/24").containsIP("192.0.2.1")',
    'dyn(1) == "1"',
    'timestamp("2026-01-01T00:00:00Z").getFullYear() == 2026',
  ],
]

const policy = (name: string, spec: object) => ({
  kind: 'ValidatingAdmissionPolicy',
  apiVersion: 'admissionregistration.k8s.io/v1',
  metadata: { name },
  spec: { matchConstraints: { resourceRules: rules, objectSelector: only(name) }, ...spec },
})
const binding = (name: string, spec: object = {}) => ({
  kind: 'ValidatingAdmissionPolicyBinding',
  apiVersion: 'admissionregistration.k8s.io/v1',
  metadata: { name },
  spec: { policyName: name, validationActions: ['Deny'], ...spec },
})
const map = (name: string) => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'policed', labels: { suite: name } },
  data: { a: '1' },
})

/** A policy with its binding, by name. */
interface Policed {
  readonly name: string
  readonly spec: object
  readonly bound: object
}

const makes = ({ name, spec, bound }: Policed): Call[] => [
  send('POST', policies, policy(name, spec)),
  send('POST', bindings, binding(name, bound)),
]
const removes = ({ name }: Policed): Call[] => [bindings, policies].map((path) => ({ method: 'DELETE', path: `${path}/${name}` }))

const sceneOf = ({ name, spec, bound }: Policed): Scene => ({
  kind: 'validatingadmissionpolicies',
  at: `${name} ${JSON.stringify(spec)} ${JSON.stringify(bound)}`,
  calls: [
    send('POST', `${policies}?dryRun=All`, policy(`${name}-dry`, spec)),
    send('POST', `${bindings}?dryRun=All`, binding(`${name}-dry`, bound)),
    send('POST', `${maps}?dryRun=All`, map(name)),
    send('POST', `${maps}?dryRun=All`, { ...map(name), data: { a: '2' } }),
    send('POST', `${maps}?dryRun=All&fieldValidation=Strict`, { ...map(name), data: {} }),
  ],
})

function* all(): Generator<Policed> {
  for (const [index, expression] of expressions.entries())
    yield { name: `expression-${index}`, spec: { validations: [{ expression }] }, bound: {} }
  for (const [index, [spec, bound]] of details.entries()) yield { name: `detail-${index}`, spec, bound }
}

const fails = { expression: 'false' }
const details: readonly (readonly [object, object])[] = [
  [{ validations: [{ ...fails, message: 'no' }] }, {}],
  [{ validations: [{ ...fails, messageExpression: '"no " + object.metadata.name' }] }, {}],
  [{ validations: [{ ...fails, messageExpression: 'object.nothing' }] }, {}],
  [{ validations: [{ ...fails, reason: 'Forbidden' }] }, {}],
  [
    {
      validations: [
        { ...fails, reason: 'Unauthorized' },
        { ...fails, reason: 'RequestEntityTooLarge', message: 'b' },
      ],
    },
    {},
  ],
  [{ validations: [fails] }, { validationActions: ['Warn'] }],
  [{ validations: [fails] }, { validationActions: ['Audit'] }],
  [{ validations: [fails] }, { validationActions: ['Warn', 'Audit'] }],
  [{ validations: [{ expression: 'object.nothing == 1' }], failurePolicy: 'Ignore' }, {}],
  [{ validations: [{ expression: 'variables.a' }], variables: [{ name: 'a', expression: 'object.data.a == "1"' }] }, {}],
  [{ validations: [fails], matchConditions: [{ name: 'one', expression: 'object.data.a == "1"' }] }, {}],
  [
    { validations: [{ expression: 'params.data.a == "1"' }], paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } },
    { paramRef: { name: 'none', namespace: 'default', parameterNotFoundAction: 'Deny' } },
  ],
  [
    { validations: [{ expression: 'params.data.a == "1"' }], paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } },
    { paramRef: { name: 'none', namespace: 'default', parameterNotFoundAction: 'Allow' } },
  ],
  [
    { validations: [{ expression: 'params.data.a == "1"' }], paramKind: { apiVersion: 'v1', kind: 'Nothing' } },
    { paramRef: { name: 'none', parameterNotFoundAction: 'Deny' } },
  ],
  [{ validations: [fails] }, { matchResources: { namespaceSelector: { matchLabels: { none: 'x' } } } }],
  [{ auditAnnotations: [{ key: 'a', valueExpression: '"x"' }] }, {}],
]
/** When this one is enforced, so are those that were written before it. */
const last: Policed = { name: 'last', spec: { validations: [fails] }, bound: {} }

export const admissionPolicies: Part = {
  name: 'policies',
  small: true,
  before: () => [
    ...[...all(), last].flatMap(removes),
    ...[...all(), last].flatMap(makes),
    { ...send('POST', `${maps}?dryRun=All`, map(last.name)), until: 422 },
  ],
  scenes: () => [...all()].map(sceneOf),
  after: () => [...all(), last].flatMap(removes),
}
