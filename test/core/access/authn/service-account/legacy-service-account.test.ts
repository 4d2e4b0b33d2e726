/** Service account tokens stored in secrets, against a whole server. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { SignJWT } from 'jose'
import { createPlatform } from '../../../../../core/platform.ts'
import { ManualClock } from '../../../../support/clock.ts'
import { startInProcess } from '../../../../support/in-process.ts'
import { silentLogger } from '../../../../support/logger.ts'

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const claim = (key: string) => `kubernetes.io/serviceaccount/${key}`
const secrets = '/api/v1/namespaces/default/secrets'
const accounts = '/api/v1/namespaces/default/serviceaccounts'
const lastUsed = 'kubernetes.io/legacy-token-last-used'
const invalidSince = 'kubernetes.io/legacy-token-invalid-since'
const day = 86_400_000

interface Review {
  readonly status: { readonly authenticated?: boolean; readonly error?: string; readonly user: { readonly username?: string } }
}

async function cluster(t: TestContext, lookup = true) {
  const clock = new ManualClock()
  const { api } = await startInProcess(
    {
      clock,
      controllers: [],
      telemetry: { logger: silentLogger },
      platform: createPlatform('kubernetes'),
      serviceAccounts: {
        signingKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        verificationKeys: [publicKey.export({ type: 'spki', format: 'pem' }).toString()],
        issuers: ['https://issuer'],
        audiences: ['https://issuer'],
        lookup,
      },
    },
    t,
  )
  const { uid } = (await api.create(accounts, { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'old' } })).metadata
  const claims = {
    iss: 'kubernetes/serviceaccount',
    sub: 'system:serviceaccount:default:old',
    [claim('namespace')]: 'default',
    [claim('secret.name')]: 'old-token',
    [claim('service-account.name')]: 'old',
    [claim('service-account.uid')]: uid,
  }
  const sign = (changes: { [name: string]: unknown } = {}, key = privateKey) =>
    new SignJWT({ ...claims, ...changes }).setProtectedHeader({ alg: 'ES256' }).sign(key)
  const put = (token: string, metadata: object = {}) =>
    api.create(secrets, {
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: { name: 'old-token', annotations: { 'kubernetes.io/service-account.name': 'old' }, ...metadata },
      type: 'kubernetes.io/service-account-token',
      stringData: { token },
    })
  const review = async (token: string) => {
    const { body } = await api.send<Review>('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
      kind: 'TokenReview',
      apiVersion: 'authentication.k8s.io/v1',
      spec: { token },
    })
    return body.status
  }
  return { clock, api, sign, put, review }
}

/** Text of a review: the reference lists the error of its own token's authenticator, too. */
const refused = (error: string) => `[invalid bearer token, ${error}]`

test('the secret must contain exactly this token, of the same account', async (t) => {
  const { api, sign, put, review } = await cluster(t)
  const token = await sign()
  assert.equal((await review(token)).error, refused('Token has been invalidated'))
  await put(token)
  assert.deepEqual((await review(token)).user.username, 'system:serviceaccount:default:old')
  assert.equal((await review(await sign({ more: 1 }))).error, refused("Token does not match server's copy"))
  await api.delete(`${accounts}/old`)
  assert.equal((await review(token)).error, refused('serviceaccounts "old" not found'))
  const again = await api.create(accounts, { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'old' } })
  assert.match(
    (await review(token)).error ?? '',
    new RegExp(`^\\[invalid bearer token, ServiceAccount UID \\(${again.metadata.uid}\\) does not match claim`),
  )
  await api.delete(`${secrets}/old-token`)
  assert.equal((await review(token)).error, refused('Token has been invalidated'))
})

test('every claim is required', async (t) => {
  const { sign, review } = await cluster(t, false)
  const cases: readonly (readonly [{ [name: string]: unknown }, string])[] = [
    [{ sub: undefined }, 'sub claim is missing'],
    [{ [claim('namespace')]: undefined }, 'namespace claim is missing'],
    [{ [claim('secret.name')]: '' }, 'secretName claim is missing'],
    [{ [claim('service-account.name')]: 7 }, 'serviceAccountName claim is missing'],
    [{ [claim('service-account.uid')]: null }, 'serviceAccountUID claim is missing'],
    [{ sub: 'system:serviceaccount:default:other' }, 'sub claim is invalid'],
    [{ sub: 'jane' }, 'sub claim is invalid'],
  ]
  for (const [changes, error] of cases) assert.equal((await review(await sign(changes))).error, refused(error))
  assert.equal((await review(await sign({}, stranger.privateKey))).authenticated, undefined, 'signed with another key')
  assert.equal((await review(await sign())).authenticated, true, 'without lookups the signature is enough')
})

test('records the last use once a day, and honours the invalid-since label', async (t) => {
  const { clock, api, sign, put, review } = await cluster(t)
  const token = await sign()
  await put(token)
  const used = async () => (await api.get(`${secrets}/old-token`)).body.metadata
  const today = () => new Date(clock.now()).toISOString().slice(0, 10)
  await review(token)
  const first = await used()
  assert.equal(first.labels?.[lastUsed], today())
  clock.advance(1_000)
  await review(token)
  assert.equal((await used()).resourceVersion, first.resourceVersion, 'not twice a day')
  clock.advance(day)
  await review(token)
  assert.equal((await used()).labels?.[lastUsed], today())
  await api.patch(`${secrets}/old-token`, { metadata: { labels: { [invalidSince]: today() } } })
  assert.match((await review(token)).error ?? '', /has been marked invalid/)
})

test('a token of a generated secret is accepted with a warning', async (t) => {
  const { api, sign, put } = await cluster(t)
  const token = await sign()
  await put(token)
  const send = () => api.get('/api/v1/namespaces', { authorization: `Bearer ${token}` })
  assert.equal((await send()).headers.get('warning'), null)
  await api.patch(`${accounts}/old`, { secrets: [{ name: 'old-token' }] })
  const fresh = await sign({ iat: 1 })
  await api.patch(`${secrets}/old-token`, { stringData: { token: fresh } })
  const { headers } = await api.get('/api/v1/namespaces', { authorization: `Bearer ${fresh}` })
  assert.match(headers.get('warning') ?? '', /Use tokens from the TokenRequest API/)
})

test('the start of tracking legacy tokens is stored', async (t) => {
  const { clock, api } = await cluster(t)
  const { body } = await api.get('/api/v1/namespaces/kube-system/configmaps/kube-apiserver-legacy-service-account-token-tracking')
  assert.deepEqual(body.data, { since: new Date(clock.now()).toISOString().slice(0, 10) })
})
