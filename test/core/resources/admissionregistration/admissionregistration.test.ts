import { startServer, tables } from '../support.ts'

const label1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
const undeclared = (expression: string, name: string, column: number) =>
  `compilation failed: ERROR: <input>:1:${column}: undeclared reference to '${name}' (in container '')\n | ${expression}\n | ${'.'.repeat(column - 1)}^`
const client = startServer()
const apiVersion = 'admissionregistration.k8s.io/v1'
const path = (plural: string) => `/apis/${apiVersion}/${plural}`
const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }
const webhook = {
  name: 'check.example.com',
  clientConfig: { service: { namespace: 'default', name: 'hook' } },
  rules: [rule],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
}
const base = { apiVersion, metadata: { name: 'c' } }

tables(
  client,
  { path: path('validatingwebhookconfigurations'), manifest: { ...base, kind: 'ValidatingWebhookConfiguration', webhooks: [webhook] } },
  {
    stored: [
      [
        'all defaults',
        {},
        {
          metadata: { generation: 1 },
          webhooks: [
            {
              failurePolicy: 'Fail',
              matchPolicy: 'Equivalent',
              namespaceSelector: {},
              objectSelector: {},
              timeoutSeconds: 10,
              clientConfig: { service: { port: 443 } },
              rules: [{ scope: '*' }],
              reinvocationPolicy: undefined,
            },
          ],
        },
      ],
    ],
    refused: [
      [
        'short name',
        { 'webhooks.0.name': 'check' },
        ['webhooks[0].name: Invalid value: "check": should be a domain with at least three segments separated by dots'],
      ],
      ['duplicate name', { webhooks: [webhook, webhook] }, ['webhooks[1].name: Duplicate value: "check.example.com"']],
      [
        'neither URL nor service',
        { 'webhooks.0.clientConfig': {} },
        ['webhooks[0].clientConfig: Required value: exactly one of url or service is required'],
      ],
      [
        'http URL',
        { 'webhooks.0.clientConfig': { url: 'http://x.example.com' } },
        [
          'webhooks[0].clientConfig.url: Invalid value: "http": \'https\' is the only allowed URL scheme; desired format: https://host[/path]',
        ],
      ],
      [
        'query',
        { 'webhooks.0.clientConfig': { url: 'https://x.example.com/a?b=c' } },
        ['webhooks[0].clientConfig.url: Invalid value: "b=c": query parameters are not permitted in the URL'],
      ],
      [
        'a service without namespace, whose error names the other field',
        { 'webhooks.0.clientConfig.service.namespace': '' },
        ['webhooks[0].clientConfig.service.name: Required value'],
      ],
      [
        'a service without name',
        { 'webhooks.0.clientConfig.service.name': '' },
        ['webhooks[0].clientConfig.service.namespace: Required value'],
      ],
      [
        'relative path',
        { 'webhooks.0.clientConfig.service.path': 'a' },
        [
          'webhooks[0].clientConfig.service.path: Invalid value: "a": must start with a \'/\'',
          'webhooks[0].clientConfig.service.path: Invalid value: "a": segment[0] may not be empty',
        ],
      ],
      [
        'no side effects given',
        { 'webhooks.0.sideEffects': undefined },
        ['webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun'],
      ],
      [
        'side effects',
        { 'webhooks.0.sideEffects': 'Some' },
        ['webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"'],
      ],
      [
        'timeout out of range',
        { 'webhooks.0.timeoutSeconds': 31 },
        ['webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds'],
      ],
      [
        'no review versions',
        { 'webhooks.0.admissionReviewVersions': [] },
        ['webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1'],
      ],
      [
        'unknown review versions',
        { 'webhooks.0.admissionReviewVersions': ['v7'] },
        ['webhooks[0].admissionReviewVersions: Invalid value: ["v7"]: must include at least one of v1, v1beta1'],
      ],
      [
        'empty rule',
        { 'webhooks.0.rules': [{}] },
        ['operations', 'apiGroups', 'apiVersions', 'resources'].map((name) => `webhooks[0].rules[0].${name}: Required value`),
      ],
      [
        'wildcards together with names',
        { 'webhooks.0.rules': [{ ...rule, operations: ['*', 'CREATE'], resources: ['*/*', 'pods'] }] },
        [
          'webhooks[0].rules[0].operations: Invalid value: ["*","CREATE"]: if \'*\' is present, must not specify other operations',
          'webhooks[0].rules[0].resources: Invalid value: ["*/*","pods"]: if \'*/*\' is present, must not specify other resources',
        ],
      ],
      [
        'condition without expression',
        { 'webhooks.0.matchConditions': [{ name: 'c', expression: '' }] },
        ['webhooks[0].matchConditions[0].expression: Required value'],
      ],
    ],
  },
)

