/** Answers that were compared with the reference's (test/reference), and that its bounded run does not hold. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPlatform } from '../../../core/platform.ts'
import { bind } from '../../../core/resources/bind.ts'
import { builtInResources } from '../../../core/resources/group-versions.ts'
import { titleOf } from '../../reference/kinds.ts'
import { startCore } from '../../support/core-server.ts'
import { collectionPath, minimalObject } from '../../support/minimal-objects.ts'
import { watchAt } from '../../support/watch-reader.ts'
import { causesOf, type Manifest, startServer, withChanges } from './support.ts'

const client = startServer()

const platform = createPlatform('platform')
const kinds = new Map(builtInResources.map((row) => bind(row, platform)).map((definition) => [titleOf(definition), definition]))

/** Path of the collection of a kind such as `deployments.apps/v1`, and its minimal object with changes. */
function changed(title: string, changes: { readonly [path: string]: unknown } = {}) {
  const definition = kinds.get(title)
  assert.ok(definition, title)
  const object = withChanges(minimalObject(definition) as Manifest & { metadata: Manifest }, changes)
  return { path: collectionPath(definition), object }
}

const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const inline = 'in the context of inline volumes'
const unset = '0001-01-01T00:00:00Z'
const schemaAt = 'spec.validation.openAPIV3Schema'
const keepsUnknown = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const embedded = [`${schemaAt}.default.apiVersion: Required value`, `${schemaAt}.default.kind: Required value`]
const definitions = 'customresourcedefinitions.apiextensions.k8s.io/v1'
const ofSchema = (schema: Manifest) => ({ 'spec.versions.0.schema.openAPIV3Schema': schema })
const slices = 'resourceslices.resource.k8s.io/v1'
const ofDevice = (device: Manifest) => ({ 'spec.devices': [{ name: 'one', ...device }] })
const longKey = 'x'.repeat(300)

