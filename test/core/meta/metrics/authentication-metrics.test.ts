/** Authentication metrics of a whole server. */
import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { SignJWT } from 'jose'
import { authenticationFileRows } from '../../../../core/access/authn/jwt/metrics.ts'
import { connectExternalSigner } from '../../../../core/access/authn/service-account/external-signer.ts'
import { Keys, Metadata, SignResponse } from '../../../../core/access/authn/service-account/external-signer-messages.ts'
import { externalSignerRows } from '../../../../core/access/authn/service-account/signer-metrics.ts'
import { createTokenFile } from '../../../../core/access/authn/token-file.ts'
import { reloadReports } from '../../../../core/config/reload-metrics.ts'
import { createMetrics } from '../../../../core/meta/metrics/registry.ts'
import { createPlatform } from '../../../../core/platform.ts'
import { CallError } from '../../../../core/ports.ts'
import { encodeProtobuf } from '../../../../core/schema/protobuf/encode.ts'
import { ManualClock } from '../../../support/clock.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { silentLogger } from '../../../support/logger.ts'
import { eventually } from '../../../support/wait.ts'
import { testClock } from '../../access/authn/clock.ts'

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const issuer = 'https://issuer'
const claim = (key: string) => `kubernetes.io/serviceaccount/${key}`
const accounts = '/api/v1/namespaces/default/serviceaccounts'

async function start(t: TestContext) {
  const metrics = createMetrics()
  const clock = new ManualClock()
  const file = 'token-a,admin,1\ntoken-b,jane@example.com,2\ntoken-c,system:serviceaccount:kube-system:default,3\ntoken-d,somebody,4\n'
  const { api } = await startInProcess(
    {
      clock,
      controllers: [],
      metrics,
      anonymous: false,
      platform: createPlatform('kubernetes'),
      telemetry: { logger: silentLogger },
      staticTokens: [(await createTokenFile(file, 'tokens')).authenticator],
      serviceAccounts: {
        signingKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        verificationKeys: [publicKey.export({ type: 'spki', format: 'pem' }).toString()],
        issuers: [issuer],
        audiences: [issuer],
      },
    },
    t,
  )
  const send = async (token?: string) => (await api.get('/api', token === undefined ? {} : { authorization: `Bearer ${token}` })).status
  /** Samples of the metrics with this prefix, by the rest of their names. */
  const samples = (prefix: string) =>
    Object.fromEntries(
      metrics
        .text()
        .split('\n')
        .filter((line) => line.startsWith(prefix))
        .map((line) => line.slice(prefix.length))
        .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
    )
  return { api, send, samples, clock }
}

test('attempts are counted by result, users by the kind of username', async (t) => {
  const { send, samples } = await start(t)
  for (const token of ['token-a', 'token-a', 'token-b', 'token-c', 'token-d']) assert.equal(await send(token), 200)
  assert.equal(await send(), 401)
  for (const token of ['wrong', 'worse']) assert.equal(await send(token), 401)
  assert.deepEqual(samples('authentication_attempts'), { '{result="success"}': 5, '{result="failure"}': 1, '{result="error"}': 2 })
  assert.deepEqual(samples('authenticated_user_requests'), {
    '{username="admin"}': 2,
    '{username="email_id"}': 1,
    '{username="system:serviceaccount:kube-system:default"}': 1,
    '{username="other"}': 1,
  })
  const buckets = samples('authentication_duration_seconds_bucket{result="failure",le=')
  assert.deepEqual(Object.keys(buckets).slice(0, 3), ['"0.001"}', '"0.002"}', '"0.004"}'])
  assert.deepEqual(Object.keys(buckets).slice(-2), ['"16.384"}', '"+Inf"}'])
  assert.deepEqual(samples('authentication_duration_seconds_count{result="success"}'), { '': 5 })
})

test('a cached token is a hit', async (t) => {
  const { send, samples } = await start(t)
  for (const token of ['token-a', 'token-a', 'token-a', 'wrong']) await send(token)
  assert.deepEqual(samples('authentication_token_cache_request_total'), { '{status="miss"}': 2, '{status="hit"}': 2 })
  assert.deepEqual(samples('authentication_token_cache_fetch_total'), { '{status="ok"}': 2 })
  assert.deepEqual(samples('authentication_token_cache_active_fetch_count'), { '{status="in_flight"}': 0, '{status="blocked"}': 0 })
  assert.deepEqual(samples('authentication_token_cache_request_duration_seconds_count'), { '{status="miss"}': 2, '{status="hit"}': 2 })
})

