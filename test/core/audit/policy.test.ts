import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AuditPolicy, compilePolicy, type PolicyRule } from '../../../core/audit/policy.ts'
import type { User } from '../../../core/request/exchange.ts'
import { requestInfo } from '../../../core/request/info.ts'

const empty: PolicyRule = {
  omitManagedFields: undefined,
  level: 'Metadata',
  users: [],
  userGroups: [],
  verbs: [],
  resources: [],
  namespaces: [],
  nonResourceURLs: [],
  omitStages: [],
}
const policyOf = (rules: readonly Partial<PolicyRule>[], more: Partial<AuditPolicy> = {}) =>
  compilePolicy({
    kind: '',
    apiVersion: '',
    rules: rules.map((rule) => ({ ...empty, ...rule })),
    omitStages: [],
    omitManagedFields: false,
    ...more,
  })
const infoOf = (request: string) => {
  const [method = '', path = ''] = request.split(' ')
  const [before = '', query] = path.split('?')
  return requestInfo(method, before, new URLSearchParams(query))
}
const jane: User = { name: 'jane', groups: ['dev', 'system:authenticated'] }
const resources = (group: string, names: string[], resourceNames: string[] = []) => ({
  resources: [{ group, resources: names, resourceNames }],
})

const pods = '/api/v1/namespaces/default/pods'
const matching: readonly (readonly [Partial<PolicyRule>, matched: readonly string[], others: readonly string[]])[] = [
  [{}, [`GET ${pods}`, 'GET /healthz', `DELETE ${pods}/a`], []],
  [{ verbs: ['list', 'watch'] }, [`GET ${pods}`, `GET ${pods}?watch=1`], [`GET ${pods}/a`, 'GET /healthz']],
  [{ verbs: ['get'] }, [`GET ${pods}/a`, 'GET /healthz'], [`GET ${pods}`]],
  [{ namespaces: ['default'] }, [`GET ${pods}`], ['GET /api/v1/namespaces/other/pods', 'GET /api/v1/nodes', 'GET /healthz']],
  [{ namespaces: [''] }, ['GET /api/v1/nodes', 'GET /api/v1/pods'], [`GET ${pods}`, 'GET /healthz']],
  [resources('', ['pods']), [`GET ${pods}`, `POST ${pods}`], [`GET ${pods}/a/log`, 'GET /api/v1/nodes', 'GET /apis/apps/v1/deployments']],
  [resources('', ['pods/log']), [`GET ${pods}/a/log`], [`GET ${pods}/a`, `GET ${pods}/a/status`]],
  [resources('', ['pods/*']), [`GET ${pods}/a/log`, `GET ${pods}/a`], ['GET /api/v1/nodes/a/status']],
  [resources('*', ['*/scale']), ['GET /apis/apps/v1/namespaces/d/deployments/a/scale'], ['GET /apis/apps/v1/namespaces/d/deployments/a']],
  [resources('*', ['*']), [`GET ${pods}/a/log`, 'GET /apis/apps/v1/deployments'], ['GET /api/v1', 'GET /healthz']],
  [resources('apps', []), ['GET /apis/apps/v1/deployments', 'GET /apis/apps/v1/namespaces/d/deployments/a/scale'], [`GET ${pods}`]],
  [resources('', ['pods'], ['a', 'b']), [`GET ${pods}/a`, `PUT ${pods}/b`], [`GET ${pods}/c`, `GET ${pods}`]],
  [{ ...resources('', ['pods']), namespaces: ['other'] }, ['GET /api/v1/namespaces/other/pods'], [`GET ${pods}`]],
  [{ nonResourceURLs: ['/healthz*'] }, ['GET /healthz', 'GET /healthz/ping'], ['GET /health', `GET ${pods}`]],
  [{ nonResourceURLs: ['/version'] }, ['GET /version'], ['GET /version/']],
  [{ nonResourceURLs: ['*'] }, ['GET /version', 'GET /api/v1'], [`GET ${pods}`]],
]

for (const [rule, matched, others] of matching)
  test(`rule ${JSON.stringify(rule)}`, () => {
    const evaluate = policyOf([rule])
    for (const request of matched) assert(evaluate(infoOf(request), jane), request)
    for (const request of others) assert.equal(evaluate(infoOf(request), jane), undefined, request)
  })

test('users and groups; a request that was refused before authentication has neither', () => {
  const get = infoOf(`GET ${pods}`)
  assert(policyOf([{ users: ['jane'] }])(get, jane))
  assert(policyOf([{ userGroups: ['dev', 'x'] }])(get, jane))
  for (const rule of [{ users: ['joe'] }, { userGroups: ['ops'] }, { users: ['jane'], userGroups: ['ops'] }])
    assert.equal(policyOf([rule])(get, jane), undefined)
  for (const rule of [{ users: [''] }, { userGroups: ['dev'] }]) assert.equal(policyOf([rule])(get, undefined), undefined)
  assert(policyOf([{}])(get, undefined))
})

test('the first rule that matches decides; none: not recorded', () => {
  const evaluate = policyOf([
    { level: 'None', users: ['jane'], verbs: ['list'] },
    { level: 'Request', users: ['jane'] },
    { level: 'RequestResponse', verbs: ['list'] },
  ])
  assert.equal(evaluate(infoOf(`GET ${pods}`), jane), undefined)
  assert.equal(evaluate(infoOf(`GET ${pods}/a`), jane)?.level, 'Request')
  assert.equal(evaluate(infoOf(`GET ${pods}`), { name: 'joe', groups: [] })?.level, 'RequestResponse')
  assert.equal(evaluate(infoOf(`GET ${pods}/a`), { name: 'joe', groups: [] }), undefined)
})

test('levels and what they record, omitted stages of policy and rule, managed fields', () => {
  const get = infoOf(`GET ${pods}`)
  const parts = ['Metadata', 'Request', 'RequestResponse'].map((level) => policyOf([{ level }])(get, jane))
  assert.deepEqual(
    parts.map((each) => [each?.request, each?.response]),
    [
      [false, false],
      [true, false],
      [true, true],
    ],
  )
  const omitting = policyOf([{ omitStages: ['Panic'] }], { omitStages: ['RequestReceived'] })(get, jane)
  assert.deepEqual(omitting?.omitted, new Set(['RequestReceived', 'Panic']))
  const managed = (omitManagedFields: boolean, own?: boolean) =>
    policyOf([{ omitManagedFields: own }], { omitManagedFields })(get, jane)?.omitsManagedFields
  assert.deepEqual([managed(true), managed(false), managed(true, false), managed(false, true)], [true, false, false, true])
})
