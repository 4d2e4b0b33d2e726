import assert from 'node:assert/strict'
import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import { SignJWT } from 'jose'
import { AuthenticationError } from '../../../../../core/access/authn/authenticator.ts'
import { fixedKeys, type KeySource, loadSigningKey, loadVerificationKeys } from '../../../../../core/access/authn/certificate/keys.ts'
import { serviceAccountTokens } from '../../../../../core/access/authn/service-account/authenticator.ts'
import type { BoundObject } from '../../../../../core/access/authn/service-account/bound-objects.ts'
import { externalKeys } from '../../../../../core/access/authn/service-account/external-keys.ts'
import { createTokenIssuer, keySigner, type TokenRequest } from '../../../../../core/access/authn/service-account/issuer.ts'
import { accountTokenRows } from '../../../../../core/access/authn/service-account/metrics.ts'
import { createPlatform } from '../../../../../core/platform.ts'
import { ManualClock } from '../../../../support/clock.ts'
import { silentLogger } from '../../../../support/logger.ts'
import { noted } from '../../../../support/noted.ts'
import { eventually } from '../../../../support/wait.ts'
import { issue as issueCertificate, pem as pemOf } from '../certificate/certificates.ts'
import { testClock } from '../clock.ts'

const platform = createPlatform('kubernetes')
const start = Date.UTC(2026, 0, 15)
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pkcs8 = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()
const spki = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString()
const issuer = 'https://issuer'
const account: TokenRequest = { namespace: 'dev', name: 'bot', uid: 'u1', audiences: ['api'], expirationSeconds: 3600 }

async function server(keys = [spki(rsa.publicKey)], signingKeyPem = pkcs8(rsa.privateKey)) {
  return serverWith(fixedKeys(await loadVerificationKeys(keys)), signingKeyPem)
}

async function serverWith(keys: KeySource, signingKeyPem = pkcs8(rsa.privateKey)) {
  const clock = testClock(start)
  const objects = new Map<string, BoundObject>([['serviceaccounts/dev/bot', { uid: 'u1' }]])
  const uses: (string | number)[] = []
  let lookups = 0
  const tokens = serviceAccountTokens({
    issuers: [issuer, 'https://old'],
    keys,
    audiences: ['api', 'api2'],
    lookup: (resource, namespace, name) => {
      lookups++
      return objects.get(`${resource}/${namespace}/${name}`)
    },
    platform,
    clock,
    metrics: noted(accountTokenRows, (use) => void uses.push(use)),
  })
  const { issue } = createTokenIssuer({ sign: keySigner(await loadSigningKey(signingKeyPem)), issuer, platform, clock })
  const authenticate = async (token: string, audiences?: readonly string[]) => tokens.authenticateToken(token, audiences, undefined)
  return { clock, objects, tokens, issue, authenticate, uses, lookups: () => lookups }
}

const refusal = (message: RegExp) => (error: unknown) => error instanceof AuthenticationError && message.test(error.message)
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const partsOf = (token: string) =>
  token
    .split('.')
    .slice(0, 2)
    .map((text) => JSON.parse(Buffer.from(text, 'base64url').toString()))

test('an issued token has the claims of kube-apiserver and authenticates its account', async () => {
  const { issue, authenticate } = await server()
  const { token, expirationTimestamp, credentialId } = await issue(account)
  assert.equal(expirationTimestamp, '2026-01-15T01:00:00Z')
  const [header, claims] = partsOf(token)
  const seconds = start / 1000
  assert.equal(header.alg, 'RS256')
  assert.deepEqual(claims, {
    aud: ['api'],
    exp: seconds + 3600,
    iat: seconds,
    iss: issuer,
    jti: credentialId.slice('JTI='.length),
    'kubernetes.io': { namespace: 'dev', serviceaccount: { name: 'bot', uid: 'u1' } },
    nbf: seconds,
    sub: 'system:serviceaccount:dev:bot',
  })
  assert.deepEqual(await authenticate(token), {
    user: {
      name: 'system:serviceaccount:dev:bot',
      uid: 'u1',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:dev'],
      extra: { 'authentication.kubernetes.io/credential-id': [credentialId] },
    },
    audiences: ['api'],
  })
})