test('service account tokens are counted by kind', async (t) => {
  const { api, send, samples, clock } = await start(t)
  const create = (path: string, object: object) =>
    api.send<{ metadata: { uid: string } }>('POST', path, object, { authorization: 'Bearer token-a' })
  const { uid } = (await create(accounts, { metadata: { name: 'bot' } })).body.metadata
  const now = clock.now() / 1000
  const sign = (claims: { [name: string]: unknown }) =>
    new SignJWT({ sub: 'system:serviceaccount:default:bot', ...claims }).setProtectedHeader({ alg: 'ES256' }).sign(privateKey)
  const account = { namespace: 'default', serviceaccount: { name: 'bot', uid } }
  const bound = (warnafter?: number) =>
    sign({ iss: issuer, aud: issuer, exp: now + 3600, 'kubernetes.io': { ...account, ...(warnafter !== undefined && { warnafter }) } })

  const counts = () => samples('serviceaccount_')
  const none = {
    invalid_legacy_auto_token_uses_total: 0,
    legacy_auto_token_uses_total: 0,
    legacy_manual_token_uses_total: 0,
    legacy_tokens_total: 0,
    stale_tokens_total: 0,
    valid_tokens_total: 0,
  }
  assert.deepEqual(counts(), none, 'all metrics exist from the start')
  assert.equal(await send(await bound()), 200)
  assert.deepEqual(counts(), none, 'a token that needs no refresh')
  assert.equal(await send(await bound(now + 600)), 200)
  assert.equal(await send(await bound(now - 600)), 200)
  assert.deepEqual(counts(), { ...none, stale_tokens_total: 1, valid_tokens_total: 1 })

  const legacy = await sign({
    iss: 'kubernetes/serviceaccount',
    [claim('namespace')]: 'default',
    [claim('secret.name')]: 'bot-token',
    [claim('service-account.name')]: 'bot',
    [claim('service-account.uid')]: uid,
  })
  await create('/api/v1/namespaces/default/secrets', {
    metadata: { name: 'bot-token', annotations: { 'kubernetes.io/service-account.name': 'bot' } },
    type: 'kubernetes.io/service-account-token',
    stringData: { token: legacy },
  })
  for (let i = 0; i < 3; i++) assert.equal(await send(legacy), 200)
  const { legacy_tokens_total, legacy_manual_token_uses_total } = counts()
  assert.deepEqual([legacy_tokens_total, legacy_manual_token_uses_total], [1, 1], 'a cached token is not counted again')
  await api.send('PATCH', `${accounts}/bot`, JSON.stringify({ secrets: [{ name: 'bot-token' }] }), {
    'content-type': 'application/merge-patch+json',
    authorization: 'Bearer token-a',
  })
  clock.advance(10_000)
  assert.equal(await send(legacy), 200)
  assert.equal(counts()['legacy_auto_token_uses_total'], 1)
})

test('calls to an external signer', async () => {
  const registry = createMetrics()
  const clock = new ManualClock(1_700_000_000_500)
  const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  const dataTimestamp = { seconds: 1_600_000_000, nanos: 250_000_000 }
  const keys = { keys: [{ keyId: 'one', key }], dataTimestamp, refreshHintSeconds: 60 }
  const answers: { [method: string]: () => Uint8Array } = {
    Metadata: () => encodeProtobuf(Metadata, { maxTokenExpirationSeconds: 3600 }),
    FetchKeys: () => encodeProtobuf(Keys, keys),
    Sign: () => encodeProtobuf(SignResponse, { header: '?', signature: 'c2ln' }),
  }
  const signer = await connectExternalSigner({
    unixSocket: 'signer.sock',
    clock,
    logger: silentLogger,
    metrics: registry.record(externalSignerRows),
    outbound: {
      async call({ method }) {
        clock.advance(20)
        return answers[method.split('/').at(-1) ?? '']!()
      },
    },
  })
  clock.advance(480)
  await assert.rejects(async () => signer.sign({}), /bad header/)
  answers['FetchKeys'] = () => {
    throw new CallError(14, 'away')
  }
  clock.advance(60_000)
  await eventually('the keys are fetched again', async () => registry.text().includes('fetch_keys_request_total{code="Unavailable"} 1'))
  signer.close()
  const text = registry.text()
  for (const line of [
    'apiserver_externaljwt_request_duration_seconds_bucket{code="OK",method="/v1.ExternalJWTSigner/Sign",le="0.025"} 1',
    'apiserver_externaljwt_sign_request_total{code="unknown-non-grpc"} 1',
    'apiserver_externaljwt_fetch_keys_request_total{code="OK"} 1',
    'apiserver_externaljwt_fetch_keys_request_total{code="Unavailable"} 1',
    'apiserver_externaljwt_fetch_keys_success_timestamp 1700000000',
    'apiserver_externaljwt_fetch_keys_data_timestamp 1600000000.25',
  ])
    assert.ok(text.includes(`${line}\n`), line)
})

test('the server ID is a hash', async () => {
  const registry = createMetrics()
  reloadReports(registry.record(authenticationFileRows), testClock(0), 'apiserver-a').reloaded(undefined)
  const hash = createHash('sha256').update('apiserver-a').digest('hex')
  const line = `apiserver_authentication_config_controller_automatic_reloads_total{apiserver_id_hash="sha256:${hash}",status="failure"} 1\n`
  await eventually('the count', async () => registry.text().includes(line))
})
