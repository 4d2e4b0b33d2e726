/** Objects that the reference was asked about: its errors, in its order, and what it leaves of the object. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Status } from '../../../core/answers/status.ts'
import type { TestObject } from '../../support/api.ts'
import { serverForTests } from '../../support/in-process.ts'
import { signingRequest } from '../../support/minimal-objects.ts'

const api = serverForTests({ platform: 'kubernetes', controllers: [], admissionPlugins: { disable: ['ServiceAccount'] } })

const create = <T = TestObject>(path: string, body: object) =>
  api.send<T>('POST', `${path}?dryRun=All`, { metadata: { name: 'a' }, ...body })

/** Reason, field and message of each cause. */
async function causesOf(path: string, body: object): Promise<readonly string[]> {
  const { status, body: answer } = await create<Status>(path, body)
  assert.equal(status, 422)
  return (answer.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`)
}

const labels = { a: 'b' }
const containers = [{ name: 'a', image: 'a' }]

test('claim templates of a stateful set are validated before its pods', async () => {
  const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } }
  assert.deepEqual(
    await causesOf('/apis/apps/v1/namespaces/default/statefulsets', {
      spec: { ...spec, volumeClaimTemplates: [{ metadata: { name: 'A' } }] },
    }),
    [
      'spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required',
      'spec.volumeClaimTemplates[0].spec.resources[storage]: Required value',
      ...(await causesOf('/apis/apps/v1/namespaces/default/statefulsets', {
        spec: {
          ...spec,
          volumeClaimTemplates: [
            { metadata: { name: 'A' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } } },
          ],
        },
      })),
    ],
  )
})

test('operations of a rule come before its resources', async () => {
  const hook = { name: 'a.example.com', admissionReviewVersions: ['v1'], clientConfig: { url: 'https://a/' }, sideEffects: 'None' }
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
  const fields = ['operations', 'apiGroups', 'apiVersions', 'resources']
  assert.deepEqual(
    await causesOf(path, { webhooks: [{ ...hook, rules: [{}] }] }),
    fields.map((field) => `webhooks[0].rules[0].${field}: Required value`),
  )
})

test('a claim template may only have labels and annotations', async () => {
  const spec = { devices: { requests: [{ name: 'one', exactly: { deviceClassName: 'any.example.com' } }] } }
  const path = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates'
  assert.deepEqual(await causesOf(path, { spec: { metadata: { name: 'a', labels }, spec } }), [
    'spec.metadata.name: Forbidden: cannot be set',
  ])
  assert.deepEqual(await causesOf(path, { spec: { metadata: { creationTimestamp: '0001-01-01T00:00:00Z' }, spec } }), [
    'spec.metadata.creationTimestamp: Forbidden: cannot be set',
  ])
  assert.equal((await create(path, { spec: { metadata: { creationTimestamp: null }, spec } })).status, 201)
})

test('tolerations of a runtime class have one error each', async () => {
  const scheduling = { tolerations: [{ key: 'k', operator: 'Bad', effect: 'Bad' }] }
  assert.deepEqual(await causesOf('/apis/node.k8s.io/v1/runtimeclasses', { handler: 'any', scheduling }), [
    'scheduling.tolerations[0].operator: Unsupported value: "Bad": supported values: "Equal", "Exists"',
    'scheduling.tolerations[0].effect: Unsupported value: "Bad": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
  ])
})

test('errors of updates show lists that were given as empty ones, unless the original makes them anew', async () => {
  const updated = async (path: string, object: object, changed: object) => {
    const metadata = { name: 'emptied' }
    await api.send('POST', path, { ...object, metadata })
    const { body } = await api.send<Status>('PUT', `${path}/emptied`, { ...changed, metadata })
    return (body.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`)
  }
  const quota = (scopes: readonly string[]) => ({ spec: { hard: { pods: '1' }, scopes } })
  assert.deepEqual(await updated('/api/v1/namespaces/default/resourcequotas', quota(['BestEffort']), quota([])), [
    'spec.scopes: Invalid value: []: field is immutable',
  ])
  const lists = { initContainers: [], schedulingGates: [], tolerations: [] }
  const [problem = ''] = await updated(
    '/api/v1/namespaces/default/pods',
    { spec: { containers } },
    { spec: { containers, ...lists, hostname: 'other' } },
  )
  assert.match(problem, /\+ "Hostname": "other"/)
  assert.doesNotMatch(problem, /\[\]/)
})