tables(
  client,
  { path: path('mutatingwebhookconfigurations'), manifest: { ...base, kind: 'MutatingWebhookConfiguration', webhooks: [webhook] } },
  {
    stored: [['reinvocation', {}, { webhooks: [{ reinvocationPolicy: 'Never', failurePolicy: 'Fail', timeoutSeconds: 10 }] }]],
    refused: [
      [
        'a match condition that uses variables unknown to webhooks',
        { 'webhooks.0.matchConditions': [{ name: 'c', expression: 'params == null' }] },
        [`webhooks[0].matchConditions[0].expression: Invalid value: "params == null": ${undeclared('params == null', 'params', 1)}`],
      ],
      [
        'unknown reinvocation',
        { 'webhooks.0.reinvocationPolicy': 'Maybe' },
        ['webhooks[0].reinvocationPolicy: Unsupported value: "Maybe": supported values: "IfNeeded", "Never"'],
      ],
    ],
  },
)

const spec = { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'true' }] }
tables(
  client,
  { path: path('validatingadmissionpolicies'), manifest: { ...base, kind: 'ValidatingAdmissionPolicy', spec } },
  {
    stored: [
      [
        'all defaults',
        {},
        {
          spec: {
            failurePolicy: 'Fail',
            matchConstraints: { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {}, resourceRules: [{ scope: '*' }] },
          },
        },
      ],
    ],
    refused: [
      ['no constraints', { 'spec.matchConstraints': undefined }, ['spec.matchConstraints: Required value']],
      [
        'no validations',
        { 'spec.validations': [] },
        ['validations', 'auditAnnotations'].map(
          (name) => `spec.${name}: Required value: validations or auditAnnotations must contain at least one item`,
        ),
      ],
      [
        'empty expression',
        { 'spec.validations.0.expression': ' ' },
        ['spec.validations[0].expression: Required value: expression is not specified'],
      ],
      [
        'multi-line message',
        { 'spec.validations.0.message': 'a\nb' },
        ['spec.validations[0].message: Invalid value: "a\\nb": must not contain line breaks'],
      ],
      [
        'parameters of a kind that is not allowed',
        { 'spec.paramKind': { apiVersion: 'a/b/c', kind: 'My Kind' } },
        [
          'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
          `spec.paramKind.kind: Invalid value: "My Kind": may have mixed case, but should otherwise match: ${label1035}`,
        ],
      ],
      [
        'parameters without a version',
        { 'spec.paramKind': { apiVersion: 'a.io/', kind: 'Kind' } },
        ['spec.paramKind.apiVersion: Invalid value: "a.io/": version must be specified'],
      ],
      [
        'duplicate condition',
        {
          'spec.matchConditions': [
            { name: 'a', expression: 'true' },
            { name: 'a', expression: 'true' },
          ],
        },
        ['spec.matchConditions[1].name: Duplicate value: "a"'],
      ],
      [
        'too many conditions',
        { 'spec.matchConditions': Array.from({ length: 65 }, (_, i) => ({ name: `c${i}`, expression: 'true' })) },
        ['spec.matchConditions: Too many: 65: must have at most 64 items'],
      ],
      [
        'duplicate annotation',
        {
          'spec.auditAnnotations': [
            { key: 'a', valueExpression: "''" },
            { key: 'a', valueExpression: "''" },
          ],
        },
        ['spec.auditAnnotations[1].key: Duplicate value: "a"'],
      ],
      [
        'a reason that policies have not',
        { 'spec.validations': [{ expression: 'true', reason: 'Unauthorized' }] },
        [
          'spec.validations[0].reason: Unsupported value: "Unauthorized": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
        ],
      ],
      [
        'bad variable',
        { 'spec.variables': [{ name: '1x', expression: '1' }] },
        ['spec.variables[0].name: Invalid value: "1x": must be a valid CEL identifier'],
      ],
      [
        'a variable named like a CEL keyword',
        { 'spec.variables': [{ name: 'loop', expression: '1' }] },
        ['spec.variables[0].name: Invalid value: "loop": must be a valid CEL identifier'],
      ],
      [
        'expressions that do not compile',
        {
          'spec.matchConditions': [{ name: 'c', expression: ' variables.a ' }],
          'spec.variables': [{ name: 'a', expression: 'params.x' }],
          'spec.validations': [
            { expression: 'variables.b', messageExpression: 'authorizer.path(request.name).check("get").reason()' },
            { expression: '1', messageExpression: ' ' },
          ],
          'spec.auditAnnotations': [{ key: 'k', valueExpression: '1' }],
        },
        [
          `spec.matchConditions[0].expression: Invalid value: "variables.a": ${undeclared('variables.a', 'variables', 1)}`,
          `spec.variables[0].expression: Invalid value: "params.x": ${undeclared('params.x', 'params', 1)}`,
          'spec.validations[0].expression: Invalid value: "variables.b": compilation failed: ERROR: <input>:1:10: undefined field \'b\'\n | variables.b\n | .........^',
          `spec.validations[0].messageExpression: Invalid value: "authorizer.path(request.name).check(\\"get\\").reason()": ${undeclared('authorizer.path(request.name).check("get").reason()', 'authorizer', 1)}`,
          'spec.validations[1].expression: Invalid value: "1": must evaluate to bool but got int',
          'spec.validations[1].messageExpression: Invalid value: " ": must be non-empty if specified',
          'spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
        ],
      ],
    ],
  },
)

