/** Bodies and patches with another kind or apiVersion than the URL's: the texts are those of the reference for the same requests. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Status } from '../../../core/answers/status.ts'
import { serverForTests } from '../../support/in-process.ts'

const api = serverForTests({ platform: 'kubernetes', controllers: [] })

const maps = '/api/v1/namespaces/default/configmaps'
const deployments = '/apis/apps/v1/namespaces/default/deployments'
const scheme = 'in scheme "pkg/api/legacyscheme/scheme.go:30"'
const header = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
const unreadable = (why: string, shown: string) => `the object provided is unrecognized (must be of type ConfigMap): ${why} (${shown})`
const parse = (why: string, shown: string) =>
  unreadable(`couldn't get version/kind; json parse error: json: cannot unmarshal ${why}`, shown)
const isNot = (kind: string, version: string, why: string, wanted = 'ConfigMap') =>
  `${kind} in version "${version}" cannot be handled as a ${wanted}: ${why}`

const refused: readonly (readonly [path: string, body: string, message: string])[] = [
  [maps, '{"kind":7,"apiVersion":[]}', parse('number into Go struct field .kind of type string', '{"kind":7,"apiVersion":[]}')],
  [maps, '{"apiVersion":{},"kind":[]}', parse('object into Go struct field .apiVersion of type string', '{"apiVersion":{},"kind":[]}')],
  [maps, '{"Kind":true}', parse('bool into Go struct field .kind of type string', '{"Kind":true}')],
  [maps, '[]', parse(`array into Go value of type ${header}`, '5b5d')],
  [maps, '7', parse(`number into Go value of type ${header}`, '37')],
  [maps, '{"apiVersion":"a/b/c"}', unreadable('unexpected GroupVersion string: a/b/c', '{"apiVersion":"a/b/c"}')],
  [maps, '{"kind":"Foo"}', isNot('Foo', 'v1', `no kind "Foo" is registered for version "v1" ${scheme}`)],
  [maps, '{"apiVersion":"v2"}', isNot('ConfigMap', 'v2', `no kind "ConfigMap" is registered for version "v2" ${scheme}`)],
  [maps, '{"apiVersion":"apps/"}', isNot('ConfigMap', '', `Object 'apiVersion' is missing in '{"apiVersion":"apps/"}'`)],
  [maps, '{"kind":"Pod","apiVersion":"v1"}', isNot('Pod', 'v1', 'converting (v1.Pod) to (core.ConfigMap): unknown conversion')],
  [maps, '{"kind":"PodList","apiVersion":"v1"}', isNot('PodList', 'v1', 'converting (v1.PodList) to (core.ConfigMap): unknown conversion')],
  [
    deployments,
    '{"kind":"Scale","apiVersion":"autoscaling/v1"}',
    isNot('Scale', 'v1', 'converting (v1.Scale) to (apps.Deployment): unknown conversion', 'Deployment'),
  ],
  [
    deployments,
    '{"apiVersion":"apps/v1beta1"}',
    'the API version in the data (apps/v1beta1) does not match the expected API version (apps/v1)',
  ],
  [
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    '{"kind":"Pod","apiVersion":"v1"}',
    isNot(
      'Pod',
      'v1',
      'no kind "Pod" is registered for version "v1" in scheme "pkg/apiserver/apiserver.go:55"',
      'CustomResourceDefinition',
    ),
  ],
]

for (const [path, body, message] of refused)
  test(`${body} is no body for ${path}`, async () => {
    const { status, body: answer } = await api.send<Status>('POST', path, body)
    assert.deepEqual([status, answer.message], [400, message])
  })

const inApps = (plural: string) => `/apis/apps/v1/namespaces/default/${plural}`
const inNetworking = (plural: string) => `/apis/networking.k8s.io/v1/namespaces/default/${plural}`
const scale = `${inApps('deployments')}/any/scale`
const webhooks = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'

/** Kinds in versions that are served no longer, or not with this kind. */
const former: readonly (readonly [path: string, kind: string, apiVersion: string, known: boolean])[] = [
  [inApps('deployments'), 'Deployment', 'extensions/v1beta1', true],
  [inApps('daemonsets'), 'DaemonSet', 'extensions/v1beta1', true],
  [inApps('daemonsets'), 'DaemonSet', 'apps/v1beta2', true],
  [inApps('daemonsets'), 'DaemonSet', 'apps/v1beta1', false],
  [inApps('replicasets'), 'ReplicaSet', 'apps/v1beta1', false],
  [inApps('statefulsets'), 'StatefulSet', 'extensions/v1beta1', false],
  [inNetworking('networkpolicies'), 'NetworkPolicy', 'extensions/v1beta1', true],
  [inNetworking('networkpolicies'), 'NetworkPolicy', 'networking.k8s.io/v1beta1', false],
  [inNetworking('ingresses'), 'Ingress', 'networking.k8s.io/v1beta1', true],
  ['/apis/batch/v1/namespaces/default/jobs', 'Job', 'batch/v1beta1', false],
  ['/apis/batch/v1/namespaces/default/cronjobs', 'CronJob', 'batch/v1beta1', true],
  ['/apis/storage.k8s.io/v1/storageclasses', 'StorageClass', 'storage.k8s.io/v1beta1', true],
  ['/apis/storage.k8s.io/v1/storageclasses', 'StorageClass', 'storage.k8s.io/v1alpha1', false],
  ['/apis/coordination.k8s.io/v1/namespaces/default/leases', 'Lease', 'coordination.k8s.io/v1beta1', true],
  ['/apis/coordination.k8s.io/v1/namespaces/default/leases', 'Lease', 'coordination.k8s.io/v1alpha2', false],
  [webhooks, 'ValidatingWebhookConfiguration', 'admissionregistration.k8s.io/v1beta1', true],
  [webhooks, 'ValidatingWebhookConfiguration', 'admissionregistration.k8s.io/v1alpha1', false],
  [scale, 'Scale', 'extensions/v1beta1', true],
  [scale, 'Scale', 'apps/v1beta1', true],
  [scale, 'Scale', 'apps/v1beta2', true],
  [scale, 'Scale', 'apps/v1', false],
]

