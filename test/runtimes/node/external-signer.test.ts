/** Service account tokens signed by another process over a unix socket. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { connectExternalSigner, type ExternalSigner } from '../../../core/access/authn/service-account/external-signer.ts'
import { externalSignerRows } from '../../../core/access/authn/service-account/signer-metrics.ts'
import { createMetrics } from '../../../core/meta/metrics/registry.ts'
import { createPlatform } from '../../../core/platform.ts'
import { createOutbound } from '../../../runtimes/node/network/outbound.ts'
import { nodeClock } from '../../../runtimes/node/start/ports.ts'
import type { Api } from '../../support/api.ts'
import { type InProcess, startInProcess } from '../../support/in-process.ts'
import { silentLogger } from '../../support/logger.ts'
import { type Signer, startSigner } from '../../support/signer.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const directory = temporaryDirectory('signer')
const outbound = createOutbound()
const registry = createMetrics()
const metrics = registry.record(externalSignerRows)
const connect = (unixSocket: string) => connectExternalSigner({ unixSocket, outbound, clock: nodeClock, logger: silentLogger, metrics })

const servers: InProcess[] = []
async function serve(externalSigner: ExternalSigner, extend = false): Promise<Api> {
  const server = await startInProcess({
    controllers: [],
    telemetry: { logger: silentLogger },
    platform: createPlatform('kubernetes'),
    serviceAccounts: { externalSigner, issuers: ['https://issuer'], audiences: ['https://issuer'], extend },
  })
  servers.push(server)
  const { api } = server
  await api.create('/api/v1/namespaces/default/serviceaccounts', { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'robot' } })
  return api
}

interface Issued {
  readonly status: { readonly token: string }
  readonly message?: string
}
const request = (api: Api, expirationSeconds = 3600) =>
  api.send<Issued>('POST', '/api/v1/namespaces/default/serviceaccounts/robot/token', {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    spec: { expirationSeconds },
  })
const accepts = async (api: Api, token: string) =>
  (await api.get('/api/v1/namespaces', { authorization: `Bearer ${token}` })).status === 200

let signer: Signer
let api: Api
before(async () => {
  signer = await startSigner(directory.path, 'signer.sock')
  api = await serve(await connect(signer.unixSocket))
})
after(async () => {
  for (const server of servers) await server.close()
  await signer.stop()
  directory.remove()
})

test('tokens are signed externally and accepted by the server', async () => {
  const { token } = (await request(api)).body.status
  const { exp = 0, iat = 0, iss } = decodeJwt(token)
  assert.equal(decodeProtectedHeader(token).kid, 'key-0')
  assert.deepEqual([iss, exp - iat], ['https://issuer', 3600])
  assert.equal(await accepts(api, token), true)
  const longer = decodeJwt((await request(api, 86_400)).body.status.token)
  assert.equal((longer.exp ?? 0) - (longer.iat ?? 0), 7200, 'the maximum lifetime of the signer')
})

test('a new key is fetched when a token names it; tokens of unknown keys are refused', async () => {
  await signer.tell('rotate')
  const before = await signer.tell('fetches')
  const { token } = (await request(api)).body.status
  assert.equal(decodeProtectedHeader(token).kid, 'key-1')
  assert.equal(await accepts(api, token), true)
  assert.equal(await signer.tell('fetches'), before + 1)
  const [, ...rest] = token.split('.')
  const forged = [Buffer.from('{"alg":"ES256","kid":"none"}').toString('base64url'), ...rest].join('.')
  assert.equal(await accepts(api, forged), false)
})

test('the key set is published without excluded keys, which must not sign', async () => {
  const listed = async () => {
    const response = await api.fetch('/openid/v1/jwks')
    return ((await response.json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid)
  }
  assert.deepEqual(await listed(), ['key-0', 'key-1'])
  await signer.tell('rotate')
  await signer.tell('hide')
  assert.equal((await request(api)).status, 500)
  assert.deepEqual(await listed(), ['key-0', 'key-1'])
  await signer.tell('rotate')
  assert.equal((await request(api)).status, 201)
})

test('metrics of calls, and of the age of keys', () => {
  const text = registry.text()
  for (const series of [
    'request_duration_seconds_count{code="OK",method="/v1.ExternalJWTSigner/Metadata"}',
    'request_duration_seconds_count{code="OK",method="/v1.ExternalJWTSigner/Sign"}',
    'sign_request_total{code="OK"}',
    'sign_request_total{code="unknown-non-grpc"}',
    'fetch_keys_request_total{code="OK"}',
  ])
    assert.match(text, new RegExp(`^apiserver_externaljwt_${series.replace(/[{}]/g, '\\$&')} [1-9]`, 'm'), series)
  for (const name of ['success', 'data'])
    assert.match(text, new RegExp(`^apiserver_externaljwt_fetch_keys_${name}_timestamp [12]\\d{9}`, 'm'), name)
})

test('an invalid token header is refused', async () => {
  for (const bad of [{ alg: 'HS256' }, { typ: 'at+jwt' }, { kid: '' }, { kid: 'x'.repeat(1025) }, { crit: ['b64'] }]) {
    await signer.tell(`header ${JSON.stringify(bad)}`)
    const { status, body } = await request(api)
    assert.equal(status, 500, JSON.stringify(bad))
    assert.equal(body.status as unknown, 'Failure')
  }
  await signer.tell('header {}')
  assert.equal((await request(api)).status, 201)
})

test('a signer with a maximum lifetime below the minimum is refused', async () => {
  const short = await startSigner(directory.path, 'short.sock', 599)
  await assert.rejects(connect(short.unixSocket), /599 seconds only/)
  await short.stop()
})

test('the signer may start late, stop and restart', async () => {
  const late = connect(join(directory.path, 'late.sock'))
  let service = await startSigner(directory.path, 'late.sock')
  const own = await serve(await late)
  const { token } = (await request(own)).body.status
  await service.stop()
  assert.equal(await accepts(own, token), true, 'the keys are cached')
  const waiting = request(own)
  service = await startSigner(directory.path, 'late.sock')
  assert.equal((await waiting).status, 201, 'a token request waits meanwhile')
  await service.stop()
})
