/**
 * Facts about validation that the tables of the reference's own tests led to: inputs of those tables were sent to both servers, and
 * where the answers differed, the reference's verdict on an input of ours stands here.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPlatform } from '../../../core/platform.ts'
import { bind } from '../../../core/resources/bind.ts'
import { builtInResources } from '../../../core/resources/group-versions.ts'
import { titleOf } from '../../reference/kinds.ts'
import { collectionPath, minimalObject } from '../../support/minimal-objects.ts'
import { causesOf, type Manifest, startServer, withChanges } from './support.ts'

const client = startServer()
const platform = createPlatform('platform')
const kinds = new Map(builtInResources.map((row) => bind(row, platform)).map((definition) => [titleOf(definition), definition]))

type Changes = { readonly [path: string]: unknown }

function changed(kind: string, changes: Changes) {
  const definition = kinds.get(kind)
  assert.ok(definition, kind)
  const object = withChanges(minimalObject(definition) as Manifest & { metadata: Manifest }, changes)
  return { path: collectionPath(definition), object }
}

const group = 'admissionregistration.k8s.io/v1'
const validating = `validatingadmissionpolicies.${group}`
const binding = (mutating: string) => `${mutating}admissionpolicybindings.${group}`
const badSelector = { matchLabels: { 'a b': 'x' } }
const qualified =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const exclusive = 'name and selector are mutually exclusive'
const https = '; desired format: https://host[/path]'
const url = (text: string) => ({ 'webhooks.0.clientConfig': { url: text } })
const urlAt = 'webhooks[0].clientConfig.url'

/** All causes of the refusal, in order; none: accepted. */
const creates: readonly (readonly [title: string, kind: string, changes: Changes, causes: readonly string[]])[] = [
  [
    'the match policy of a mutating binding',
    binding('mutating'),
    { 'spec.matchResources': { matchPolicy: 'Bad' } },
    ['spec.matchResources.matchPolicy: Unsupported value: "Bad": supported values: "Equivalent", "Exact"'],
  ],
  ...['mutating', 'validating'].map(
    (which) =>
      [
        `a name and a bad selector of parameters of a ${which} binding`,
        binding(which),
        { 'spec.paramRef': { name: 'x', selector: badSelector, parameterNotFoundAction: 'Deny' } },
        [
          `spec.paramRef.name: Forbidden: ${exclusive}`,
          `spec.paramRef.selector.matchLabels: Invalid value: "a b": ${qualified}`,
          `spec.paramRef.selector: Forbidden: ${exclusive}`,
        ],
      ] as const,
  ),
  [
    'the scope of a rule behind its other parts',
    validating,
    { 'spec.matchConstraints.excludeResourceRules': [{ scope: '', resourceNames: ['a', 'a'] }] },
    [
      'spec.matchConstraints.excludeResourceRules[0].resourceNames[1]: Duplicate value: "a"',
      ...['operations', 'apiGroups', 'apiVersions', 'resources'].map(
        (name) => `spec.matchConstraints.excludeResourceRules[0].${name}: Required value`,
      ),
      'spec.matchConstraints.excludeResourceRules[0].scope: Unsupported value: "": supported values: "*", "Cluster", "Namespaced"',
    ],
  ],
  [
    'missing constraints before the names of variables',
    validating,
    { 'spec.matchConstraints': undefined, 'spec.variables': [{ name: ' ', expression: 'true' }] },
    ['spec.matchConstraints: Required value', 'spec.variables[0].name: Required value: name is not specified'],
  ],
  ...(
    [
      ['https:///x', [`Invalid value: "": host must be specified${https}`]],
      ['https:x', [`Invalid value: "": host must be specified${https}`]],
      ['//h/x', [`Invalid value: "": 'https' is the only allowed URL scheme${https}`]],
      ['a:b', [`Invalid value: "a": 'https' is the only allowed URL scheme${https}`, `Invalid value: "": host must be specified${https}`]],
      ['https://a b/x', [`Required value: url must be a valid URL: parse "https://a b/x": invalid character " " in host name${https}`]],
      ['HTTPS://a/x', []],
      ['https://:80/x', []],
    ] as const
  ).map(
    ([text, problems]) =>
      [
        `the URL ${text} of a webhook`,
        `mutatingwebhookconfigurations.${group}`,
        url(text),
        problems.map((each) => `${urlAt}: ${each}`),
      ] as const,
  ),
  [
    'a webhook without its service',
    `mutatingwebhookconfigurations.${group}`,
    { 'webhooks.0.clientConfig': { service: { name: '', namespace: '' } } },
    ['name', 'namespace'].map((name) => `webhooks[0].clientConfig.service.${name}: Required value`),
  ],
  ...[
    { name: 'x', namespace: '' },
    { name: '', namespace: 'x' },
  ].map(
    (service) =>
      [
        `a webhook with a service of ${JSON.stringify(service)}, where kube-apiserver names the other field`,
        `mutatingwebhookconfigurations.${group}`,
        { 'webhooks.0.clientConfig': { service } },
        [`webhooks[0].clientConfig.service.${service.name === '' ? 'namespace' : 'name'}: Required value`],
      ] as const,
  ),
  [
    'a match policy before the rules of a binding',
    `validatingadmissionpolicybindings.${group}`,
    { 'spec.matchResources': { matchPolicy: 'Bad', resourceRules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'] }] } },
    [
      'spec.matchResources.matchPolicy: Unsupported value: "Bad": supported values: "Equivalent", "Exact"',
      'spec.matchResources.resourceRules[0].resources: Required value',
    ],
  ],
  [
    'the bytes of a CA bundle as numbers',
    `mutatingwebhookconfigurations.${group}`,
    { 'webhooks.0.clientConfig': { url: 'https://a/', caBundle: [] } },
    [],
  ],
  [
    'the names of pod resources that are supported',
    'pods',
    { 'spec.resources': { requests: { storage: '1' } } },
    ['spec.resources.requests[storage]: Unsupported value: "storage": supported values: "cpu", "hugepages-", "memory"'],
  ],
  [
    'pod resources on Windows alone',
    'pods',
    { 'spec.os': { name: 'windows' }, 'spec.resources': { requests: { storage: '1' } } },
    ['spec.resources: Forbidden: may not be set for a windows pod'],
  ],
  [
    'a field label with a subscript',
    'pods',
    { 'spec.containers.0.env': [{ name: 'A', valueFrom: { fieldRef: { fieldPath: "metadata.name['key']" } } }] },
    [
      `spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "metadata.name['key']": error converting fieldPath: field label does not support subscript: metadata.name['key']`,
    ],
  ],
  [
    'both sources of a claim',
    'persistentvolumeclaims',
    {
      'spec.dataSource': { kind: 'PersistentVolumeClaim', name: 'a' },
      'spec.dataSourceRef': { kind: 'PersistentVolumeClaim', name: 'b' },
    },
    ['spec: Invalid value: {}: must match dataSourceRef'],
  ],
  [
    'a recycled path that leads to the root',
    'persistentvolumes',
    {
      'spec.hostPath': { path: '/a/..' },
      'spec.nfs': undefined,
      'spec.csi': undefined,
      'spec.persistentVolumeReclaimPolicy': 'Recycle',
    },
    [
      'spec.hostPath.path: Invalid value: "/a/..": must not contain \'..\'',
      "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'",
    ],
  ],
  [
    'swap space of a node',
    'nodes',
    { 'status.nodeInfo': { swap: { capacity: 0 } } },
    ['metadata.nodeSwapStatus.capacity: Invalid value: 0: must be greater than zero'],
  ],
  [
    'a time zone that is Local in capitals',
    'cronjobs.batch/v1',
    { 'spec.timeZone': 'LOCAL' },
    [
      'spec.timeZone: Invalid value: "LOCAL": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
      'spec.timeZone: Invalid value: "LOCAL": unknown time zone LOCAL',
    ],
  ],
  [
    'empty registry credentials',
    'secrets',
    { type: 'kubernetes.io/dockercfg', data: { '.dockercfg': '' } },
    ['data[.dockercfg]: Invalid value: "<secret contents redacted>": unexpected end of JSON input'],
  ],
  [
    'the member of a subject before those of other kinds',
    'flowschemas.flowcontrol.apiserver.k8s.io/v1',
    {
      'spec.rules': [
        {
          subjects: [{ kind: 'ServiceAccount', user: { name: 'a' } }],
          nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
        },
      ],
    },
    [
      "spec.rules[0].subjects[0].serviceAccount: Required value: serviceAccount is required when subject kind is 'ServiceAccount'",
      "spec.rules[0].subjects[0].user: Forbidden: user is forbidden when subject kind is not 'User'",
    ],
  ],
  [
    'the annotation by which levels pass through a former version',
    'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io/v1',
    { 'metadata.annotations': { 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares': '' } },
    ["metadata.annotations: Forbidden: annotation 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares' is forbidden"],
  ],
]

for (const [title, kind, changes, causes] of creates)
  test(`${causes.length > 0 ? 'refuses' : 'accepts'} ${title}`, async () => {
    const { path, object } = changed(kind, changes)
    const answer = await (await client).send('POST', `${path}?dryRun=All`, object)
    assert.equal(answer.code, causes.length > 0 ? 422 : 201, JSON.stringify(answer.body))
    assert.deepEqual(causesOf(answer), causes)
  })

const term = (key: string) => ({ nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: ['a'] }] }] })

