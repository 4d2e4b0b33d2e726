/** Answers that were compared with the reference's (test/reference), and that its bounded run does not hold. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCore } from '../../support/core-server.ts'
import { watchAt } from '../../support/watch-reader.ts'
import { causesOf, type Manifest, startServer } from './support.ts'

const client = startServer()

const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const inline = 'in the context of inline volumes'
const unset = '0001-01-01T00:00:00Z'
const definition = (schema: Manifest) => ({
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    names: { kind: 'Widget', plural: 'widgets' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
})
const schemaAt = 'spec.validation.openAPIV3Schema'
const keepsUnknown = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const embedded = [`${schemaAt}.default.apiVersion: Required value`, `${schemaAt}.default.kind: Required value`]
const attachment = (spec: Manifest) => ({
  metadata: { name: 'a' },
  spec: { attacher: 'example.com', nodeName: 'n', source: { inlineVolumeSpec: spec } },
})
const event = (fields: Manifest) => ({
  metadata: { name: 'e' },
  eventTime: '2026-01-01T00:00:00.000000Z',
  reportingController: 'example.com/any',
  reportingInstance: 'any',
  action: 'Any',
  reason: 'Any',
  type: 'Normal',
  regarding: { namespace: 'default' },
  ...fields,
})
const policy = (validation: Manifest) => ({
  metadata: { name: 'p' },
  spec: {
    matchConstraints: { resourceRules: [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] }] },
    validations: [validation],
  },
})
const slice = (device: Manifest) => ({
  metadata: { name: 's' },
  spec: {
    driver: 'any.example.com',
    nodeName: 'any',
    pool: { name: 'pool', generation: 1, resourceSliceCount: 1 },
    devices: [{ name: 'one', ...device }],
  },
})
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const attachments = '/apis/storage.k8s.io/v1/volumeattachments'
const events = '/apis/events.k8s.io/v1/namespaces/default/events'
const slices = '/apis/resource.k8s.io/v1/resourceslices'
const longKey = 'x'.repeat(300)

const refused: readonly (readonly [title: string, path: string, body: object, causes: readonly string[]])[] = [
  [
    'a signer name without domain',
    '/apis/certificates.k8s.io/v1beta1/clustertrustbundles',
    { metadata: { name: ':x:a' }, spec: { signerName: '/x', trustBundle: 'x' } },
    [
      `spec.signerName: Invalid value: "": validating label "": ${label}`,
      'spec.signerName: Invalid value: "": should be a domain with at least two segments separated by dots',
    ],
  ],
  [
    'the host of a domain-prefixed path',
    '/apis/networking.k8s.io/v1/ingressclasses',
    { metadata: { name: 'c' }, spec: { controller: '../x' } },
    [`spec.controller: Invalid value: "..": ${subdomain}`],
  ],
  [
    'an inline volume with fields of persistent volumes',
    attachments,
    attachment({
      capacity: { storage: '1Gi' },
      claimRef: { name: 'c' },
      accessModes: [null],
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: 'c',
      volumeMode: 'Block',
    }),
    [
      `spec.source.inlineVolumeSpec.claimRef: Forbidden: may not be specified ${inline}`,
      `spec.source.inlineVolumeSpec.capacity: Forbidden: may not be specified ${inline}`,
      `spec.source.inlineVolumeSpec.csi: Required value: has to be specified ${inline}`,
      'spec.source.inlineVolumeSpec.accessModes: Unsupported value: "": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      `spec.source.inlineVolumeSpec.persistentVolumeReclaimPolicy: Forbidden: may only be Retain ${inline}`,
      'spec.source.inlineVolumeSpec: Required value: must specify a volume type',
      `spec.source.inlineVolumeSpec.storageClassName: Forbidden: may not be specified ${inline}`,
      `spec.source.inlineVolumeSpec.volumeMode: Forbidden: may not specify volumeMode other than Filesystem ${inline}`,
    ],
  ],
  [
    'deprecated times that are set to the unset time',
    events,
    event({ deprecatedFirstTimestamp: unset, deprecatedLastTimestamp: unset }),
    ['firstTimestamp: Invalid value: "": needs to be unset', 'lastTimestamp: Invalid value: "": needs to be unset'],
  ],
  [
    'a selector of scopes, as Go shows it',
    '/api/v1/namespaces/default/resourcequotas',
    {
      metadata: { name: 'q' },
      spec: { hard: { pods: '1' }, scopeSelector: { matchExpressions: [{ operator: 'Exists', scopeName: 'VolumeAttributesClass' }] } },
    },
    [
      'spec.scopeSelector.matchExpressions: Invalid value: {"MatchExpressions":[{"ScopeName":"VolumeAttributesClass","Operator":"Exists","Values":null}]}: unsupported scope applied to resource',
    ],
  ],
  [
    'the name of a policy before its parameters',
    '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings',
    { metadata: { name: 'b' }, spec: { paramRef: {} } },
    [
      'spec.policyName: Required value',
      'spec.paramRef: Required value: one of name or selector must be specified',
      'spec.paramRef.parameterNotFoundAction: Required value',
    ],
  ],
  [
    'the expression of a message before the reason',
    '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    policy({ expression: 'true', reason: '', messageExpression: '1' }),
    [
      'spec.validations[0].messageExpression: Invalid value: "1": must evaluate to string but got int',
      'spec.validations[0].reason: Unsupported value: "": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
    ],
  ],
  [
    'too many requests of a claim, which are not validated',
    '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims',
    { metadata: { name: 'c' }, spec: { devices: { requests: Array.from({ length: 33 }, (_, index) => ({ name: `r${index}` })) } } },
    ['spec.devices.requests: Too many: 33: must have at most 32 items'],
  ],
  [
    'a long key in the middle of a path',
    slices,
    slice({ attributes: { [longKey]: {} } }),
    [
      'spec.devices[0].attributes: Too long: may not be more than 32 bytes',
      `spec.devices[0].attributes[${'x'.repeat(47)}...${'x'.repeat(46)}]: Invalid value: "": exactly one value must be specified`,
    ],
  ],
  [
    'empty list and map types in a junctor',
    definitions,
    definition({ ...keepsUnknown, allOf: [{ 'x-kubernetes-map-type': '' }] }),
    [
      `${schemaAt}.allOf[0].x-kubernetes-map-type: Forbidden: must be undefined to be structural`,
      `${schemaAt}.allOf[0].type: Required value: must be object if x-kubernetes-map-type is specified`,
      `${schemaAt}.allOf[0].x-kubernetes-map-type: Unsupported value: "": supported values: "atomic", "granular"`,
    ],
  ],
  [
    'a default of the whole object without kind, whatever its type',
    definitions,
    definition({ default: {}, 'x-kubernetes-preserve-unknown-fields': true }),
    embedded,
  ],
  ['such a default of integers and strings', definitions, definition({ default: {}, 'x-kubernetes-int-or-string': true }), embedded],
  [
    'rules of a schema without type',
    definitions,
    definition({ 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-validations': [{ rule: 'x' }] }),
    [
      `${schemaAt}.x-kubernetes-validations: Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations`,
    ],
  ],
]

for (const [title, path, body, causes] of refused)
  test(`refuses ${title}`, async () => {
    const answer = await (await client).send('POST', `${path}?dryRun=All`, body)
    assert.deepEqual(causesOf(answer).slice(0, causes.length), causes, JSON.stringify(answer.body))
    assert.equal(answer.code, 422)
  })

/** Creates an object and updates it; returns both answers. */
async function updated(path: string, made: Manifest & { metadata: Manifest }, change: object, type = 'application/json') {
  const { send } = await client
  const first = await send('POST', path, made)
  assert.equal(first.code, 201, JSON.stringify(first.body))
  const method = type === 'application/json' ? 'PUT' : 'PATCH'
  return { first, answer: await send(method, `${path}/${String(made.metadata['name'])}?dryRun=All`, change, type) }
}

