/** What the objects of the reference's own tests showed (test/reference/corpora): answers of kube-apiserver 1.36.2. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPlatform } from '../../../core/platform.ts'
import { pods } from '../../../core/resources/core/pod.ts'
import { causesOf, startServer } from './support.ts'

const client = startServer({ platform: createPlatform('kubernetes') })
const meta = (name: string, more: object = {}) => ({ metadata: { name, ...more } })

test('rows of pods that have ended say so', () => {
  const conditionsOf = (phase: string) => pods.rowConditions?.({ apiVersion: 'v1', kind: 'Pod', metadata: {}, status: { phase } })
  const row = { type: 'Completed', status: 'True' }
  assert.deepEqual(conditionsOf('Succeeded'), [{ ...row, reason: 'Succeeded', message: 'The pod has completed successfully.' }])
  assert.deepEqual(conditionsOf('Failed'), [{ ...row, reason: 'Failed', message: 'The pod failed.' }])
  assert.equal(conditionsOf('Running'), undefined)
})

test('a budget with the reserved label beside others loses it; alone it stays', async () => {
  const { send } = await client
  const key = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match'
  const selectorOf = async (selector: object) => {
    const body = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', ...meta('b'), spec: { minAvailable: 1, selector } }
    const answer = await send('POST', '/apis/policy/v1/namespaces/default/poddisruptionbudgets?dryRun=All', body)
    return (answer.body['spec'] as { selector: unknown }).selector
  }
  const reserved = (operator: string) => ({ key, operator })
  assert.deepEqual(await selectorOf({ matchLabels: { a: 'b' }, matchExpressions: [reserved('Exists')] }), { matchLabels: { a: 'b' } })
  assert.deepEqual(await selectorOf({ matchExpressions: [reserved('DoesNotExist')] }), {})
  assert.deepEqual(await selectorOf({ matchExpressions: [reserved('Exists')] }), { matchExpressions: [reserved('Exists')] })
})

test('an autoscaler loses the annotations that hold fields in version 1', async () => {
  const { send } = await client
  const annotations = { 'autoscaling.alpha.kubernetes.io/metrics': 'x', other: 'y' }
  const body = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    ...meta('h', { annotations }),
    spec: { maxReplicas: 1, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } },
  }
  const answer = await send('POST', '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers?dryRun=All', body)
  assert.equal(answer.code, 201, JSON.stringify(answer.body))
  assert.deepEqual(answer.body.metadata['annotations'], { other: 'y' })
})

test('a new quota whose requests exceed its limits is stored with warnings', async () => {
  const { send } = await client
  const quota = (hard: object) => ({ apiVersion: 'v1', kind: 'ResourceQuota', ...meta('q'), spec: { hard } })
  const warningsOf = async (hard: object) =>
    (await send('POST', '/api/v1/namespaces/default/resourcequotas?dryRun=All', quota(hard))).warnings
  assert.deepEqual(await warningsOf({ cpu: '2', 'limits.cpu': '1', memory: '1Gi', 'limits.memory': '2Gi' }), [
    'ResourceQuota cpu (2) should be less than limits.cpu (1)',
  ])
  assert.deepEqual(await warningsOf({ cpu: '2', 'requests.cpu': '1', 'limits.cpu': '1500m' }), [])
  assert.deepEqual(await warningsOf({ 'requests.ephemeral-storage': '2048Mi', 'limits.ephemeral-storage': '1Gi' }), [
    'ResourceQuota requests.ephemeral-storage (2Gi) should be less than limits.ephemeral-storage (1Gi)',
  ])
})

const admission = '/apis/admissionregistration.k8s.io/v1'
const fieldsOf = (answer: Parameters<typeof causesOf>[0]) => causesOf(answer).map((cause) => cause.split(': ')[0])

test('errors are listed in the order of the reference', async () => {
  const { send } = await client
  const rows: [path: string, object: object, fields: string[]][] = [
    [
      `${admission}/validatingadmissionpolicybindings`,
      { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicyBinding', ...meta('b'), spec: { paramRef: {} } },
      ['spec.policyName', 'spec.paramRef', 'spec.paramRef.parameterNotFoundAction', 'spec.validationActions'],
    ],
    [
      `${admission}/mutatingadmissionpolicies`,
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'MutatingAdmissionPolicy',
        ...meta('p'),
        spec: {
          matchConstraints: { resourceRules: [{ operations: ['CREATE'], apiGroups: ['a'], apiVersions: ['a'], resources: ['a'] }] },
          matchConditions: [{ name: 'c', expression: 'params.a' }],
          mutations: [{ applyConfiguration: { expression: 'Object{}' } }],
        },
      },
      ['spec.matchConditions[0].expression', 'spec.mutations[0].patchType', 'spec.reinvocationPolicy'],
    ],
    [
      '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims',
      {
        apiVersion: 'resource.k8s.io/v1',
        kind: 'ResourceClaim',
        ...meta('c'),
        spec: { devices: { requests: [{ name: 'A', exactly: { deviceClassName: 'B' } }] } },
      },
      ['spec.devices.requests[0].name', 'spec.devices.requests[0].exactly.deviceClassName'],
    ],
  ]
  for (const [path, object, fields] of rows) assert.deepEqual(fieldsOf(await send('POST', path, object)), fields, path)
})

test('an expression that ends behind a comma lacks only the bracket', async () => {
  const { send } = await client
  const policy = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    ...meta('p'),
    spec: {
      matchConstraints: { resourceRules: [{ operations: ['CREATE'], apiGroups: ['a'], apiVersions: ['a'], resources: ['a'] }] },
      validations: [{ expression: '1 in [1, 2, ' }],
    },
  }
  const [cause = ''] = causesOf(await send('POST', `${admission}/validatingadmissionpolicies`, policy))
  assert.ok(cause.includes("ERROR: <input>:1:13: Syntax error: missing ']' at '<EOF>'"), cause)
})