test('tokens bound to a pod, secret or node are invalid once it is deleted', async () => {
  const { issue, authenticate, objects } = await server()
  const bound: readonly (readonly [string, string, TokenRequest['boundObject'] & object])[] = [
    ['pods/dev/p', 'pod', { kind: 'Pod', name: 'p', uid: 'x', node: { name: 'n', uid: 'nu' } }],
    ['secrets/dev/s', 'secret', { kind: 'Secret', name: 's', uid: 'x' }],
    ['nodes//n', 'node', { kind: 'Node', name: 'n', uid: 'x' }],
  ]
  for (const [key, kind, boundObject] of bound) {
    const fresh = async () => (await issue({ ...account, boundObject })).token
    await assert.rejects(authenticate(await fresh()), refusal(/has been invalidated/), kind)
    objects.set(key, { uid: 'x' })
    assert.ok(await authenticate(await fresh()), kind)
    objects.set(key, { uid: 'y' })
    await assert.rejects(
      authenticate(await fresh()),
      refusal(new RegExp(`^${kind} UID \\(y\\) does not match service account ${kind} ref claim \\(x\\)$`)),
    )
    objects.set(key, { uid: 'x', deletionTimestamp: '2026-01-14T23:58:59Z' })
    await assert.rejects(authenticate(await fresh()), refusal(/has been invalidated/), `${kind}, deleted`)
    objects.set(key, { uid: 'x', deletionTimestamp: '2026-01-14T23:59:30Z' })
    assert.ok(await authenticate(await fresh()), `${kind}, within the leeway`)
  }
  objects.set('pods/dev/p', { uid: 'x' })
  const [, , boundObject] = bound[0] ?? []
  const { token } = await issue({ ...account, ...(boundObject && { boundObject }) })
  const { 'authentication.kubernetes.io/credential-id': _, ...extra } = (await authenticate(token))?.user.extra ?? {}
  assert.deepEqual(extra, {
    'authentication.kubernetes.io/pod-name': ['p'],
    'authentication.kubernetes.io/pod-uid': ['x'],
    'authentication.kubernetes.io/node-name': ['n'],
    'authentication.kubernetes.io/node-uid': ['nu'],
  })
})

test('the service account must exist, with the same uid', async () => {
  const { issue, authenticate, objects } = await server()
  const fresh = async () => (await issue(account)).token
  objects.set('serviceaccounts/dev/bot', { uid: 'u2' })
  await assert.rejects(authenticate(await fresh()), refusal(/^service account UID \(u2\) does not match claim \(u1\)$/))
  objects.set('serviceaccounts/dev/bot', { uid: 'u1', deletionTimestamp: '2026-01-14T00:00:00Z' })
  await assert.rejects(authenticate(await fresh()), refusal(/^service account dev\/bot has been deleted$/))
  objects.clear()
  await assert.rejects(authenticate(await fresh()), refusal(/^serviceaccounts "bot" not found$/))
})

test('times', async () => {
  const { issue, authenticate, clock } = await server()
  const { token } = await issue(account)
  const { token: second } = await issue(account)
  clock.time = start - 61_000
  await assert.rejects(authenticate(token), refusal(/not valid yet/))
  clock.time = start - 59_000
  assert.ok(await authenticate(token), 'one minute of leeway for clock skew')
  clock.time = start + 3_659_000
  assert.ok(await authenticate(token))
  clock.time = start + 3_661_000
  await assert.rejects(authenticate(token), refusal(/has expired/), 'although it was cached')
  await assert.rejects(authenticate(second), refusal(/has expired/))
})

test('audiences', async () => {
  const { issue, authenticate } = await server()
  const { token } = await issue({ ...account, audiences: ['vault', 'api2'] })
  assert.deepEqual((await authenticate(token))?.audiences, ['api2'])
  assert.deepEqual((await authenticate(token, ['vault', 'x']))?.audiences, ['vault'])
  await assert.rejects(
    authenticate(token, ['x']),
    refusal(/^token audiences \["vault" "api2"\] is invalid for the target audiences \["x"\]$/),
  )
  await assert.rejects(authenticate((await issue({ ...account, audiences: ['vault'] })).token), refusal(/invalid for the target audiences/))
})

test('has no opinion on tokens of other issuers', async () => {
  const { authenticate, clock } = await server()
  const { issue } = createTokenIssuer({
    sign: keySigner(await loadSigningKey(pkcs8(rsa.privateKey))),
    issuer: 'https://other',
    platform,
    clock,
  })
  for (const token of [(await issue(account)).token, '', 'a', 'a.b', 'a.b.c', 'a.b.c.d', `a.${part([])}.c`, `a.${part({ iss: 5 })}.c`]) {
    assert.equal(await authenticate(token), undefined, token)
  }
})