test('a deletion timestamp can not be set to the unset time', async () => {
  const made = { metadata: { name: 'unset' } }
  const { answer } = await updated('/api/v1/namespaces/default/configmaps', made, {
    metadata: { name: 'unset', deletionTimestamp: unset },
  })
  const cause = 'metadata.deletionTimestamp: Invalid value: null: field is immutable'
  assert.deepEqual(causesOf(answer), [cause, cause])
})

test('errors show texts of named types as JSON', async () => {
  const made = { metadata: { name: 'typed' } }
  const { answer } = await updated('/api/v1/namespaces/default/secrets', made, { metadata: { name: 'typed' }, type: '<a>' })
  assert.deepEqual(causesOf(answer), ['type: Invalid value: "\\u003ca\\u003e": field is immutable'])
})

test('an empty list that a default fills is no change', async () => {
  const made = { metadata: { name: 'same' }, spec: { podSelector: {} } }
  const { answer } = await updated('/apis/networking.k8s.io/v1/namespaces/default/networkpolicies', made, {
    ...made,
    spec: { podSelector: {}, policyTypes: [] },
  })
  assert.equal(answer.body.metadata['generation'], 1)
})

test('the unset time of a taint stays', async () => {
  const taint = { key: 'example.com/key', effect: 'None', timeAdded: unset }
  const { body } = await (await client).send('POST', `${slices}?dryRun=All`, slice({ taints: [taint] }))
  const { devices } = body['spec'] as { devices: { taints: Manifest[] }[] }
  assert.deepEqual(devices[0]?.taints, [{ ...taint, timeAdded: null }])
})

