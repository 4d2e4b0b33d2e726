import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Api, assertFailure } from '../../../support/api.ts'
import { type InProcess, startInProcess } from '../../../support/in-process.ts'

let running: InProcess
let api: Api
before(async () => {
  running = await startInProcess({
    authorizationModes: ['RBAC'],
    anonymous: false,
    authenticators: [{ name: 'test', authenticate: async () => admin }],
  })
  api = running.api
})
after(() => running.close())

const admin = { user: { name: 'root', uid: '7', groups: ['system:masters'], extra: { tint: ['red'], shade: ['dark'] } } }
const authorization = '/apis/authorization.k8s.io/v1'
const post = (path: string, spec: object) => api.send('POST', path, { spec })
const getPods = { namespace: 'default', verb: 'get', resource: 'pods' }

test('may I?', async () => {
  const { status, body } = await post(`${authorization}/selfsubjectaccessreviews`, { resourceAttributes: getPods })
  assert.deepEqual([status, body.status?.['allowed']], [201, true])
})

test('may somebody?', async () => {
  const path = `${authorization}/subjectaccessreviews`
  assert.equal((await post(path, { user: 'nobody', resourceAttributes: getPods })).body.status?.['allowed'], false)
  assert.equal((await post(path, { groups: ['system:masters'], resourceAttributes: getPods })).body.status?.['allowed'], true)
  assert.equal(
    (await post(path, { user: 'x', groups: ['system:authenticated'], nonResourceAttributes: { path: '/version', verb: 'get' } })).body
      .status?.['allowed'],
    true,
  )
  assertFailure(
    await post(path, { resourceAttributes: getPods }),
    422,
    'Invalid',
    /spec.user: Invalid value: "": at least one of user or group must be specified/,
  )
  assertFailure(
    await post(path, { user: 'x' }),
    422,
    'Invalid',
    /exactly one of nonResourceAttributes or resourceAttributes must be specified/,
  )
})

test('LocalSubjectAccessReview', async () => {
  const path = `${authorization}/namespaces/default/localsubjectaccessreviews`
  assert.equal((await post(path, { groups: ['system:masters'], resourceAttributes: getPods })).body.status?.['allowed'], true)
  const elsewhere = { user: 'x', resourceAttributes: { ...getPods, namespace: 'other' } }
  assertFailure(
    await post(path, elsewhere),
    422,
    'Invalid',
    /spec.resourceAttributes.namespace: Invalid value: "other": must match metadata.namespace/,
  )
  const everywhere = await post(`${authorization}/localsubjectaccessreviews`, elsewhere)
  assertFailure(everywhere, 404, 'NotFound')
})

test('SelfSubjectRulesReview', async () => {
  const { body } = await post(`${authorization}/selfsubjectrulesreviews`, { namespace: 'default' })
  const { resourceRules, incomplete } = body.status as { resourceRules: object[]; incomplete: boolean }
  assert.deepEqual(resourceRules[0], { verbs: ['*'], apiGroups: ['*'], resources: ['*'] })
  assert.equal(incomplete, false)
  assertFailure(await post(`${authorization}/selfsubjectrulesreviews`, {}), 400, 'BadRequest', 'no namespace on request')
})

test('SelfSubjectReview', async () => {
  const { status, body } = await post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {})
  assert.equal(status, 201)
  const { username, uid, extra } = (body.status as { userInfo: { username: string; uid: string; extra: object } }).userInfo
  assert.deepEqual([username, uid, extra], ['root', '7', { tint: ['red'], shade: ['dark'] }])
  assert.deepEqual(Object.keys(extra), ['shade', 'tint'], 'sorted, as by Go')
})

test('TokenReview', async () => {
  const path = '/apis/authentication.k8s.io/v1/tokenreviews'
  const { body } = await post(path, { token: 'nobody' })
  assert.notEqual(body.status?.['authenticated'], true)
  assertFailure(await post(path, {}), 400, 'BadRequest', /token is required for TokenReview in authentication/)
})

test('reviews can only be created and are never stored', async () => {
  const path = `${authorization}/selfsubjectaccessreviews`
  assertFailure(await api.get(path), 405, 'MethodNotAllowed')
  assertFailure(await post(`${path}/named`, { resourceAttributes: getPods }), 404, 'NotFound')
})
