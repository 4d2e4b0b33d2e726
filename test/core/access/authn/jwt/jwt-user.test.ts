/** From claims to a user: mappings, validation rules, distributed claims. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type JwtAuthenticators, jwtAuthenticators } from '../../../../../core/access/authn/jwt/authenticator.ts'
import type { JwtSettings } from '../../../../../core/access/authn/jwt/settings.ts'
import { quiet } from '../../../../support/quiet.ts'
import { clock, context, createWeb, issuerKey, issuerUrl, publish, seconds, settings, sign, type Web } from './jwt-issuer.ts'

const key = await issuerKey('ES256', 'one')
/** Key of an issuer of distributed groups; shared, because generating RSA keys is slow. */
const other = await issuerKey('RS256', 'groups')
interface Claims {
  readonly [name: string]: unknown
}
type Key = Awaited<ReturnType<typeof issuerKey>>

const none = { claim: '', expression: '' }
const expression = (text: string) => ({ claim: '', expression: text, prefix: undefined })
const claim = (name: string, prefix = '') => ({ claim: name, expression: '', prefix })

async function start(given: JwtSettings, web: Web = createWeb()): Promise<JwtAuthenticators> {
  publish(web, [key])
  const tokens = jwtAuthenticators([given], context(web))
  await quiet()
  return tokens
}

async function user(given: Parameters<typeof settings>[0], claims: Claims = {}) {
  const found = await (await start(settings(given))).authenticateToken(await sign(key, claims), undefined, undefined)
  return found?.user
}

const rule = (text: string, message = 'broken') => ({ expression: text, message })
const claimRule = (text: string) => ({ claimValidationRules: [{ ...none, requiredValue: '', ...rule(text) }] })
const required = (name: string, requiredValue: string) => ({
  claimValidationRules: [{ ...none, claim: name, requiredValue, message: '' }],
})

test('claims become a user', async () => {
  assert.deepEqual(await user({ username: claim('sub', 'oidc:'), uid: claim('oid') }, { oid: 'u1', groups: ['a', 'b'], jti: 'j1' }), {
    name: 'oidc:jane',
    uid: 'u1',
    groups: ['g:a', 'g:b'],
    extra: { 'authentication.kubernetes.io/credential-id': ['JTI=j1'] },
  })
  assert.deepEqual(await user({}, { groups: 'one' }), { name: 'jane', groups: ['g:one'] })
  assert.deepEqual(await user({}, { groups: null }), { name: 'jane', groups: [] })
  assert.deepEqual(await user({}), { name: 'jane', groups: [] })
})

test('expressions become a user', async () => {
  const given = {
    username: expression("claims.sub + '@' + claims.org.name"),
    groups: expression("claims.roles.split(',')"),
    uid: expression('claims.?oid.orValue("none")'),
    extra: [
      { key: 'example.org/tier', valueExpression: 'claims.tier' },
      { key: 'example.org/none', valueExpression: 'claims.?nothing.orValue("")' },
      { key: 'example.org/null', valueExpression: 'claims.empty' },
      { key: 'example.org/list', valueExpression: 'claims.list' },
      { key: 'example.org/escaped', valueExpression: 'claims.example__dot__com__slash__in.__in__' },
    ],
  }
  const claims = { org: { name: 'acme' }, roles: 'a,b', tier: 'gold', empty: null, list: ['x', '', 'y'], 'example.com/in': { in: 'deep' } }
  assert.deepEqual(await user(given, claims), {
    name: 'jane@acme',
    uid: 'none',
    groups: ['a', 'b'],
    extra: { 'example.org/tier': ['gold'], 'example.org/list': ['x', 'y'], 'example.org/escaped': ['deep'] },
  })
})

const verified = { username: claim('email') }
const address = 'jane@example.com'

const accepted: readonly (readonly [name: string, given: Parameters<typeof settings>[0], claims: Claims])[] = [
  ['a verified address', verified, { email: address, email_verified: true }],
  ['an email claim without email_verified', verified, { email: address }],
  ['another username claim beside an unverified email', {}, { email: address, email_verified: false }],
  ['a required claim', required('hd', 'example.com'), { hd: 'example.com' }],
  ['a rule over claims', claimRule("claims.exp - claims.iat <= 86400 && 'me' in claims.groups"), { groups: ['me'] }],
  ['a claim rule over absent claims', claimRule("claims.?hd.orValue('x') == 'x'"), {}],
  ['a loop', claimRule("claims.groups.all(g, g.startsWith('team-'))"), { groups: ['team-a', 'team-b'] }],
  ['a regular expression', claimRule("claims.sub.matches('^j.+e$')"), {}],
  ['a user rule', { userValidationRules: [rule("!user.username.startsWith('system:')")] }, {}],
  ['a rule over groups', { userValidationRules: [rule("user.groups.all(g, !g.startsWith('system:'))")] }, { groups: ['a'] }],
  [
    'a user rule over absent fields',
    { userValidationRules: [rule("user.uid == '' && size(user.extra) == 0 && size(user.groups) == 0")] },
    {},
  ],
  [
    'a user rule over extra',
    {
      extra: [{ key: 'example.org/a', valueExpression: "'x'" }],
      userValidationRules: [rule("'x' in user.extra['example.org/a'] && 'x' in user.extra.example__dot__org__slash__a")],
    },
    {},
  ],
]

