import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anonymousAuthenticator } from '../../../../core/access/authn/anonymous.ts'
import {
  type Authentication,
  AuthenticationError,
  type Authenticator,
  type TokenAuthenticator,
  union,
} from '../../../../core/access/authn/authenticator.ts'
import { bearerAuthenticator, readBearer } from '../../../../core/access/authn/bearer.ts'
import { withAuthenticatedGroup } from '../../../../core/access/authn/groups.ts'
import { sameSecret } from '../../../../core/access/authn/secret.ts'
import { createTokenFile } from '../../../../core/access/authn/token-file.ts'
import { tokenUnion } from '../../../../core/access/authn/token-union.ts'
import { readWebsocketProtocols, websocketAuthenticator } from '../../../../core/access/authn/websocket.ts'
import { createPlatform } from '../../../../core/platform.ts'
import type { Connection } from '../../../../core/ports.ts'

const connection: Connection = { remoteAddress: '', remotePort: 0, protocol: 'in-process' }
const platform = createPlatform('kubernetes')
const user = (name: string, ...groups: string[]): NonNullable<Authentication> => ({ user: { name, groups } })
const to = (path: string, headers: { [name: string]: string } = {}) => new Request(`https://server${path}`, { headers })

type Answer = Authentication | Error
const method = (name: string, answer: Answer, late = false): Authenticator => ({
  name,
  authenticate: () => {
    if (answer instanceof Error) {
      if (late) return Promise.reject(answer)
      throw answer
    }
    return late ? Promise.resolve(answer) : answer
  },
})

test('a union takes the first method that accepts, and is synchronous where possible', async () => {
  const bad = new AuthenticationError('bad')
  const worse = new AuthenticationError('worse')
  const ask = (...methods: Authenticator[]) => union(methods).authenticate(to('/'), connection, undefined)
  const [jane, none] = [user('jane'), undefined]
  assert.equal(ask(method('a', none), method('b', jane), method('c', bad)), jane)
  assert.equal(ask(method('a', bad), method('b', jane)), jane, 'an error does not stop it')
  assert.equal(ask(method('a', none)), undefined)
  assert.equal(ask(), undefined)
  assert.throws(() => ask(method('a', bad), method('b', none)), bad)
  assert.throws(() => ask(method('a', bad), method('b', worse)), /^AuthenticationError: \[bad, worse\]$/)
  assert.equal(await ask(method('a', none, true), method('b', bad, true), method('c', jane, true)), jane)
  assert.equal(await ask(method('a', bad), method('b', none, true), method('c', jane)), jane)
  await assert.rejects(async () => ask(method('a', bad), method('b', none, true), method('c', worse)), /\[bad, worse\]/)
})

test('a union that stops at errors does not treat a bad credential as anonymous', async () => {
  for (const late of [false, true]) {
    const ask = (answer: Answer) =>
      union([method('a', answer, late), anonymousAuthenticator()], 'stop').authenticate(to('/'), connection, undefined)
    await assert.rejects(async () => ask(new AuthenticationError('bad')), /bad/)
    assert.equal((await ask(undefined))?.user.name, 'system:anonymous')
  }
})

test('every user except anonymous gets system:authenticated', async () => {
  const groupsOf = async (answer: Authentication, late = false) =>
    (await withAuthenticatedGroup(method('a', answer, late)).authenticate(to('/'), connection, undefined))?.user.groups
  assert.deepEqual(await groupsOf(user('jane', 'team')), ['team', 'system:authenticated'])
  assert.deepEqual(await groupsOf(user('jane', 'team'), true), ['team', 'system:authenticated'])
  assert.deepEqual(await groupsOf(user('jane', 'system:authenticated', 'x')), ['system:authenticated', 'x'])
  assert.deepEqual(await groupsOf(user('jane', 'system:unauthenticated')), ['system:unauthenticated'])
  assert.deepEqual(await groupsOf(user('system:anonymous')), [])
  assert.equal(await groupsOf(undefined), undefined)
  const same = withAuthenticatedGroup(method('a', user('jane')))
  assert.equal(
    same.authenticate(to('/'), connection, undefined),
    same.authenticate(to('/'), connection, undefined),
    'made once per credential',
  )
})

