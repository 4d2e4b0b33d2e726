import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportSPKI, importJWK } from 'jose'
import { AuthenticationError, type TokenAuthenticator } from '../../../../../core/access/authn/authenticator.ts'
import { jwtAlgorithms } from '../../../../../core/access/authn/jwt/algorithms.ts'
import { type JwtAuthenticators, type JwtContext, jwtAuthenticators } from '../../../../../core/access/authn/jwt/authenticator.ts'
import { quiet } from '../../../../support/quiet.ts'
import {
  asked,
  clock,
  context,
  createWeb,
  issuerKey,
  issuerUrl,
  keepLog,
  publish,
  seconds,
  settings,
  sign,
  type Web,
} from './jwt-issuer.ts'

const key = await issuerKey('ES256', 'one')
const rsa = await issuerKey('RS256', 'rsa')
const stranger = await issuerKey('ES256', 'one')

async function start(web: Web, given = settings(), changes: Partial<JwtContext> = {}): Promise<JwtAuthenticators> {
  const authenticators = jwtAuthenticators([given], context(web, changes))
  await quiet()
  return authenticators
}

async function withKeys(...keys: Parameters<typeof publish>[1]): Promise<{ web: Web; tokens: JwtAuthenticators }> {
  const web = createWeb()
  publish(web, keys)
  return { web, tokens: await start(web) }
}

/** Result for a token: the username, undefined (no opinion), or the error message. */
async function outcome(tokens: TokenAuthenticator, token: string): Promise<string> {
  try {
    return (await tokens.authenticateToken(token, undefined, undefined))?.user.name ?? 'no opinion'
  } catch (error) {
    if (error instanceof AuthenticationError) return error.message
    throw error
  }
}

test('every algorithm verifies, with keys that declare it and keys that do not', async () => {
  for (const algorithm of jwtAlgorithms) {
    const own = await issuerKey(algorithm, algorithm)
    const { alg: _, use: __, ...bare } = own.public
    for (const published of [own, { ...own, public: bare }]) {
      const { tokens } = await withKeys(published)
      assert.equal(await outcome(tokens, await sign(own)), 'jane', algorithm)
      assert.equal(await outcome(tokens, await sign(own, {}, { kid: undefined })), 'jane', `${algorithm} without a key id`)
    }
  }
})

test('only configured algorithms are accepted', async () => {
  const web = createWeb()
  publish(web, [key, rsa])
  const tokens = await start(web, settings(), { algorithms: ['RS256'] })
  assert.equal(await outcome(tokens, await sign(rsa)), 'jane')
  assert.match(await outcome(tokens, await sign(key)), /unsupported algorithm, got "ES256"/)
})

const encode = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const parts = (token: string) => token.split('.') as [string, string, string]
const good = () => ({ iss: issuerUrl, aud: 'me', sub: 'jane', exp: seconds() + 60 })

