import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type Answer, type Api, assertFailure } from '../../../support/api.ts'
import { type InProcess, startInProcess } from '../../../support/in-process.ts'
import { pod, pods } from './objects.ts'

const hour = 3600
const issuer = 'https://issuer.example'
let running: InProcess
let api: Api

before(async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signingKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const keys = { signingKey, verificationKeys: [signingKey], issuers: [issuer] as const, audiences: ['own'] }
  running = await startInProcess({ serviceAccounts: { ...keys, maxSeconds: 24 * hour, extend: true } })
  api = running.api
  await api.create('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } })
})
after(() => running.close())

interface Token {
  readonly spec: { readonly audiences: string[]; readonly expirationSeconds: number }
  readonly status: { readonly token: string; readonly expirationTimestamp: string }
  readonly metadata: { readonly name: string; readonly namespace: string }
}

interface Claims {
  readonly exp: number
  readonly iat: number
  readonly 'kubernetes.io': {
    readonly pod?: { readonly name: string; readonly uid: string }
    readonly node?: { readonly name: string; readonly uid?: string }
    readonly warnafter?: number
  }
}

const ask = (spec: object = {}, metadata?: object, name = 'robot') =>
  api.send<Token>('POST', `/api/v1/namespaces/default/serviceaccounts/${name}/token`, { ...(metadata && { metadata }), spec })

function claimsOf({ body, status }: Answer<Token>): Claims {
  assert.equal(status, 201, JSON.stringify(body))
  return JSON.parse(Buffer.from(body.status.token.split('.')[1] ?? '', 'base64url').toString())
}

test('returns the request with its status', async () => {
  const answer = await ask()
  const { exp, iat } = claimsOf(answer)
  assert.equal(exp - iat, hour)
  assert.deepEqual(answer.body.spec.audiences, ['own'])
  assert.deepEqual([answer.body.metadata.name, answer.body.metadata.namespace], ['robot', 'default'])
  assert.ok(Math.abs(Date.parse(answer.body.status.expirationTimestamp) / 1000 - exp) <= 1)
})

test('name, namespace and uid in the body must match the URL', async () => {
  assert.equal((await ask({}, { name: 'robot', namespace: 'default' })).status, 201)
  assertFailure(
    await ask({}, { name: 'other' }),
    422,
    'Invalid',
    'TokenRequest.authentication.k8s.io "robot" is invalid: metadata.name: Invalid value: "other": must match the service account name if specified',
  )
  const { uid } = (await api.get('/api/v1/namespaces/default/serviceaccounts/robot')).body.metadata
  assert.equal((await ask({}, { uid })).status, 201)
  assertFailure(
    await ask({}, { uid: 'u2' }),
    409,
    'Conflict',
    `Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "robot": the UID in the token request (u2) does not match the UID of the service account (${uid})`,
  )
  assertFailure(await ask({}, undefined, 'nobody'), 404, 'NotFound', 'serviceaccounts "nobody" not found')
})

test('bounds the expiration', async () => {
  assertFailure(await ask({ expirationSeconds: 599 }), 422, 'Invalid', /may not specify a duration less than 10 minutes/)
  assertFailure(await ask({ expirationSeconds: 2 ** 32 + 1 }), 422, 'Invalid', /may not specify a duration larger than 2\^32 seconds/)
  const long = await ask({ expirationSeconds: 48 * hour })
  const { exp, iat } = claimsOf(long)
  assert.equal(exp - iat, 24 * hour)
  assert.equal(long.headers.get('warning'), `299 - "requested expiration of ${48 * hour} seconds shortened to ${24 * hour} seconds"`)
})

test('a token bound to a pod names the pod and its node', async () => {
  const created = await api.create(pods, pod('worker', { serviceAccountName: 'robot', nodeName: 'node-1' }))
  const reference = { kind: 'Pod', apiVersion: 'v1', name: 'worker' }
  const unknown = claimsOf(await ask({ boundObjectRef: reference }))['kubernetes.io']
  assert.deepEqual([unknown.pod, unknown.node], [{ name: 'worker', uid: created.metadata.uid }, { name: 'node-1' }])
  const node = await api.create('/api/v1/nodes', { metadata: { name: 'node-1' } })
  const known = claimsOf(await ask({ boundObjectRef: reference }))['kubernetes.io']
  assert.deepEqual(known.node, { name: 'node-1', uid: node.metadata.uid })
  assertFailure(
    await ask({ boundObjectRef: { ...reference, uid: 'other' } }),
    409,
    'Conflict',
    'Operation cannot be fulfilled on Pod "worker": the UID in the bound object reference (other) does not match the UID in record. The object might have been deleted and then recreated',
  )
})

test('refuses a pod that runs as another service account', async () => {
  await api.create(pods, pod('stranger', { serviceAccountName: 'default' }))
  assertFailure(
    await ask({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'stranger' } }),
    400,
    'BadRequest',
    'cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
  )
})

test('tokens can be bound to secrets and nodes, not to other kinds', async () => {
  await api.create('/api/v1/namespaces/default/secrets', { metadata: { name: 'hidden' } })
  assert.equal((await ask({ boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'hidden' } })).status, 201)
  const other = await ask({ boundObjectRef: { kind: 'Deployment', apiVersion: 'apps/v1', name: 'x' } })
  assertFailure(other, 400, 'BadRequest', 'cannot bind token to object of type apps/v1, Kind=Deployment')
  assertFailure(await ask({ boundObjectRef: { kind: 'Node', apiVersion: 'v1', name: 'none' } }), 404, 'NotFound')
})

test('tokens of projected volumes get a longer validity and a warnafter claim', async () => {
  await api.create(pods, pod('volume', { serviceAccountName: 'robot' }))
  const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: 'volume' }
  const answer = await ask({ boundObjectRef, expirationSeconds: hour + 7 })
  const { exp, iat, ...claims } = claimsOf(answer)
  assert.deepEqual([exp - iat, claims['kubernetes.io'].warnafter], [365 * 24 * hour, iat + hour + 7])
  assert.equal(answer.body.spec.expirationSeconds, hour + 7)
  const foreign = claimsOf(await ask({ boundObjectRef, expirationSeconds: hour + 7, audiences: ['foreign'] }))
  assert.equal(foreign.exp - foreign.iat, hour + 7)
})