for (const [path, kind, apiVersion, known] of former)
  test(`${kind} of ${apiVersion} is ${known ? 'another version' : 'unknown'}`, async () => {
    const expected = path === scale ? 'autoscaling/v1' : path.split('/').slice(2, 4).join('/')
    const { status, body } = await api.send<Status>(path === scale ? 'PUT' : 'POST', path, JSON.stringify({ kind, apiVersion }))
    const otherVersion = `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`
    const unknown = `no kind "${kind}" is registered for version "${apiVersion}" ${scheme}`
    assert.deepEqual([status, body.message], [400, known ? otherVersion : isNot(kind, apiVersion.split('/')[1] ?? '', unknown, kind)])
  })

test('kinds of other groups that are known are named in the error', async () => {
  const eviction = '/api/v1/namespaces/default/pods/any/eviction'
  const { body } = await api.send<Status>('POST', eviction, '{"kind":"Scale","apiVersion":"apps/v1beta1"}')
  assert.equal(body.message, isNot('Scale', 'v1beta1', 'converting (v1beta1.Scale) to (policy.Eviction): unknown conversion', 'Eviction'))
})

test('YAML is read in the order of its keys', async () => {
  const { body } = await api.send<Status>('POST', maps, 'kind: [a]\napiVersion: {}', { 'content-type': 'application/yaml' })
  assert.match(body.message ?? '', /cannot unmarshal object into Go struct field \.apiVersion of type string/)
})