test('flow schemas have the verbs of resources, not methods', async () => {
  const rules = [{ subjects: [{ kind: 'User', user: { name: 'a' } }], nonResourceRules: [{ verbs: ['post'], nonResourceURLs: ['/a'] }] }]
  const spec = { priorityLevelConfiguration: { name: 'exempt' }, matchingPrecedence: 2, rules }
  const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch']
  assert.deepEqual(await causesOf('/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas', { spec }), [
    `spec.rules[0].nonResourceRules[0].verbs: Unsupported value: ["post"]: supported values: ${verbs.map((verb) => `"${verb}"`).join(', ')}`,
  ])
})

test('nobody owns the spec of a certificate request, which cannot be changed', async () => {
  const spec = { request: btoa(signingRequest), signerName: 'example.com/any', usages: ['client auth'] }
  const { status, body } = await create('/apis/certificates.k8s.io/v1/certificatesigningrequests', { spec })
  assert.equal(status, 201)
  assert.ok(!JSON.stringify(body.metadata).includes('managedFields'))
})

test('a lifecycle with nothing but a stop signal is dropped while the gate is off', async () => {
  const pod = (lifecycle: object) => create('/api/v1/namespaces/default/pods', { spec: { containers: [{ ...containers[0], lifecycle }] } })
  const lifecycleOf = ({ body }: Awaited<ReturnType<typeof pod>>) =>
    (body.spec?.['containers'] as { lifecycle?: object }[] | undefined)?.[0]?.lifecycle
  const preStop = { sleep: { seconds: 1 } }
  assert.equal(lifecycleOf(await pod({ stopSignal: 'SIGTERM' })), undefined)
  assert.deepEqual(lifecycleOf(await pod({ stopSignal: 'SIGTERM', preStop })), { preStop })
  assert.deepEqual(lifecycleOf(await pod({})), {})
})

test('a workload with a malformed selector or none', async () => {
  const causes = (kind: string, selector: object | undefined) =>
    causesOf(`/apis/apps/v1/namespaces/default/${kind}`, {
      spec: { ...(selector && { selector }), template: { metadata: { labels }, spec: { containers } } },
    })
  const malformed = { matchExpressions: [{ key: 'a', operator: 'In' }] }
  const parts = "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"
  const whole = 'spec.selector: Invalid value: {"matchExpressions":[{"key":"a","operator":"In"}]}'
  assert.deepEqual(await causes('deployments', malformed), [parts, `${whole}: invalid label selector`])
  assert.deepEqual(await causes('statefulsets', malformed), [parts, whole])
  assert.deepEqual(await causes('daemonsets', malformed), [parts])
  const unmatched = 'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`'
  assert.deepEqual(await causes('deployments', undefined), ['spec.selector: Required value', unmatched])
})

test('errors of metadata in updates are listed as often as the reference finds them', async () => {
  const hook = { metadata: { name: 'repeated' }, webhooks: [] }
  const claim = { metadata: { name: 'repeated' }, data: { a: 'b' } }
  for (const [path, object, count] of [
    ['/api/v1/namespaces/default/configmaps', claim, 4],
    ['/apis/coordination.k8s.io/v1/namespaces/default/leases', { metadata: { name: 'repeated' }, spec: {} }, 3],
    ['/api/v1/namespaces/default/events', { metadata: { name: 'repeated' }, involvedObject: { namespace: 'default' } }, 2],
    ['/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', hook, 3],
  ] as const) {
    const { body: stored } = await api.send<TestObject>('POST', path, object)
    const metadata = { ...stored.metadata, labels: { 'a b': 'c' } }
    const { body } = await api.send<Status>('PUT', `${path}/repeated`, { ...stored, metadata })
    assert.equal(body.details?.causes?.length, count, path)
    assert.equal(body.message?.match(/name part must consist/g)?.length, 1, path)
  }
})

test('another uid in an update names the stored key', async () => {
  const maps = '/api/v1/namespaces/default/configmaps'
  await api.send('POST', maps, { metadata: { name: 'identity' } })
  const { status, body } = await api.send<Status>('PUT', `${maps}/identity`, { metadata: { name: 'identity', uid: 'other' } })
  assert.equal(status, 409)
  assert.match(
    body.message ?? '',
    /: StorageError: invalid object, Code: 4, Key: \/registry\/configmaps\/default\/identity, ResourceVersion: 0, AdditionalErrorMsg: /,
  )
})