const refused: readonly (readonly [name: string, given: Parameters<typeof settings>[0], claims: Claims, why: RegExp])[] = [
  ['an unverified address', verified, { email: address, email_verified: false }, /email not verified/],
  ['email_verified is a string', verified, { email: address, email_verified: 'true' }, /claim is no bool/],
  ['email is missing', verified, {}, /parse username claim "email": claim not present/],
  ['the username is a number', { username: claim('n') }, { n: 1 }, /parse username claim "n": claim is no string/],
  ['the username is null', { username: claim('n') }, { n: null }, /claim is no string/],
  ['no uid', { uid: claim('oid') }, {}, /parse uid claim "oid": claim not present/],
  ['groups are an object', {}, { groups: { a: 1 } }, /parse groups claim/],
  ['a required claim is missing', required('hd', 'a'), {}, /required claim hd not present in ID token/],
  ['a required claim differs', required('hd', 'a'), { hd: 'b' }, /required claim hd value does not match\. Got = b, want = a/],
  ['a required claim is a list', required('hd', 'a'), { hd: ['a'] }, /parse required claim "hd"/],
  ['the username expression gives an empty string', { username: expression("''") }, {}, /empty username via CEL expression is not allowed/],
  ['the username expression gives a number', { username: expression('claims.exp') }, {}, /username claim expression: must return a string/],
  [
    'the username expression refers to an absent claim',
    { username: expression('claims.nick') },
    {},
    /expression 'claims.nick' resulted in error: no such key/,
  ],
  ['the username expression gives an optional', { username: expression('claims.?sub') }, {}, /must return a string/],
  ['the groups expression gives numbers', { groups: expression('[1, 2]') }, {}, /group claim expression: must return a string or a list/],
  ['the uid expression gives a list', { uid: expression("['a']") }, {}, /uid claim expression: must return a string/],
  ['the extra expression gives a map', { extra: [{ key: 'x.org/a', valueExpression: "{'a': 1}" }] }, {}, /extra claim expression/],
  ['a claim rule is false', claimRule('claims.sub == "john"'), {}, /validation expression 'claims.sub == "john"' failed: broken/],
  ['a rule fails', claimRule('claims.nick == "j"'), {}, /claim validation expression: expression 'claims.nick == "j"' resulted in error/],
  ['a user rule is false', { userValidationRules: [rule("user.username == 'john'")] }, {}, /user info validation expression/],
  [
    'a username with the prefix system:',
    { userValidationRules: [rule("!user.username.startsWith('system:')", 'reserved')] },
    { sub: 'system:admin' },
    /failed: reserved/,
  ],
  [
    'a rule exceeds the cost limit',
    claimRule('claims.l.all(a, claims.l.all(b, claims.l.all(c, a + b + c >= 0.0)))'),
    { l: Array.from({ length: 200 }, (_, i) => i) },
    /cost limit exceeded/,
  ],
]

test(`${accepted.length} tokens that rules accept`, async () => {
  for (const [name, given, claims] of accepted) assert.ok(await user(given, claims), name)
})

test(`${refused.length} tokens that mappings or rules refuse`, async () => {
  for (const [name, given, claims, why] of refused)
    await assert.rejects(user(given, claims), { name: 'AuthenticationError', message: why }, name)
})

const elsewhere = 'https://groups.example'
const sources = (source: object) => ({ _claim_names: { groups: 'src1' }, _claim_sources: { src1: source } })

async function distributed(answer: (other: Key) => Promise<unknown>, claims: Claims) {
  const web = createWeb()
  publish(web, [other], elsewhere)
  web.answers.set(`${elsewhere}/claims`, await answer(other))
  const tokens = await start(settings(), web)
  const found = tokens.authenticateToken(await sign(key, claims), undefined, undefined)
  if (found instanceof Promise) found.catch(() => undefined)
  for (let i = 0; i < 3; i++) {
    await quiet()
    clock.advance(1_000)
  }
  return { groups: (await found)?.user.groups, web }
}