test('an empty group or null stands for the kind of the URL', async () => {
  for (const body of ['{"apiVersion":"/v1","metadata":{"name":"a"}}', '{"apiVersion":"/","metadata":{"name":"a"}}'])
    assert.equal((await api.send('POST', `${maps}?dryRun=All`, body)).status, 201)
  assert.equal((await api.send<Status>('POST', maps, 'null')).body.reason, 'Invalid')
})

test('kind and apiVersion of a strategic merge patch are ignored, those of other patches are not', async () => {
  await api.send('POST', maps, { metadata: { name: 'patched' }, data: { a: 'b' } })
  const patch = (type: string, body: object) =>
    api.send<Status>('PATCH', `${maps}/patched`, body, { 'content-type': `application/${type}+json` })
  const other = { kind: 'Foo', apiVersion: 'any/v7', data: { a: 'c' } }
  const merged = await patch('strategic-merge-patch', other)
  assert.deepEqual([merged.status, merged.body.kind, merged.body.apiVersion], [200, 'ConfigMap', 'v1'])
  assert.match((await patch('strategic-merge-patch', { kind: 7 })).body.message ?? '', /"map\[kind:7\]": cannot convert int64 to string$/)
  const refused = await patch('merge-patch', other)
  assert.equal(refused.status, 422)
  assert.match(refused.body.message ?? '', /patch: Invalid value: "{\\"apiVersion\\":\\"any\/v7\\",\\"data\\":/)
  assert.ok(refused.body.message?.endsWith(`: no kind "Foo" is registered for version "any/v7" ${scheme}`))
  assert.equal(refused.body.details?.kind, undefined)
  const operations = await patch('json-patch', [{ op: 'replace', path: '/kind', value: 'Pod' }])
  assert.ok(operations.body.message?.endsWith('converting (v1.Pod) to (core.ConfigMap): unknown conversion'))
})

test('a protobuf body without readable kind', async () => {
  const post = (body: Uint8Array) => api.send<Status>('POST', maps, body, { 'content-type': 'application/vnd.kubernetes.protobuf' })
  const magic = [0x6b, 0x38, 0x73, 0]
  assert.equal((await post(new Uint8Array(magic))).body.message, unreadable('empty body', '6b387300'))
  assert.equal((await post(new Uint8Array([...magic, 0x0a]))).body.message, unreadable('unexpected EOF', '6b3873000a'))
  // An envelope without kind is one of the URL's kind.
  assert.equal((await post(new Uint8Array([...magic, 0x0a, 0]))).body.reason, 'Invalid')
})

test('a patch that takes the version away leaves none of the fields', async () => {
  await api.create(maps, { metadata: { name: 'versioned' }, data: { a: '1' } })
  const path = `${maps}/versioned`
  const message = 'the name of the object (versioned based on URL) was undeterminable: name must be provided'
  const unknown = ['data', 'metadata'].map((name) => `unknown field ${JSON.stringify(name)}`)
  for (const patch of [{ apiVersion: null }, { apiVersion: '', kind: null, data: null }]) {
    const answer = await api.patch(path, patch)
    const { message: text } = answer.body as unknown as Status
    assert.deepEqual([answer.status, text], [400, message])
    const warnings = unknown.slice('data' in patch ? 1 : 0).map((warning) => `299 - ${JSON.stringify(warning)}`)
    assert.equal(answer.headers.get('warning'), warnings.join(', '))
  }
  const strict = (await api.patch(`${path}?fieldValidation=Strict`, { apiVersion: null })).body as unknown as Status
  assert.match(strict.message ?? '', /: strict decoding error: unknown field "data", unknown field "metadata"$/)
  assert.equal((await api.patch(path, { kind: null })).status, 200)
})

test('duplicate members of a JSON body are merged', async () => {
  const text = '{"metadata":{"name":"twice"},"data":{"a":"1","a":"2"},"data":{"b":"1"}}'
  const answer = await api.send('POST', maps, text)
  assert.deepEqual([answer.status, (answer.body as unknown as { data: object }).data], [201, { a: '2', b: '1' }])
})