/** An HMAC signature with a secret that is public. */
async function hmac(secret: string, header: object): Promise<string> {
  const imported = await crypto.subtle.importKey('raw', Buffer.from(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const signed = `${encode(header)}.${encode(good())}`
  return `${signed}.${Buffer.from(await crypto.subtle.sign('HMAC', imported, Buffer.from(signed))).toString('base64url')}`
}

/** Signs the payload text as it is. */
async function signText(payload: string, header: object = { alg: 'ES256', kid: 'one' }): Promise<string> {
  const signed = `${encode(header)}.${encode(payload)}`
  const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key.private, Buffer.from(signed))
  return `${signed}.${Buffer.from(signature).toString('base64url')}`
}

const text = (claims: object) => JSON.stringify({ ...good(), ...claims })
const pem = async () => exportSPKI((await importJWK(rsa.public, 'RS256')) as CryptoKey)

const attacks: readonly (readonly [name: string, token: () => Promise<string> | string, refusal: RegExp])[] = [
  ['a huge token', () => sign(key, { filler: 'x'.repeat(300_000) }), /jwt of 400\d{3} characters: at most 262144 are read/],
  ['alg none', () => `${encode({ alg: 'none' })}.${encode(good())}.`, /unsupported algorithm, got "none"/],
  ['alg None', () => `${encode({ alg: 'None' })}.${encode(good())}.`, /unsupported algorithm/],
  [
    'alg none with a signature',
    async () =>
      `${encode({ alg: 'none' })}.${parts(await sign(key))
        .slice(1)
        .join('.')}`,
    /unsupported algorithm/,
  ],
  ['the public key as an HMAC secret', async () => hmac(await pem(), { alg: 'HS256', kid: 'rsa' }), /unsupported algorithm, got "HS256"/],
  ['the published JWK as an HMAC secret', () => hmac(JSON.stringify(rsa.public), { alg: 'HS256', kid: 'rsa' }), /unsupported algorithm/],
  [
    'an algorithm of another key type',
    async () =>
      `${encode({ alg: 'RS256', kid: 'one' })}.${parts(await sign(key))
        .slice(1)
        .join('.')}`,
    /failed to verify/,
  ],
  [
    'an empty signature',
    async () =>
      `${parts(await sign(key))
        .slice(0, 2)
        .join('.')}.`,
    /failed to verify id token signature/,
  ],
  [
    'a signature of zeros',
    async () =>
      `${parts(await sign(key))
        .slice(0, 2)
        .join('.')}.${'A'.repeat(86)}`,
    /failed to verify/,
  ],
  ['a foreign key with a known kid', () => sign(stranger), /failed to verify id token signature/],
  ['a foreign key in the header jwk', () => sign(stranger, {}, { kid: undefined, jwk: stranger.public }), /failed to verify/],
  [
    'a foreign key at the header jku',
    () => sign(stranger, {}, { kid: 'x', jku: 'https://evil.example/keys', x5u: 'https://evil.example' }),
    /failed/,
  ],
  ['a kid that is a path', () => sign(stranger, {}, { kid: '../../../../dev/null' }), /failed to verify/],
  ['a kid that is a property of Object.prototype', () => sign(stranger, {}, { kid: '__proto__' }), /failed to verify/],
  ['a kid that is not a string', () => sign(stranger, {}, { kid: ['one'] }), /malformed jwt: header/],
  ['an unknown critical header', () => signText(text({}), { alg: 'ES256', kid: 'one', crit: ['x'], x: 1 }), /unsupported critical header/],
  [
    'an unencoded payload',
    () => signText(text({}), { alg: 'ES256', kid: 'one', crit: ['b64'], b64: false }),
    /unsupported critical header/,
  ],
  [
    'another payload',
    async () => (([h, , s]) => `${h}.${encode({ ...good(), sub: 'root' })}.${s}`)(parts(await sign(key))),
    /failed to verify/,
  ],
  ['expired', () => sign(key, { exp: seconds() - 1 }), /token is expired/],
  ['without expiry', () => sign(key, { exp: undefined }), /token is expired/],
  ['exp is a string', () => signText(text({ exp: 'never' })), /exp is no time/],
  ['exp is beyond all dates', () => signText(text({}).replace(/"exp":\d+/, '"exp":1e400')), /exp is no time/],
  ['not yet valid', () => sign(key, { nbf: seconds() + 120 }), /before the nbf \(not before\) time/],
  ['another audience', () => sign(key, { aud: 'you' }), /expected audience in \["me","us"\] got \["you"\]/],
  ['no audience', () => sign(key, { aud: undefined }), /expected audience/],
  ['aud is a number', () => signText(text({ aud: 1 })), /aud is no list of strings/],
  ['aud contains a number', () => signText(text({ aud: ['me', 1] })), /aud is no list of strings/],
  ['sub is a number', () => signText(text({ sub: 1 })), /sub is no string/],
  ['a duplicate claim', () => signText(text({}).replace('{', '{"sub":"root",')), /duplicate field "sub"/],
  ['a duplicate issuer', () => signText(text({}).replace('{', '{"iss":"https://other.example",')), /duplicate field "iss"/],
  ['no username claim', () => sign(key, { sub: undefined }), /parse username claim "sub": claim not present/],
  ['an empty username', () => sign(key, { sub: '' }), /empty username is not allowed/],
  ['groups that are numbers', () => signText(text({ groups: [1] })), /parse groups claim "groups"/],
]

const strangers: readonly (readonly [name: string, token: () => Promise<string> | string])[] = [
  ['another issuer', () => sign(key, { iss: 'https://other.example' })],
  ['the issuer with a trailing slash', () => sign(key, { iss: `${issuerUrl}/` })],
  ['iss is a list', () => signText(text({ iss: [issuerUrl] }))],
  ['no issuer', () => sign(key, { iss: undefined })],
  [
    'two parts',
    async () =>
      parts(await sign(key))
        .slice(0, 2)
        .join('.'),
  ],
  ['four parts', async () => `${await sign(key)}.x`],
  ['five parts', async () => `${await sign(key)}.x.y`],
  ['JSON serialization', async () => JSON.stringify({ payload: parts(await sign(key))[1] })],
  ['padded parts', async () => (([h, p, s]) => `${h}.${p}${'='.repeat((4 - (p.length % 4)) % 4 || 4)}.${s}`)(parts(await sign(key)))],
  ['characters outside of base64url', async () => (([h, p, s]) => `${h}.${p}+/.${s}`)(parts(await sign(key)))],
  ['a payload that is not an object', () => signText('[1]')],
  ['a payload that is not JSON', () => signText('{')],
  ['a payload that is not UTF-8', async () => `${encode({ alg: 'ES256' })}.${Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')}.AA`],
  ['a truncated payload', () => signText('['.repeat(40_000))],
  ['nothing', () => ''],
  ['dots', () => '..'],
]

test(`${attacks.length} tokens that are refused, and ${strangers.length} that get no opinion`, async () => {
  const { web, tokens } = await withKeys(key, rsa)
  const waiting = async (token: string) => {
    const found = outcome(tokens, token)
    await quiet()
    clock.advance(2_000)
    return found
  }
  for (const [name, token, refusal] of attacks) assert.match(await waiting(await token()), refusal, name)
  for (const [name, token] of strangers) assert.equal(await waiting(await token()), 'no opinion', name)
  assert.deepEqual(
    web.calls.filter(({ url }) => !url.startsWith(issuerUrl)),
    [],
    'no URL from a token is requested',
  )
})

test('unusual valid tokens', async () => {
  const { tokens } = await withKeys(key)
  const fine: readonly (readonly [name: string, claims: { readonly [name: string]: unknown }])[] = [
    ['begins within the leeway', { nbf: seconds() + 50 }],
    ['issued in the future', { iat: seconds() + 3600 }],
    ['one audience of several', { aud: ['you', 'us'] }],
    ['exp is a numeric string', { exp: String(seconds() + 60) }],
    ['expires in a fraction of a second', { exp: seconds() + 1.5 }],
    ['claims named like members of Object.prototype', { constructor: 'x', toString: 1, ['__proto__']: { sub: 'root' } }],
  ]
  for (const [name, claims] of fine) assert.equal(await outcome(tokens, await signText(text(claims))), 'jane', name)
})

test('encryption keys, keys for other algorithms and symmetric keys verify nothing', async () => {
  const secret = { kty: 'oct', k: encode('secret'), kid: 'one' }
  for (const change of [{ use: 'enc' }, { alg: 'ES384' }, { key_ops: ['sign'] }, { crv: 'P-384' }, secret, { x: 'AA' }]) {
    const web = createWeb()
    publish(web, [{ ...key, public: { ...key.public, ...change } }])
    const tokens = await start(web)
    const found = outcome(tokens, await sign(key))
    await quiet()
    clock.advance(2_000)
    assert.match(await found, /failed to verify id token signature/, JSON.stringify(change))
  }
})

test('an issuer that is down at start and comes up later', async () => {
  const web = createWeb()
  const { logger, lines } = keepLog()
  const tokens = await start(web, settings(), { logger })
  const token = await sign(key)
  assert.equal(await outcome(tokens, token), 'oidc: authenticator not initialized')
  assert.match(lines.join('\n'), /OIDC discovery failed.*connection refused/)
  assert.ok(!lines.join('\n').includes(token), 'no token in the log')
  publish(web, [key])
  clock.advance(9_000)
  await quiet()
  assert.equal(await outcome(tokens, token), 'oidc: authenticator not initialized', 'the next attempt is not due yet')
  clock.advance(1_000)
  await quiet()
  assert.equal(await outcome(tokens, token), 'jane')
  web.answers.clear()
  clock.advance(600_000)
  assert.equal(await outcome(tokens, token), 'jane', 'its keys stay known when it is down again')
  await quiet()
})

test('invalid discovery documents', async () => {
  const url = `${issuerUrl}/.well-known/openid-configuration`
  const bad: readonly (readonly [answer: unknown, problem: RegExp])[] = [
    [{ issuer: 'https://other.example', jwks_uri: 'https://other.example' }, /issuer did not match.*expected/],
    [{ issuer: issuerUrl }, /did not return JWKS URL/],
    ['<html>', /not valid JSON/],
    ['null', /not an object/],
    [new Response('no', { status: 500 }), /status 500/],
    ['x'.repeat(2 * 1024 * 1024), /more than 1048576 bytes/],
  ]
  for (const [answer, problem] of bad) {
    const web = createWeb()
    web.answers.set(url, answer)
    const { logger, lines } = keepLog()
    const tokens = await start(web, settings(), { logger })
    assert.match(lines.join('\n'), problem)
    tokens.close()
    clock.advance(20_000)
    await quiet()
    assert.equal(web.calls.length, 1, 'a closed authenticator makes no requests')
  }
})

test('discoveryURL replaces the default URL', async () => {
  const web = createWeb()
  publish(web, [key])
  const usual = `${issuerUrl}/.well-known/openid-configuration`
  web.answers.set('https://inside.example/discovery', web.answers.get(usual))
  web.answers.delete(usual)
  const tokens = await start(web, settings({ discoveryURL: 'https://inside.example/discovery' }))
  assert.equal(await outcome(tokens, await sign(key)), 'jane')
  assert.equal(asked(web, 'openid-configuration'), 0)
})

test('a new key is fetched on its first token, with one request for all waiting callers', async () => {
  const { web, tokens } = await withKeys(key)
  const next = await issuerKey('ES256', 'two')
  assert.equal(await outcome(tokens, await sign(key)), 'jane')
  publish(web, [key, next])
  clock.advance(10_000)
  const token = await sign(next)
  const found = await Promise.all(Array.from({ length: 20 }, () => outcome(tokens, token)))
  assert.deepEqual([...new Set(found)], ['jane'])
  assert.equal(await outcome(tokens, await sign(key)), 'jane', 'the key in both sets')
  assert.equal(asked(web, '/keys'), 2)
})

test('unverifiable tokens cause at most one JWKS request per second', async () => {
  const { web, tokens } = await withKeys(key)
  const token = await sign(stranger)
  const refused = await Promise.all(Array.from({ length: 100 }, () => outcome(tokens, token)))
  assert.deepEqual([...new Set(refused)], ['oidc: failed to verify id token signature'])
  for (let second = 0; second < 3; second++) {
    void outcome(tokens, token)
    await quiet()
    clock.advance(1_000)
    await quiet()
  }
  assert.ok(asked(web, '/keys') <= 4, `${asked(web, '/keys')} calls`)
  publish(web, [key, stranger])
  const later = outcome(tokens, await sign(stranger))
  await quiet()
  clock.advance(1_000)
  assert.equal(await later, 'jane', 'callers in between wait for the next request')
})

test('a withdrawn key is removed', async () => {
  const { web, tokens } = await withKeys(key, rsa)
  const token = await sign(key)
  assert.equal(await outcome(tokens, token), 'jane')
  publish(web, [rsa])
  clock.advance(301_000)
  assert.equal(await outcome(tokens, token), 'jane', 'keys are refreshed in the background')
  await quiet()
  const late = outcome(tokens, token)
  await quiet()
  clock.advance(1_000)
  assert.match(await late, /failed to verify/)
})

test('JWKS that can not be fetched', async () => {
  for (const answer of ['[]', '{"keys":{}}', 'no', new Response('', { status: 404 })]) {
    const { web, tokens } = await withKeys(key)
    web.answers.set(`${issuerUrl}/keys`, answer)
    assert.match(await outcome(tokens, await sign(key)), /oidc: fetching keys: /, String(answer))
  }
})