test('anonymous requests, on all or certain paths', () => {
  const ask = (path: string, ...paths: string[]) => anonymousAuthenticator(paths).authenticate(to(path), connection, undefined)
  assert.deepEqual(ask('/api'), { user: { name: 'system:anonymous', groups: ['system:unauthenticated'] } })
  assert.ok(ask('/livez?verbose', '/livez', '/readyz'))
  assert.equal(ask('/livez/etcd', '/livez'), undefined)
  assert.equal(ask('/api', '/livez'), undefined)
})

test('parses bearer tokens', () => {
  const cases: readonly (readonly [string | null, string | undefined])[] = [
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER abc', 'abc'],
    ['  Bearer abc  ', 'abc'],
    ['Bearer abc def', 'abc'],
    ['Bearer', undefined],
    ['Bearer ', undefined],
    ['Bearer  abc', undefined],
    ['Basic abc', undefined],
    ['Bearers abc', undefined],
    ['abc', undefined],
    ['', undefined],
    [null, undefined],
  ]
  for (const [header, token] of cases) assert.equal(readBearer(header).token, token, String(header))
  assert.match(readBearer('Bearer  abc').warning ?? '', /extra space before the bearer token/)
  assert.equal(readBearer('Bearer').warning, undefined)
})

const tokens: TokenAuthenticator = {
  name: 'test',
  authenticateToken: (token) => {
    if (token === 'bad') throw new AuthenticationError('bad token')
    return token === 'good' ? user('jane') : token === 'late' ? Promise.resolve(undefined) : undefined
  },
}

test('accepts known bearer tokens and refuses all others', async () => {
  const ask = async (authorization?: string) =>
    bearerAuthenticator(tokens).authenticate(to('/', authorization === undefined ? {} : { authorization }), connection, undefined)
  assert.equal((await ask('Bearer good'))?.user.name, 'jane')
  assert.equal(await ask(), undefined)
  assert.equal(await ask('Basic good'), undefined)
  await assert.rejects(ask('Bearer unknown'), /invalid bearer token/)
  // The log gets the reason, whatever the size of the token.
  for (const length of [200_000, 800_000]) await assert.rejects(ask(`Bearer ${'x'.repeat(length)}`), /invalid bearer token/)
  await assert.rejects(ask('Bearer late'), /invalid bearer token/)
  await assert.rejects(ask('Bearer bad'), /bad token/)
})

test('a union of token methods', () => {
  const other: TokenAuthenticator = { name: 'other', authenticateToken: (token) => (token === 'bad' ? user('bob') : undefined) }
  assert.deepEqual(tokenUnion([tokens, other]).authenticateToken('bad', undefined, undefined), user('bob'))
  assert.throws(() => tokenUnion([tokens]).authenticateToken('bad', undefined, undefined), /bad token/)
  assert.equal(tokenUnion([tokens, other]).authenticateToken('x', undefined, undefined), undefined)
})

