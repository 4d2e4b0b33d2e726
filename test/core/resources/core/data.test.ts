import assert from 'node:assert/strict'
import { test } from 'node:test'
import { causesOf, freshName, type Json, refusedCases, send, storedCases, updatedCases, withServer } from './harness.ts'

withServer()
const secrets = '/api/v1/namespaces/default/secrets'
const configMaps = '/api/v1/namespaces/default/configmaps'
const key =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"

storedCases(secrets, [
  ['type', {}, { type: 'Opaque' }],
  [
    'texts',
    { data: { a: 'eA==', b: 'eQ==' }, stringData: { a: 'new', c: 'ü' } },
    { data: { a: 'bmV3', b: 'eQ==', c: 'w7w=' }, stringData: undefined },
  ],
  ['TLS with both keys', { type: 'kubernetes.io/tls', data: { 'tls.crt': '', 'tls.key': '' } }, { type: 'kubernetes.io/tls' }],
  [
    'basic auth with a password only',
    { type: 'kubernetes.io/basic-auth', stringData: { password: 'x' } },
    { type: 'kubernetes.io/basic-auth' },
  ],
  [
    'registry credentials',
    { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': '{}' } },
    { data: { '.dockerconfigjson': 'e30=' } },
  ],
])
refusedCases(secrets, [
  ['keys with spaces', { data: { 'a b': 'eA==' } }, `data[a b]: Invalid value: "a b": ${key}`],
  ['the key ..', { data: { '..': 'eA==' } }, `data[..]: Invalid value: "..": must not be '..'`],
  ['more than a mebibyte', { data: { a: 'A'.repeat(1_398_108) } }, 'data: Too long: may not be more than 1048576 bytes'],
  ['TLS without keys', { type: 'kubernetes.io/tls' }, 'data[tls.crt]: Required value', 'data[tls.key]: Required value'],
  [
    'basic authentication without parts',
    { type: 'kubernetes.io/basic-auth' },
    'data[username]: Required value',
    'data[password]: Required value',
  ],
  ['SSH without key', { type: 'kubernetes.io/ssh-auth' }, 'data[ssh-privatekey]: Required value'],
  ['missing registry credentials', { type: 'kubernetes.io/dockerconfigjson' }, 'data[.dockerconfigjson]: Required value'],
  [
    'invalid registry credentials',
    { type: 'kubernetes.io/dockercfg', stringData: { '.dockercfg': '[]' } },
    'data[.dockercfg]: Invalid value: "<secret contents redacted>": json: cannot unmarshal array into Go value of type map[string]interface {}',
  ],
  [
    'a service account token without account',
    { type: 'kubernetes.io/service-account-token' },
    'metadata.annotations[kubernetes.io/service-account.name]: Required value',
  ],
])
updatedCases(secrets, [
  ['data', { stringData: { a: 'b' } }, { stringData: { a: 'c' } }],
  ['type', {}, { type: 'example.com/x' }, 'type: Invalid value: "example.com/x": field is immutable'],
  [
    'immutable data',
    { immutable: true, stringData: { a: 'b' } },
    { stringData: { a: 'c' } },
    'data: Forbidden: field is immutable when `immutable` is set',
  ],
  ['thawing', { immutable: true }, { immutable: false }, 'immutable: Forbidden: field is immutable when `immutable` is set'],
  ['empty data of an immutable object', { immutable: true }, { data: {} }, 'data: Forbidden: field is immutable when `immutable` is set'],
  ['labels of an immutable object', { immutable: true }, { metadata: { labels: { a: 'b' } } }],
])
refusedCases(configMaps, [
  ['keys with slashes', { data: { 'a/b': 'x' } }, `data[a/b]: Invalid value: "a/b": ${key}`],
  [
    'a key in data and binaryData',
    { data: { a: 'x' }, binaryData: { a: 'eA==' } },
    'data[a]: Invalid value: "a": duplicate of key present in binaryData',
  ],
  ['more than a mebibyte', { data: { a: 'é'.repeat(524_289) } }, '[]: Too long: may not be more than 1048576 bytes'],
])
updatedCases(configMaps, [
  [
    'immutable data',
    { immutable: true, data: { a: 'b' } },
    { data: { a: 'c' } },
    'data: Forbidden: field is immutable when `immutable` is set',
  ],
  ['freezing', { data: { a: 'b' } }, { immutable: true }],
  ['empty data of an immutable object without data, which has them by default', { immutable: true }, { data: {} }],
  [
    'empty binary data of an immutable object without data',
    { immutable: true },
    { data: {}, binaryData: {} },
    'binaryData: Forbidden: field is immutable when `immutable` is set',
  ],
  ['no data in place of empty ones', { immutable: true, data: {}, binaryData: {} }, { immutable: true }],
])

const namespaces = '/api/v1/namespaces'
test('a namespace is Active, has the finalizer of its content, and a label with its name', async () => {
  const name = freshName()
  const { body } = await send('POST', namespaces, { metadata: { name, labels: { 'kubernetes.io/metadata.name': 'other', a: 'b' } } })
  assert.deepEqual(body.metadata?.['labels'], { 'kubernetes.io/metadata.name': name, a: 'b' })
  assert.deepEqual(body.spec, { finalizers: ['kubernetes'] })
  assert.deepEqual(body.status, { phase: 'Active' })
  const patched = await send('PATCH', `${namespaces}/${name}`, { metadata: { labels: null }, spec: { finalizers: [] } })
  assert.deepEqual(patched.body.metadata?.['labels'], { 'kubernetes.io/metadata.name': name })
  assert.deepEqual(patched.body.spec, { finalizers: ['kubernetes'] })
  const phase = await send('PATCH', `${namespaces}/${name}/status`, { status: { phase: 'Terminating' } })
  assert.deepEqual(causesOf(phase), ['status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty'])
})
refusedCases(namespaces, [
  ['a name with dots', { metadata: { name: 'a.b' } }, 'metadata.name: Invalid value: "a.b": must not contain dots'],
  [
    'finalizers without domain',
    { spec: { finalizers: ['mine'] } },
    'spec.finalizers: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
  ],
] satisfies readonly (readonly [string, Json, ...string[]])[])