tables(
  client,
  {
    path: path('validatingadmissionpolicybindings'),
    manifest: { ...base, kind: 'ValidatingAdmissionPolicyBinding', spec: { policyName: 'p', validationActions: ['Deny'] } },
  },
  {
    refused: [
      ['no action without parameters', { 'spec.paramRef': { name: 'x' } }, ['spec.paramRef.parameterNotFoundAction: Required value']],
      ['no policy', { 'spec.policyName': undefined }, ['spec.policyName: Required value']],
      [
        'no action',
        { 'spec.validationActions': [] },
        ['spec.validationActions: Required value: at least one validation action is required'],
      ],
      [
        'both warn and deny',
        { 'spec.validationActions': ['Deny', 'Warn'] },
        [
          'spec.validationActions: Invalid value: ["Deny","Warn"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
        ],
      ],
      [
        'parameters by name and selector',
        { 'spec.paramRef': { name: 'x', selector: {}, parameterNotFoundAction: 'Deny' } },
        ['name', 'selector'].map((name) => `spec.paramRef.${name}: Forbidden: name and selector are mutually exclusive`),
      ],
    ],
  },
)

const mutation = { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }
const mutating = { matchConstraints: { resourceRules: [rule] }, reinvocationPolicy: 'Never', mutations: [mutation] }
tables(
  client,
  { path: path('mutatingadmissionpolicies'), manifest: { ...base, kind: 'MutatingAdmissionPolicy', spec: mutating } },
  {
    stored: [['all defaults', {}, { spec: { failurePolicy: 'Fail' } }]],
    refused: [
      [
        'apply configuration that is no object',
        { 'spec.mutations.0.applyConfiguration.expression': "{'a': 1}" },
        ['spec.mutations[0].applyConfiguration.expression: Invalid value: "{\'a\': 1}": must evaluate to Object but got map(string, int)'],
      ],
      [
        'no patch',
        { 'spec.mutations.0': { patchType: 'JSONPatch', jsonPatch: { expression: "['a']" } } },
        ['spec.mutations[0].jsonPatch.expression: Invalid value: "[\'a\']": must evaluate to list(JSONPatch) but got list(string)'],
      ],
    ],
  },
)