test('parses tokens in websocket subprotocols', async () => {
  const prefix = 'base64url.bearer.authorization.k8s.io.'
  const encode = (text: string) => prefix + Buffer.from(text).toString('base64url')
  const read = (header: string | null) => readWebsocketProtocols(header, platform)
  assert.deepEqual(read(`${encode('tök~en??>')}, v4.channel.k8s.io,v5`), { token: 'tök~en??>', others: ['v4.channel.k8s.io', 'v5'] })
  assert.deepEqual(read('v4'), { others: ['v4'] })
  assert.deepEqual(read(null), { others: [] })
  assert.deepEqual(read(`${prefix}, v4`), { others: ['v4'] })
  assert.throws(() => read(encode('x')), /missing additional subprotocol/)
  assert.throws(() => read(`${encode('x')},${encode('x')},v4`), /multiple base64/)
  assert.throws(() => read(`${prefix}a+b=,v4`), /token encoding/)
  assert.throws(() => read(`${prefix}a,v4`), /token encoding/)
  assert.throws(() => read(`${prefix}_w,v4`), /invalid base64.bearer.authorization token$/)

  const authenticator = websocketAuthenticator(tokens, platform)
  const ask = async (upgrade: string, protocol: string) => {
    const headers = new Headers({ upgrade, 'sec-websocket-protocol': protocol })
    return authenticator.authenticate({ headers } as Request, connection, undefined)
  }
  assert.equal((await ask('WebSocket', `${encode('good')},v4`))?.user.name, 'jane')
  assert.equal(await ask('h2c', `${encode('good')},v4`), undefined)
  assert.equal(await ask('websocket', 'v4'), undefined)
  await assert.rejects(ask('websocket', `${encode('other')},v4`), /invalid bearer token/)
})

test('token file', async () => {
  const text = [
    'token1,user1,uid1',
    'token2,user2,uid2,"group1,group2"',
    '',
    '"tok""en,3","user\r\n3",uid3,group1,more,columns',
    ',nobody,uid',
    'token4,user4,uid4,',
    'token1,user5,uid5,late',
  ].join('\r\n')
  const { authenticator, warnings } = await createTokenFile(text, 'tokens.csv')
  const users = async (...list: string[]) =>
    Promise.all(list.map(async (token) => (await authenticator.authenticateToken(token, undefined, undefined))?.user))
  assert.deepEqual(await users('token1', 'token2', 'tok"en,3', 'token4'), [
    { name: 'user5', uid: 'uid5', groups: ['late'] },
    { name: 'user2', uid: 'uid2', groups: ['group1', 'group2'] },
    { name: 'user\n3', uid: 'uid3', groups: ['group1'] },
    { name: 'user4', uid: 'uid4', groups: [] },
  ])
  assert.deepEqual(await users('token5', 'TOKEN1', '', 'token', '__proto__'), [undefined, undefined, undefined, undefined, undefined])
  assert.deepEqual(warnings, [
    'token file tokens.csv: line 6: empty token, ignored',
    'token file tokens.csv: line 8: duplicate token, replaces the earlier one',
  ])
  assert.ok(!(authenticator.authenticateToken('token2', undefined, undefined) instanceof Promise), 'an accepted token is cached')
  assert.ok(
    !(authenticator.authenticateToken('x'.repeat(500), undefined, undefined) instanceof Promise),
    'a token of another length is refused synchronously',
  )
})

test('an error in a token file names the line', async () => {
  const refuses = (text: string, message: RegExp) => assert.rejects(createTokenFile(text, 'f'), message)
  await refuses('a,b,c\n\na,b\n', /^Error: token file f: line 3: must have at least 3 columns \(token, user name, user uid\), found 2$/)
  await refuses('a\nb,c\nd,e,f', /line 1: .* found 1; line 2: .* found 2$/)
  await refuses('a,b,c\nx"y,b,c', /line 2: bare " in non-quoted field/)
  await refuses('a,b,"c', /line 1: extraneous or missing " in quoted-field/)
  await refuses('a,b,"c"d', /line 1: extraneous or missing " in quoted-field/)
  await refuses('a,"x\ny",c,"z', /line 2: extraneous/)
  assert.equal((await createTokenFile('', 'f')).warnings.length, 0)
})

test('constant-time comparison of secrets', () => {
  const pairs = ['', 'a', 'b', 'ab', 'ba', 'äb', 'ab\0', 'AB', 'a'.repeat(1000), `${'a'.repeat(999)}b`]
  for (const one of pairs) for (const other of pairs) assert.equal(sameSecret(one, other), one === other, JSON.stringify([one, other]))
})