/** What a second write changes, with all causes of its refusal. */
const updates: readonly (readonly [title: string, kind: string, made: Changes, change: Changes, causes: readonly string[]])[] = [
  [
    'a label of a volume that has left beta',
    'persistentvolumes',
    { 'spec.nodeAffinity': { required: term('failure-domain.beta.kubernetes.io/zone') } },
    { 'spec.nodeAffinity': { required: term('topology.kubernetes.io/zone') } },
    [],
  ],
  [
    'the type of a secret before what the new one needs',
    'secrets',
    {},
    { type: 'kubernetes.io/tls' },
    ['type: Invalid value: "kubernetes.io/tls": field is immutable', 'data[tls.crt]: Required value', 'data[tls.key]: Required value'],
  ],
  [
    'a node selector that is gone',
    'pods',
    { 'spec.schedulingGates': [{ name: 'g' }], 'spec.nodeSelector': { a: 'b' } },
    { 'spec.nodeSelector': undefined },
    ['spec.nodeSelector: Invalid value: null: only additions to spec.nodeSelector are allowed (no mutations or deletions)'],
  ],
]

for (const [index, [title, kind, made, change, causes]] of updates.entries())
  test(`${causes.length > 0 ? 'refuses' : 'accepts'} a change of ${title}`, async () => {
    const { send } = await client
    const name = `changed-${index}`
    const { path, object } = changed(kind, { 'metadata.name': name, ...made })
    const first = await send('POST', path, object)
    assert.equal(first.code, 201, JSON.stringify(first.body))
    const answer = await send('PUT', `${path}/${name}?dryRun=All`, withChanges(object, change))
    assert.equal(answer.code, causes.length > 0 ? 422 : 200, JSON.stringify(answer.body))
    assert.deepEqual(causesOf(answer), causes)
  })

