/** Objects with several errors: fields of the causes in the order of kube-apiserver 1.36.2. Random ones are in the comparison's part `several`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Status } from '../../../core/answers/status.ts'
import { serverForTests } from '../../support/in-process.ts'

const api = serverForTests({ platform: 'kubernetes', controllers: [], admissionPlugins: { disable: ['ServiceAccount'] } })

const inDefault = (group: string, plural: string) => `/${group}/namespaces/default/${plural}`
const rbac = '/apis/rbac.authorization.k8s.io/v1'
const registration = '/apis/admissionregistration.k8s.io/v1'

/** Stored as `a`. */
const stored = {
  [inDefault('api/v1', 'configmaps')]: { immutable: true, data: { k: 'v' } },
  [inDefault('api/v1', 'secrets')]: { type: 'one', immutable: true },
  '/api/v1/nodes': {},
  [`${rbac}/clusterroles`]: { rules: [] },
  [inDefault('apis/rbac.authorization.k8s.io/v1', 'roles')]: { rules: [] },
  '/apis/scheduling.k8s.io/v1/priorityclasses': { value: 1 },
  '/apis/networking.k8s.io/v1/ingressclasses': { spec: { controller: 'example.com/a' } },
  '/apis/storage.k8s.io/v1/volumeattributesclasses': { driverName: 'a.example.com', parameters: { a: 'b' } },
}

test('objects to update', async () => {
  for (const [path, body] of Object.entries(stored)) await api.create(path, { metadata: { name: 'a' }, ...body })
})

async function fieldsOf(method: 'POST' | 'PUT', path: string, body: object): Promise<readonly string[]> {
  const url = method === 'POST' ? path : `${path}/a`
  const { status, body: answer } = await api.send<Status>(method, `${url}?dryRun=All`, { metadata: { name: 'a' }, ...body })
  assert.equal(status, 422, JSON.stringify(answer))
  return (answer.details?.causes ?? []).map(({ field }) => String(field))
}

/** Metadata with an error that is told once for each check of it. */
const metadata = { name: 'a', annotations: { '/': '' } }
const annotation = ['metadata.annotations']
/** Of the key: its prefix and its name. */
const once = async () => (await fieldsOf('POST', inDefault('api/v1', 'configmaps'), { metadata })).length

const labels = { a: 'b' }
const hook = { name: 'a.example.com', admissionReviewVersions: ['v1'], sideEffects: 'x', objectSelector: { matchExpressions: [{}] } }
const selector = Array.from({ length: 3 }, (_, at) => (at === 0 ? 'operator' : 'key')).map(
  (member) => `webhooks[0].objectSelector.matchExpressions[0].${member}`,
)

const rows: readonly (readonly [what: string, method: 'POST' | 'PUT', path: string, body: object, fields: readonly string[]])[] = [
  [
    'rules before the aggregation',
    'PUT',
    `${rbac}/clusterroles`,
    { rules: [{ verbs: [] }], aggregationRule: { clusterRoleSelectors: [] } },
    ['rules[0].verbs', 'rules[0].apiGroups', 'rules[0].resources', 'aggregationRule.clusterRoleSelectors'],
  ],
  [
    'the form of the finalizers of a new event before their meaning',
    'POST',
    inDefault('apis/events.k8s.io/v1', 'events'),
    {
      metadata: { name: 'a', namespace: 'default', finalizers: [''] },
      eventTime: '2026-01-01T00:00:00.000000Z',
      ...{ reportingController: 'example.com/any', reportingInstance: 'any', action: 'Any', reason: 'Any', type: 'Normal' },
      regarding: { namespace: 'default' },
    },
    ['metadata.finalizers', 'metadata.finalizers', 'metadata.finalizers[0]'],
  ],
  [
    'the value before the policy',
    'PUT',
    '/apis/scheduling.k8s.io/v1/priorityclasses',
    { value: 2, preemptionPolicy: 'Never' },
    ['value', 'preemptionPolicy'],
  ],
  [
    'metadata of a template before its spec',
    'POST',
    inDefault('apis/resource.k8s.io/v1', 'resourceclaimtemplates'),
    { spec: { metadata: { managedFields: [{}], finalizers: ['a/b'], name: 'a' }, spec: { devices: { config: [{}] } } } },
    ['spec.metadata.name', 'spec.metadata.finalizers', 'spec.metadata.managedFields', 'spec.spec.devices.config[0].opaque'],
  ],
  [
    'the value of a toleration before its effect',
    'POST',
    inDefault('apis/resource.k8s.io/v1', 'resourceclaims'),
    { spec: { devices: { requests: [{ name: 'a', exactly: { deviceClassName: 'a', tolerations: [{ value: '/', effect: '/' }] } }] } } },
    ['value', 'effect'].map((name) => `spec.devices.requests[0].exactly.tolerations[0].${name}`),
  ],
  [
    'side effects before selectors, and clients before conditions',
    'POST',
    `${registration}/validatingwebhookconfigurations`,
    { webhooks: [{ ...hook, clientConfig: {}, matchConditions: [{ name: '-x', expression: '' }] }] },
    [
      ...['webhooks[0].sideEffects', ...selector, 'webhooks[0].clientConfig'],
      ...['expression', 'name'].map((name) => `webhooks[0].matchConditions[0].${name}`),
    ],
  ],
  [
    'the expression of a mutation before its other member',
    'POST',
    `${registration}/mutatingadmissionpolicies`,
    {
      spec: {
        matchConstraints: {},
        matchConditions: [{ name: '-x', expression: '(' }],
        variables: [{ name: '', expression: '1' }],
        mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: '(' }, jsonPatch: { expression: '' } }],
        reinvocationPolicy: 'x',
      },
    },
    [
      ...['spec.matchConstraints.resourceRules', 'spec.matchConditions[0].expression'],
      ...['spec.matchConditions[0].name', 'spec.variables[0].name'],
      ...['spec.mutations[0].applyConfiguration.expression', 'spec.mutations[0].jsonPatch', 'spec.reinvocationPolicy'],
    ],
  ],
  [
    'names of a definition before the schema that all versions share',
    'POST',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    {
      metadata: { name: 'a.b' },
      spec: {
        group: 'b.example.com',
        scope: 'Cluster',
        names: { plural: '0', singular: 'a', kind: 'A', listKind: 'AList' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', definitions: { a: {} } } } }],
      },
    },
    ['metadata.name', 'spec.names.plural', 'spec.validation.openAPIV3Schema.definitions'],
  ],
  [
    'the name of a port before its protocol',
    'POST',
    inDefault('apis/discovery.k8s.io/v1', 'endpointslices'),
    { addressType: 'IPv4', endpoints: [], ports: [{ name: '/', protocol: '/', appProtocol: '-x' }] },
    ['name', 'protocol', 'appProtocol'].map((name) => `ports[0].${name}`),
  ],
  [
    'two sources of a claim that differ',
    'POST',
    inDefault('api/v1', 'persistentvolumeclaims'),
    {
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1' } },
        dataSource: { apiGroup: 'a.example.com', kind: 'A', name: 'a' },
        dataSourceRef: { apiGroup: 'b.example.com', kind: 'B', name: 'b' },
      },
    },
    ['spec'],
  ],
  [
    'a budget whose metadata is wrong, too',
    'POST',
    inDefault('apis/policy/v1', 'poddisruptionbudgets'),
    { metadata, spec: { minAvailable: 'x', selector: { matchLabels: labels } } },
    ['spec.minAvailable'],
  ],
]

