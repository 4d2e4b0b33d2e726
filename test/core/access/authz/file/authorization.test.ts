import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { authorizationConfiguration } from '../../../../../core/access/authz/file/authorization.ts'
import { loadFile } from '../../../../../core/config/files/load.ts'
import { createPlatform } from '../../../../../core/platform.ts'

function load(authorizers: unknown, platform = createPlatform()) {
  const text = JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthorizationConfiguration', authorizers })
  return loadFile(authorizationConfiguration, text, 'f', platform)
}
const webhook = {
  timeout: '3s',
  subjectAccessReviewVersion: 'v1',
  matchConditionSubjectAccessReviewVersion: 'v1',
  failurePolicy: 'Deny',
  connectionInfo: { type: 'InClusterConfig' },
}
const hook = (changes: object = {}, name = 'hook') => ({ type: 'Webhook', name, webhook: { ...webhook, ...changes } })

function problems(authorizers: unknown): string {
  try {
    load(authorizers)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return ''
}

test('a file with defaults', () => {
  const { authorizers } = load([{ type: 'Node', name: 'node' }, hook({ authorizedTTL: '1m' }), hook({}, 'other.hook')])
  assert.equal(authorizers[1]?.webhook?.authorizedTTL, 60_000)
  assert.equal(authorizers[2]?.webhook?.authorizedTTL, 300_000)
  assert.equal(authorizers[2]?.webhook?.unauthorizedTTL, 30_000)
  assert.equal(authorizers[2]?.webhook?.cacheAuthorizedRequests, true)
  assert.equal(authorizers[0]?.webhook, undefined)
})

test('the connection type has two spellings', () => {
  for (const [type, field] of [
    ['PlatformConfigFile', 'platformConfigFile'],
    ['KubeConfigFile', 'kubeConfigFile'],
  ] as const) {
    const file = load([hook({ connectionInfo: { type, [field]: '/c' } })])
    assert.equal(file.authorizers[0]?.webhook?.connectionInfo.platformConfigFile, '/c')
  }
})

describe('authorizers', () => {
  for (const [authorizers, message] of [
    [[], /authorizers: Required value: at least one authorization mode must be defined/],
    [[{ name: 'a' }], /authorizers\[0\]\.type: Required value/],
    [[{ type: 'Nope', name: 'a' }], /authorizers\[0\]\.type: Unsupported value: "Nope": supported values: "ABAC", "AlwaysAllow"/],
    [
      [
        { type: 'RBAC', name: 'a' },
        { type: 'RBAC', name: 'b' },
      ],
      /authorizers\[1\]\.type: Duplicate value: "RBAC"/,
    ],
    [[{ type: 'RBAC' }], /authorizers\[0\]\.name: Required value/],
    [[{ type: 'RBAC', name: 'A_b' }], /authorizers\[0\]\.name: Invalid value: "A_b": authorizer name is invalid/],
    [
      [
        { type: 'RBAC', name: 'a' },
        { type: 'Node', name: 'a' },
      ],
      /authorizers\[1\]\.name: Duplicate value: "a"/,
    ],
    [[{ type: 'Webhook', name: 'a' }], /authorizers\[0\]\.webhook: Required value: required when type=Webhook/],
    [
      [{ type: 'RBAC', name: 'a', webhook }],
      /authorizers\[0\]\.webhook: Invalid value: "non-null": may only be specified when type=Webhook/,
    ],
    [[{ type: 'RBAC', name: 'a', extra: 1 }], /unknown field "authorizers\[0\]\.extra"/],
  ] as const) {
    test(JSON.stringify(authorizers), () => assert.match(problems(authorizers), message))
  }
  test('all errors are reported together', () =>
    assert.equal(problems([{}, { type: 'X' }, { type: 'Webhook', name: 'a' }]).split('; ').length, 5))
})

describe('webhook', () => {
  const conditions = (count: number) => Array.from({ length: count }, (_, i) => ({ expression: `request.user == '${i}'` }))
  assert.equal(problems([hook({ timeout: '30s', matchConditions: conditions(64) })]), '')
  for (const [changes, message] of [
    [{ timeout: undefined }, /webhook\.timeout: Required value/],
    [{ timeout: '31s' }, /webhook\.timeout: Invalid value: "31s": must be > 0s and <= 30s/],
    [{ timeout: '-1s' }, /must be > 0s and <= 30s/],
    [{ authorizedTTL: '-1s' }, /authorizedTTL: Invalid value: "-1s": must be > 0s/],
    [{ unauthorizedTTL: '-1s' }, /unauthorizedTTL: Invalid value/],
    [{ subjectAccessReviewVersion: 'v2' }, /subjectAccessReviewVersion: Unsupported value: "v2": supported values: "v1", "v1beta1"/],
    [{ subjectAccessReviewVersion: '' }, /subjectAccessReviewVersion: Required value/],
    [{ matchConditionSubjectAccessReviewVersion: 'v1beta1' }, /matchConditionSubjectAccessReviewVersion: Unsupported value/],
    [{ matchConditionSubjectAccessReviewVersion: '', matchConditions: conditions(1) }, /required if match conditions are specified/],
    [{ failurePolicy: 'Ignore' }, /failurePolicy: Unsupported value: "Ignore": supported values: "NoOpinion", "Deny"/],
    [{ failurePolicy: '' }, /failurePolicy: Required value/],
    [{ connectionInfo: undefined }, /connectionInfo\.type: Required value/],
    [{ connectionInfo: { type: 'x' } }, /connectionInfo\.type: Unsupported value: "x"/],
    [{ connectionInfo: { type: 'InClusterConfig', platformConfigFile: '/x' } }, /can only be set when type=PlatformConfigFile/],
    [{ connectionInfo: { type: 'PlatformConfigFile' } }, /connectionInfo\.platformConfigFile: Required value/],
    [{ connectionInfo: { type: 'PlatformConfigFile', platformConfigFile: 'x' } }, /must be an absolute path/],
    [{ matchConditions: conditions(65) }, /matchConditions: Too many: 65: must have at most 64 items/],
    [{ matchConditions: [...conditions(1), ...conditions(1)] }, /matchConditions\[1\]\.expression: Duplicate value/],
    [{ matchConditions: [{ expression: ' ' }] }, /matchConditions\[0\]\.expression: Required value/],
  ] as const) {
    test(JSON.stringify(changes).slice(0, 100), () => assert.match(problems([hook(changes)]), message))
  }
})