const refused: readonly (readonly [title: string, kind: string, changes: object, causes: readonly string[]])[] = [
  [
    'an unknown strategy, with the zeros that it has inside of the reference',
    'deployments.apps/v1',
    { 'spec.strategy': { type: 'x', rollingUpdate: {} } },
    [
      'spec.strategy: Unsupported value: {"Type":"x","RollingUpdate":{"MaxUnavailable":0,"MaxSurge":0}}: supported values: "Recreate", "RollingUpdate"',
    ],
  ],
  [
    'labels of a selector before its expressions',
    'networkpolicies.networking.k8s.io/v1',
    { 'spec.podSelector': { matchLabels: { a: 'x'.repeat(64) }, matchExpressions: [{ key: 'a', operator: 'x' }] } },
    [
      `spec.podSelector.matchLabels: Invalid value: "${'x'.repeat(64)}": must be no more than 63 bytes`,
      'spec.podSelector.matchExpressions[0].operator: Invalid value: "x": not a valid selector operator',
    ],
  ],
  [
    'a signer name without domain',
    'clustertrustbundles.certificates.k8s.io/v1beta1',
    { 'metadata.name': ':x:a', 'spec.signerName': '/x', 'spec.trustBundle': 'x' },
    [
      `spec.signerName: Invalid value: "": validating label "": ${label}`,
      'spec.signerName: Invalid value: "": should be a domain with at least two segments separated by dots',
    ],
  ],
  [
    'the host of a domain-prefixed path',
    'ingressclasses.networking.k8s.io/v1',
    { 'spec.controller': '../x' },
    [`spec.controller: Invalid value: "..": ${subdomain}`],
  ],
  [
    'an inline volume with fields of persistent volumes',
    'volumeattachments.storage.k8s.io/v1',
    {
      'spec.source': {
        inlineVolumeSpec: {
          capacity: { storage: '1Gi' },
          claimRef: { name: 'c' },
          accessModes: [null],
          persistentVolumeReclaimPolicy: 'Delete',
          storageClassName: 'c',
          volumeMode: 'Block',
        },
      },
    },
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
    'events.events.k8s.io/v1',
    { deprecatedFirstTimestamp: unset, deprecatedLastTimestamp: unset },
    ['firstTimestamp: Invalid value: "": needs to be unset', 'lastTimestamp: Invalid value: "": needs to be unset'],
  ],
  [
    'a selector of scopes, as Go shows it',
    'resourcequotas',
    { 'spec.scopeSelector': { matchExpressions: [{ operator: 'Exists', scopeName: 'VolumeAttributesClass' }] } },
    [
      'spec.scopeSelector.matchExpressions: Invalid value: {"MatchExpressions":[{"ScopeName":"VolumeAttributesClass","Operator":"Exists","Values":null}]}: unsupported scope applied to resource',
    ],
  ],
  [
    'the name of a policy before its parameters',
    'mutatingadmissionpolicybindings.admissionregistration.k8s.io/v1',
    { 'spec.policyName': undefined, 'spec.paramRef': {} },
    [
      'spec.policyName: Required value',
      'spec.paramRef: Required value: one of name or selector must be specified',
      'spec.paramRef.parameterNotFoundAction: Required value',
    ],
  ],
  [
    'the expression of a message before the reason',
    'validatingadmissionpolicies.admissionregistration.k8s.io/v1',
    { 'spec.validations': [{ expression: 'true', reason: '', messageExpression: '1' }] },
    [
      'spec.validations[0].messageExpression: Invalid value: "1": must evaluate to string but got int',
      'spec.validations[0].reason: Unsupported value: "": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
    ],
  ],
  [
    'too many requests of a claim, which are not validated',
    'resourceclaims.resource.k8s.io/v1',
    { 'spec.devices.requests': Array.from({ length: 33 }, (_, index) => ({ name: `r${index}` })) },
    ['spec.devices.requests: Too many: 33: must have at most 32 items'],
  ],
  [
    'a long key in the middle of a path',
    slices,
    ofDevice({ attributes: { [longKey]: {} } }),
    [
      'spec.devices[0].attributes: Too long: may not be more than 32 bytes',
      `spec.devices[0].attributes[${'x'.repeat(47)}...${'x'.repeat(46)}]: Invalid value: "": exactly one value must be specified`,
    ],
  ],
  [
    'empty list and map types in a junctor',
    definitions,
    ofSchema({ ...keepsUnknown, allOf: [{ 'x-kubernetes-map-type': '' }] }),
    [
      `${schemaAt}.allOf[0].x-kubernetes-map-type: Forbidden: must be undefined to be structural`,
      `${schemaAt}.allOf[0].type: Required value: must be object if x-kubernetes-map-type is specified`,
      `${schemaAt}.allOf[0].x-kubernetes-map-type: Unsupported value: "": supported values: "atomic", "granular"`,
    ],
  ],
  [
    'a default of the whole object without kind, whatever its type',
    definitions,
    ofSchema({ default: {}, 'x-kubernetes-preserve-unknown-fields': true }),
    embedded,
  ],
  ['such a default of integers and strings', definitions, ofSchema({ default: {}, 'x-kubernetes-int-or-string': true }), embedded],
  [
    'rules of a schema without type',
    definitions,
    ofSchema({ 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-validations': [{ rule: 'x' }] }),
    [
      `${schemaAt}.x-kubernetes-validations: Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations`,
    ],
  ],
]

for (const [title, kind, changes, causes] of refused)
  test(`refuses ${title}`, async () => {
    const { path, object } = changed(kind, { ...changes })
    const answer = await (await client).send('POST', `${path}?dryRun=All`, object)
    assert.deepEqual(causesOf(answer).slice(0, causes.length), causes, JSON.stringify(answer.body))
    assert.equal(answer.code, 422)
  })

interface Step {
  readonly kind: string
  readonly name: string
  /** What differs from the minimal object from the beginning. */
  readonly made?: { readonly [path: string]: unknown }
  /** What the second write changes, or a strategic merge patch. */
  readonly change?: { readonly [path: string]: unknown }
  readonly patch?: object
  readonly subresource?: string
}

/** Creates an object and writes it again as a dry run; returns the second answer. */
async function written({ kind, name, made = {}, change = {}, patch, subresource = '' }: Step) {
  const { send } = await client
  const { path, object } = changed(kind, { 'metadata.name': name, ...made })
  const first = await send('POST', path, object)
  assert.equal(first.code, 201, JSON.stringify(first.body))
  const place = `${path}/${name}${subresource}?dryRun=All`
  if (patch) return send('PATCH', place, patch, 'application/strategic-merge-patch+json')
  return send('PUT', place, withChanges(object, change))
}

test('a deletion timestamp can not be set to the unset time', async () => {
  const answer = await written({ kind: 'configmaps', name: 'unset', change: { 'metadata.deletionTimestamp': unset } })
  const cause = 'metadata.deletionTimestamp: Invalid value: null: field is immutable'
  assert.deepEqual(causesOf(answer), [cause, cause])
})

test('errors show texts of named types as JSON', async () => {
  const answer = await written({ kind: 'secrets', name: 'typed', change: { type: '<a>' } })
  assert.deepEqual(causesOf(answer), ['type: Invalid value: "\\u003ca\\u003e": field is immutable'])
})

test('an empty list that a default fills is no change', async () => {
  const { body } = await written({ kind: 'networkpolicies.networking.k8s.io/v1', name: 'same', change: { 'spec.policyTypes': [] } })
  assert.equal(body.metadata['generation'], 1)
})

test('the unset time of a taint stays', async () => {
  const taint = { key: 'example.com/key', effect: 'None', timeAdded: unset }
  const { path, object } = changed(slices, ofDevice({ taints: [taint] }))
  const { body } = await (await client).send('POST', `${path}?dryRun=All`, object)
  const { devices } = body['spec'] as { devices: { taints: Manifest[] }[] }
  assert.deepEqual(devices[0]?.taints, [{ ...taint, timeAdded: null }])
})

test('warnings about results of strategic merge patches name no keys of maps', async () => {
  const requestPolicy = { $patch: 'replace' }
  const patch = { spec: { devices: [{ name: 'one', capacity: { key: { value: '1', requestPolicy } } }] } }
  const { warnings } = await written({ kind: slices, name: 'warned', patch })
  assert.deepEqual(warnings, ['unknown field "spec.devices[0].capacity.requestPolicy.$patch"'])
})

test('a status write without spec keeps labels that come from the template', async () => {
  const { body } = await written({
    kind: 'replicationcontrollers',
    name: 'labelled',
    made: { 'spec.selector': undefined },
    change: { spec: undefined },
    subresource: '/status',
  })
  assert.deepEqual(body.metadata['labels'], { app: 'example' })
})

test('a status in version 1 of autoscalers owns the annotation that the stored version becomes', async () => {
  const status = { currentReplicas: 1, desiredReplicas: 1, currentCPUUtilizationPercentage: 1 }
  const kind = 'horizontalpodautoscalers.autoscaling/v1'
  const { body } = await written({ kind, name: 'h', change: { status }, subresource: '/status' })
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