test('an additional accepted issuer', async () => {
  const { authenticate, clock } = await server()
  const { issue } = createTokenIssuer({
    sign: keySigner(await loadSigningKey(pkcs8(rsa.privateKey))),
    issuer: 'https://old',
    platform,
    clock,
  })
  assert.ok(await authenticate((await issue(account)).token))
})

test('forgeries', async () => {
  const { issue, authenticate, clock } = await server()
  const { token } = await issue(account)
  const [header, claims, signature] = token.split('.') as [string, string, string]
  const changed = part({ ...partsOf(token)[1], sub: 'system:serviceaccount:dev:root' })
  const hmac = (text: string, secret: string) => createHmac('sha256', secret).update(text).digest('base64url')
  const hs = `${part({ alg: 'HS256' })}.${claims}`
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const strange = createTokenIssuer({ sign: keySigner(await loadSigningKey(pkcs8(stranger.privateKey))), issuer, platform, clock })
  const forged = {
    'no signature': `${header}.${claims}.`,
    'changed claims': `${header}.${changed}.${signature}`,
    'alg none': `${part({ alg: 'none' })}.${claims}.`,
    'alg None with a signature': `${part({ alg: 'None' })}.${claims}.${signature}`,
    'public key as secret': `${hs}.${hmac(hs, spki(rsa.publicKey))}`,
    'another algorithm with the same key': await new SignJWT(partsOf(token)[1]).setProtectedHeader({ alg: 'PS256' }).sign(rsa.privateKey),
    'another RSA hash': await new SignJWT(partsOf(token)[1]).setProtectedHeader({ alg: 'RS512' }).sign(rsa.privateKey),
    'another key': (await strange.issue(account)).token,
    'another key with a known kid': await new SignJWT(partsOf(token)[1]).setProtectedHeader(partsOf(token)[0]).sign(stranger.privateKey),
    'unknown critical header': await new SignJWT(partsOf(token)[1])
      .setProtectedHeader({ alg: 'RS256', crit: ['x'], x: 1 })
      .sign(rsa.privateKey, { crit: { x: false } }),
    'an embedded key': await new SignJWT(partsOf(token)[1])
      .setProtectedHeader({ alg: 'RS256', jwk: stranger.publicKey.export({ format: 'jwk' }) as object })
      .sign(stranger.privateKey),
    'a header that is not JSON': `xx.${claims}.${signature}`,
  }
  for (const [what, forgery] of Object.entries(forged)) await assert.rejects(authenticate(forgery), refusal(/./), what)
  assert.ok(await authenticate(token))
})

test('signed tokens with invalid claims are refused', async () => {
  const { authenticate } = await server()
  const seconds = start / 1000
  const good = {
    iss: issuer,
    aud: 'api',
    exp: seconds + 60,
    'kubernetes.io': { namespace: 'dev', serviceaccount: { name: 'bot', uid: 'u1' } },
  }
  const sign = (claims: object) => new SignJWT({ ...claims }).setProtectedHeader({ alg: 'RS256' }).sign(rsa.privateKey)
  assert.ok(await authenticate(await sign(good)))
  const { exp: _, ...endless } = good
  await assert.rejects(authenticate(await sign(endless)), refusal(/"exp"/))
  await assert.rejects(authenticate(await sign({ ...good, iat: seconds + 100 })), refusal(/not valid yet/))
  for (const claims of [
    undefined,
    [],
    'x',
    {},
    { namespace: 'dev' },
    { namespace: 'dev', serviceaccount: 'bot' },
    { serviceaccount: { name: 'bot' } },
  ]) {
    await assert.rejects(authenticate(await sign({ ...good, 'kubernetes.io': claims })), refusal(/unexpected private claim/))
  }
})

test('a cached token costs no signature check, and for a moment no lookup', async () => {
  const { issue, tokens, clock, objects, lookups } = await server()
  const { token } = await issue(account)
  const first = await tokens.authenticateToken(token, undefined, undefined)
  const before = lookups()
  const warm = tokens.authenticateToken(token, undefined, undefined)
  assert.ok(!(warm instanceof Promise))
  assert.equal(warm, first)
  assert.equal(lookups(), before)
  objects.clear()
  clock.time += 5_000
  assert.throws(() => tokens.authenticateToken(token, undefined, undefined), refusal(/not found/))
  objects.set('serviceaccounts/dev/bot', { uid: 'u1' })
  assert.equal(tokens.authenticateToken(token, undefined, undefined), first)
})

