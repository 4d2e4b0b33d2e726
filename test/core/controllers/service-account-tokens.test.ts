/** Secrets of the type service-account-token, as the token controller of a controller manager keeps them. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startTestServer } from '../../../runtimes/testing/index.ts'
import { type Api, apiOf, type TestObject } from '../../support/api.ts'
import { eventually } from '../../support/wait.ts'
import { start } from './support.ts'

const home = '/api/v1/namespaces/default'
const accounts = `${home}/serviceaccounts`
const secrets = `${home}/secrets`
const account = (name: string, more: object = {}) => ({ kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name }, ...more })
const secret = (name: string, owner: string, more: object = {}) => ({
  kind: 'Secret',
  apiVersion: 'v1',
  type: 'kubernetes.io/service-account-token',
  metadata: { name, annotations: { 'kubernetes.io/service-account.name': owner, ...more } },
})
const dataOf = (object: TestObject) => (object['data'] ?? {}) as { readonly [key: string]: string }
const text = (base64 = '') => Buffer.from(base64, 'base64').toString()
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

/** A server with a signing key. */
async function serve(t: TestContext): Promise<Api> {
  const server = await startTestServer({ controllers: ['serviceaccount-token'] })
  t.after(() => server.close())
  return apiOf((path, init) => server.fetch(path, init))
}

const reached = async (api: Api, path: string, wanted: (object: TestObject) => boolean) => {
  let found: TestObject | undefined
  await eventually(path, async () => {
    const { status, body } = await api.get<TestObject>(path)
    found = body
    return status === 200 && wanted(body)
  })
  return found as TestObject
}
const gone = (api: Api, path: string) => eventually(`the end of ${path}`, async () => (await api.get(path)).status === 404)
const isFilled = (object: TestObject) => dataOf(object)['token'] !== undefined

test('a Secret gets token, namespace and uid, and its token authenticates the account', async (t) => {
  const api = await serve(t)
  const { uid } = (await api.create(accounts, account('builder'))).metadata
  await api.create(secrets, secret('builder-token', 'builder'))
  const filled = await reached(api, `${secrets}/builder-token`, isFilled)
  assert.equal(text(dataOf(filled)['namespace']), 'default')
  assert.deepEqual(filled.metadata.annotations, {
    'kubernetes.io/service-account.name': 'builder',
    'kubernetes.io/service-account.uid': uid,
  })
  const token = text(dataOf(filled)['token'])
  assert.deepEqual(claimsOf(token), {
    iss: 'kubernetes/serviceaccount',
    'kubernetes.io/serviceaccount/namespace': 'default',
    'kubernetes.io/serviceaccount/secret.name': 'builder-token',
    'kubernetes.io/serviceaccount/service-account.name': 'builder',
    'kubernetes.io/serviceaccount/service-account.uid': uid,
    sub: 'system:serviceaccount:default:builder',
  })
  const who = await api.send<TestObject>(
    'POST',
    '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' },
    { authorization: `Bearer ${token}` },
  )
  assert.match(JSON.stringify(who.body), /"username":"system:serviceaccount:default:builder"/)
})

test('what is taken away is filled in again, what a user has put there stays', async (t) => {
  const api = await serve(t)
  await api.create(accounts, account('builder'))
  await api.create(secrets, { ...secret('own', 'builder'), data: { namespace: 'b3RoZXI=', extra: 'eA==' } })
  const filled = await reached(api, `${secrets}/own`, isFilled)
  assert.deepEqual([text(dataOf(filled)['namespace']), text(dataOf(filled)['extra'])], ['other', 'x'])
  await api.patch(`${secrets}/own`, { data: { token: null, namespace: null } })
  const again = await reached(api, `${secrets}/own`, isFilled)
  assert.equal(text(dataOf(again)['namespace']), 'default')
})

test('a Secret without its account is deleted: of an unknown one, of another uid, with the account', async (t) => {
  const api = await serve(t)
  await api.create(accounts, account('builder'))
  await api.create(secrets, secret('unknown', 'nobody'))
  await api.create(secrets, secret('former', 'builder', { 'kubernetes.io/service-account.uid': crypto.randomUUID() }))
  await api.create(secrets, { ...secret('opaque', 'nobody'), type: 'Opaque' })
  await api.create(secrets, secret('current', 'builder'))
  await gone(api, `${secrets}/unknown`)
  await gone(api, `${secrets}/former`)
  await reached(api, `${secrets}/current`, isFilled)
  await api.delete(`${accounts}/builder`)
  await gone(api, `${secrets}/current`)
  assert.equal((await api.get(`${secrets}/opaque`)).status, 200)
})

test('an account loses its reference to a deleted Secret, and keeps others', async (t) => {
  const api = await serve(t)
  await api.create(accounts, account('builder', { secrets: [{ name: 'first' }, { name: 'second' }] }))
  for (const name of ['first', 'second']) await api.create(secrets, secret(name, 'builder'))
  await reached(api, `${secrets}/first`, isFilled)
  await api.delete(`${secrets}/first`)
  const left = await reached(
    api,
    `${accounts}/builder`,
    (object) => JSON.stringify((object as { secrets?: unknown }).secrets) === '[{"name":"second"}]',
  )
  assert.ok(left)
})

test('a server without a signing key leaves the Secrets alone', async (t) => {
  const server = await start(t, { controllers: ['serviceaccount-token', 'garbage-collector'] })
  await server.create(accounts, account('builder'))
  const created = await server.create(secrets, secret('token', 'nobody'))
  const orphan = { ...secret('probe', 'builder'), type: 'Opaque' }
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: crypto.randomUUID() }]
  await server.gone(`${secrets}/probe`, () => server.create(secrets, { ...orphan, metadata: { ...orphan.metadata, ownerReferences } }))
  assert.deepEqual((await server.get(`${secrets}/token`)).body, created)
})