test('the status of a validating policy is validated', async () => {
  const { send } = await client
  const { path, object } = changed(validating, { 'metadata.name': 'reported' })
  const { body } = await send('POST', path, object)
  const condition = {
    type: 'T',
    status: 'Bad',
    observedGeneration: -1,
    reason: 'R',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }
  const status = { conditions: [condition], typeChecking: { expressionWarnings: [{ fieldRef: ' ', warning: '' }] } }
  const answer = await send('PUT', `${path}/reported/status`, { ...body, status })
  assert.deepEqual(causesOf(answer), [
    'status.typeChecking.expressionWarnings[0].warning: Required value',
    'status.typeChecking.expressionWarnings[0].fieldRef: Required value',
    'status.conditions[0].status: Unsupported value: "Bad": supported values: "False", "True", "Unknown"',
    'status.conditions[0].observedGeneration: Invalid value: -1: must be greater than or equal to zero',
  ])
})

test('a pod may bring its QoS class, which the server computes otherwise', async () => {
  const { path, object } = changed('pods', { 'metadata.name': 'classed', status: { qosClass: 'Guaranteed', phase: 'Running' } })
  const { body } = await (await client).send('POST', `${path}?dryRun=All`, object)
  assert.deepEqual(body['status'], { phase: 'Pending', qosClass: 'Guaranteed' })
})