test('warnings about results of strategic merge patches name no keys of maps', async () => {
  const requestPolicy = { $patch: 'replace' }
  const patch = { spec: { devices: [{ name: 'one', capacity: { key: { value: '1', requestPolicy } } }] } }
  const { answer } = await updated(slices, slice({}), patch, 'application/strategic-merge-patch+json')
  assert.deepEqual(answer.warnings, ['unknown field "spec.devices[0].capacity.requestPolicy.$patch"'])
})

test('a status write without spec keeps labels that come from the template', async () => {
  const labels = { app: 'x' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  const path = '/api/v1/namespaces/default/replicationcontrollers'
  const { send } = await client
  assert.equal((await send('POST', path, { metadata: { name: 'labelled' }, spec: { template } })).code, 201)
  const { body } = await send('PUT', `${path}/labelled/status?dryRun=All`, { metadata: { name: 'labelled' } })
  assert.deepEqual(body.metadata['labels'], labels)
})

test('a status in version 1 of autoscalers owns the annotation that the stored version becomes', async () => {
  const path = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers'
  const made = {
    metadata: { name: 'h' },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }, maxReplicas: 1 },
  }
  const { send } = await client
  assert.equal((await send('POST', path, made)).code, 201)
  const status = { currentReplicas: 1, desiredReplicas: 1, currentCPUUtilizationPercentage: 1 }
  const { body } = await send('PUT', `${path}/h/status?dryRun=All`, { ...made, status })
  const owned = (body.metadata['managedFields'] as { subresource?: string; fieldsV1: Manifest }[]).find((each) => each.subresource)
  assert.deepEqual(owned?.fieldsV1['f:metadata'], {
    'f:annotations': { '.': {}, 'f:autoscaling.alpha.kubernetes.io/current-metrics': {} },
  })
})

test('a bookmark of daemon sets has the annotation of their template generation', async () => {
  const server = await startCore({ serves: () => true, controllers: [] })
  const fetch = async (path: string, init?: RequestInit) => server.fetch(new Request(`http://api${path}`, init))
  const query = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: 'true' }
  const watch = await watchAt(fetch, '/apis/apps/v1/daemonsets', query)
  const { type, object } = await watch.object()
  assert.equal(type, 'BOOKMARK')
  assert.equal(object.metadata.annotations?.['deprecated.daemonset.template.generation'], '0')
  await watch.close()
  await server.close()
})