test('keys of every type and encoding', async () => {
  const curves = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' } as const
  for (const [algorithm, namedCurve] of Object.entries(curves)) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve })
    const sec1 = privateKey.export({ type: 'sec1', format: 'pem' }).toString()
    for (const signing of [pkcs8(privateKey), sec1]) {
      const { issue, authenticate } = await server([signing], signing)
      const { token } = await issue(account)
      assert.equal(partsOf(token)[0].alg, algorithm)
      assert.ok(await authenticate(token))
    }
  }
  const encodings = [
    rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    pkcs8(rsa.privateKey),
    spki(rsa.publicKey),
  ]
  const ids = new Set((await Promise.all(encodings.map((pem) => loadVerificationKeys([pem])))).flat().map(({ id }) => id))
  const digest = await crypto.subtle.digest(
    'SHA-256',
    createPublicKey(rsa.publicKey.export({ type: 'spki', format: 'pem' })).export({ type: 'spki', format: 'der' }),
  )
  assert.deepEqual([...ids], [Buffer.from(digest).toString('base64url')])
  assert.equal((await loadVerificationKeys([encodings.join('\n')])).length, 1, 'duplicate keys count once')
  const [{ jwk } = { jwk: {} }] = await loadVerificationKeys([pkcs8(rsa.privateKey)])
  assert.deepEqual(Object.keys(jwk).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use'], 'nothing private')
  assert.equal((await loadVerificationKeys([pemOf(await issueCertificate({ subject: 'CN=x' }))]))[0]?.algorithm, 'ES256')
  await assert.rejects(loadVerificationKeys(['']), /no RSA or ECDSA key/)
  await assert.rejects(loadSigningKey(spki(rsa.publicKey)), /private key/)
  await assert.rejects(loadVerificationKeys([spki(generateKeyPairSync('ed25519').publicKey)]), /unsupported key/)
})

test('finds the right key of several, with and without a kid', async () => {
  const old = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const { authenticate, issue } = await server([spki(old.publicKey), spki(rsa.publicKey)])
  const { token } = await issue(account)
  assert.ok(await authenticate(token))
  assert.ok(await authenticate(await new SignJWT(partsOf(token)[1]).setProtectedHeader({ alg: 'RS256' }).sign(rsa.privateKey)))
  await assert.rejects(
    authenticate(await new SignJWT(partsOf(token)[1]).setProtectedHeader({ alg: 'RS256', kid: 'unknown' }).sign(rsa.privateKey)),
    refusal(/^invalid signature, no keys found$/),
  )
})

test('a token is refused once the external signer has withdrawn its key, also one that was accepted before', async () => {
  const own = rsa.publicKey.export({ type: 'spki', format: 'der' })
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'spki', format: 'der' })
  const { id } = await loadSigningKey(pkcs8(rsa.privateKey))
  const answerOf = (...keys: readonly (readonly [keyId: string, key: Buffer])[]) => ({
    keys: keys.map(([keyId, key]) => ({ keyId, key: key.toString('base64') })),
    refreshHintSeconds: 60,
  })
  let answer = answerOf([id, own])
  const clock = new ManualClock(start)
  const keys = await externalKeys(async () => answer, clock, silentLogger)
  const { issue, authenticate } = await serverWith(keys)
  const { token } = await issue(account)
  assert.equal((await authenticate(token))?.user.name, 'system:serviceaccount:dev:bot')
  const refreshed = async (next: typeof answer) => {
    answer = next
    const before = keys.version()
    clock.advance(60_000)
    await eventually('the next appointment', async () => clock.pending === 1)
    return keys.version() - before
  }
  assert.equal(await refreshed(answerOf([id, own])), 0, 'the same key')
  assert.ok(await authenticate(token))
  assert.equal(await refreshed(answerOf([id, own], ['new', other])), 1)
  assert.ok(await authenticate(token), 'another key besides')
  assert.equal(await refreshed(answerOf([id, other])), 1)
  await assert.rejects(authenticate(token), refusal(/signature verification failed/), 'another key of the same id')
  assert.equal(await refreshed(answerOf(['new', other])), 1)
  await assert.rejects(authenticate(token), refusal(/no keys found/))
  keys.close()
})