const good = (other: Key) => sign(other, { iss: elsewhere, groups: ['far'] })

test('distributed groups', async () => {
  const endpoint = `${elsewhere}/claims`
  const { groups, web } = await distributed(good, sources({ endpoint, access_token: 'secret' }))
  assert.deepEqual(groups, ['g:far'])
  assert.equal(web.calls.find(({ url }) => url === endpoint)?.authorization, 'Bearer secret')
  const plain = await distributed(good, sources({ endpoint }))
  assert.deepEqual(plain.groups, ['g:far'])
  assert.equal(plain.web.calls.find(({ url }) => url === endpoint)?.authorization, null)
  assert.deepEqual(
    (await distributed(good, { groups: ['near'], ...sources({ endpoint }) })).groups,
    ['g:near'],
    'a claim in the token takes precedence',
  )
  assert.deepEqual((await distributed(good, sources({ JWT: 'x' }))).groups, [], 'aggregated claims are ignored')
  assert.deepEqual((await distributed(good, { _claim_names: { other: 's' }, _claim_sources: { s: { endpoint } } })).groups, [])
})

test('distributed groups that can not be fetched', async () => {
  const endpoint = `${elsewhere}/claims`
  const at = sources({ endpoint })
  const bad: readonly (readonly [why: RegExp, claims: Claims, answer: (other: Key) => Promise<unknown>])[] = [
    [/no claim sources/, { _claim_names: { groups: 'src1' } }, good],
    [/source does not exist/, { _claim_names: { groups: 'src2' }, _claim_sources: { src1: { endpoint } } }, good],
    [/error parsing distributed claim names/, { ...at, _claim_names: 'x' }, good],
    [/could not parse claim sources/, { ...at, _claim_sources: [] }, good],
    [/could not parse claim sources/, sources({ endpoint: 1 }), good],
    [/while getting distributed claim "groups": connection refused/, sources({ endpoint: `${elsewhere}/gone` }), good],
    [/while getting distributed claim "groups"/, sources({ endpoint: 'no address' }), good],
    [/status 403/, at, async () => new Response('', { status: 403 })],
    [/sent no token of an issuer/, at, async () => 'no token'],
    [/authenticator not initialized/, at, async () => sign(key, { iss: 'https://unreachable.example', groups: ['x'] })],
    [/failed to verify id token signature/, at, async () => sign(key, { iss: elsewhere, groups: ['x'] })],
    [/expected audience/, at, (other) => sign(other, { iss: elsewhere, aud: 'you', groups: ['x'] })],
    [/token is expired/, at, (other) => sign(other, { iss: elsewhere, exp: seconds() - 1, groups: ['x'] })],
    [/does not contain claim "groups"/, at, (other) => sign(other, { iss: elsewhere })],
  ]
  for (const [why, claims, answer] of bad) await assert.rejects(distributed(answer, claims), { name: 'AuthenticationError', message: why })
})

test('each issuer uses its own entry', async () => {
  const web = createWeb()
  const other = await issuerKey('ES256', 'two')
  const second = 'https://second.example'
  publish(web, [other], second)
  publish(web, [key])
  const entries = [settings(), { ...settings({ username: claim('sub', 'second:') }), issuer: { ...settings().issuer, url: second } }]
  const tokens = jwtAuthenticators(entries, context(web))
  await quiet()
  const name = async (token: string) => (await tokens.authenticateToken(token, undefined, undefined))?.user.name
  assert.equal(await name(await sign(key)), 'jane')
  assert.equal(await name(await sign(other, { iss: second })), 'second:jane')
  const crossed = name(await sign(other, { iss: issuerUrl }))
  await quiet()
  clock.advance(2_000)
  await assert.rejects(crossed, /failed to verify/)
})

test('expressions over claims pause, so that other requests run meanwhile', async () => {
  const web = createWeb()
  publish(web, [key])
  let pauses = 0
  let time = 0
  const pause = async () => void pauses++
  const given = settings({ uid: expression("string(claims.text.matches('(a?){50}a{50}b'))"), ...claimRule('claims.text.size() > 0') })
  const tokens = jwtAuthenticators(
    [given],
    context(web, { clock: { now: () => clock.now(), after: () => () => {}, monotonic: () => (time += 3), pause } }),
  )
  await quiet()
  const found = await tokens.authenticateToken(await sign(key, { text: `${'a'.repeat(20)}c`.repeat(3_000) }), undefined, undefined)
  assert.equal(found?.user.uid, 'false')
  assert.ok(pauses > 1, `${pauses} pauses`)
})