for (const [what, method, path, body, fields] of rows)
  test(what, async () => {
    assert.deepEqual(await fieldsOf(method, path, body), fields)
  })

test('a budget of which only the metadata is wrong', async () => {
  const path = inDefault('apis/policy/v1', 'poddisruptionbudgets')
  assert.deepEqual(new Set(await fieldsOf('POST', path, { metadata, spec: {} })), new Set(annotation))
})

test('what a write may not change stands where the kind compares it: before, between or behind checks of metadata', async () => {
  const size = await once()
  const times = (count: number) => Array.from({ length: count * size }, () => 'metadata.annotations')
  const update = (path: string, body: object) => fieldsOf('PUT', path, { metadata, ...body })
  assert.deepEqual(await update(inDefault('api/v1', 'configmaps'), { immutable: true, data: {} }), [...times(3), 'data', ...times(1)])
  assert.deepEqual(await update(inDefault('api/v1', 'secrets'), { type: 'one', immutable: false }), [...times(3), 'immutable', ...times(1)])
  assert.deepEqual(await update('/apis/networking.k8s.io/v1/ingressclasses', { spec: { controller: 'example.com/b' } }), [
    ...times(3),
    'spec.controller',
    ...times(1),
  ])
  assert.deepEqual(
    await update('/apis/storage.k8s.io/v1/volumeattributesclasses', { driverName: 'b.example.com', parameters: { a: 'b' } }),
    [...times(3), 'driverName', ...times(1)],
  )
  for (const path of [`${rbac}/clusterroles`, inDefault('apis/rbac.authorization.k8s.io/v1', 'roles')])
    assert.deepEqual(await update(path, { rules: [{ verbs: ['get'], apiGroups: [''] }] }), [...times(3), 'rules[0].resources', ...times(1)])
})

test('a type that decodes itself ends decoding: its error comes before those of types that do not fit', async () => {
  const path = inDefault('apis/apps/v1', 'deployments')
  const messageOf = async (body: object) => {
    const { status, body: answer } = await api.send<Status>('POST', path, body)
    assert.equal(status, 400)
    return String(answer.message).replace(/^.*cannot be handled as a Deployment: /, '')
  }
  const time = 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'
  const number = 'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32'
  const spec = { replicas: 'x' }
  assert.equal(await messageOf({ spec }), number)
  assert.equal(await messageOf({ spec, metadata: { name: 'a', creationTimestamp: 'x' } }), time)
  assert.match(
    await messageOf({ spec: { ...spec, strategy: { rollingUpdate: { maxSurge: {} } } }, metadata: { name: 'a', creationTimestamp: 'x' } }),
    /^json: cannot unmarshal object into Go struct field RollingUpdateDeployment\.spec\.strategy\.rollingUpdate\.maxSurge of type int32$/,
  )
  assert.equal(
    await messageOf({ metadata: { name: 1, labels: 'x' }, spec }),
    'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string',
  )
})
