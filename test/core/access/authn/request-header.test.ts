import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Accepted, AuthenticationError } from '../../../../core/access/authn/authenticator.ts'
import { fixedAuthorities } from '../../../../core/access/authn/certificate/authorities.ts'
import { credentialHeaders } from '../../../../core/access/authn/credentials.ts'
import { requestHeaderAuthenticator } from '../../../../core/access/authn/request-header.ts'
import { LightHeaders } from '../../../../core/answers/light-headers.ts'
import type { Connection } from '../../../../core/ports.ts'
import { authority, clientAuth, connectionWith, type Identity, issue, now, pem, serverAuth } from './certificate/certificates.ts'
import { testClock } from './clock.ts'

const names = {
  username: ['X-Remote-User', 'X-Other-User'],
  uid: ['X-Remote-Uid'],
  group: ['X-Remote-Group', 'X-Other-Group'],
  extraPrefix: ['X-Remote-Extra-', 'X-Other-Extra-'],
}

let ca: Identity
let proxy: Identity
before(async () => {
  ca = await issue({ subject: 'CN=ca', extensions: authority() })
  proxy = await issue({ subject: 'CN=proxy', issuer: ca, extensions: [clientAuth] })
})

const inProcess: Connection = { remoteAddress: '', remotePort: 0, protocol: 'in-process' }

interface Wish {
  readonly connection?: Connection
  readonly allowedNames?: readonly string[]
  readonly clock?: ReturnType<typeof testClock>
}

async function ask(headers: Headers, { connection = connectionWith(proxy), allowedNames = [], clock = testClock(now) }: Wish = {}) {
  const request = new Request('https://server/api')
  Object.defineProperty(request, 'headers', { value: headers })
  const authorities = fixedAuthorities([pem(ca)])
  return requestHeaderAuthenticator({ authorities, allowedNames, headers: names }, clock).authenticate(request, connection, undefined)
}
const lines = (...raw: string[]) => LightHeaders.fromRaw(raw)
const userOf = async (...raw: string[]) => ((await ask(lines(...raw))) as Accepted | undefined)?.user
const refuses = (wish: Wish, message: RegExp) =>
  assert.rejects(ask(lines('X-Remote-User', 'jane'), wish), (error) => error instanceof AuthenticationError && message.test(error.message))

test('headers give the user', async () => {
  assert.deepEqual(await userOf('X-Remote-User', 'jane'), { name: 'jane', groups: [] })
  assert.deepEqual(await userOf('x-other-USER', 'jane'), { name: 'jane', groups: [] })
  assert.deepEqual(
    await userOf('X-Other-User', 'b', 'X-Remote-User', 'a'),
    { name: 'a', groups: [] },
    'the first header that is present counts',
  )
  assert.deepEqual(await userOf('X-Remote-User', '', 'X-Other-User', 'b'), { name: 'b', groups: [] }, 'an empty header counts as absent')
  assert.deepEqual(
    await userOf(
      ...['X-Remote-User', 'jane', 'X-Remote-Uid', '1-2', 'X-Remote-Group', 'a', 'X-Remote-Group', 'b, system:masters'],
      ...[
        'X-Remote-Group',
        '',
        'X-Other-Group',
        'c',
        'X-Remote-Extra-Scopes',
        'x',
        'X-Remote-Extra-Scopes',
        'y',
        'X-Other-Extra-Scopes',
        'z',
      ],
    ),
    {
      name: 'jane',
      uid: '1-2',
      groups: ['a', 'b, system:masters', 'c'],
      extra: Object.assign(Object.create(null), { scopes: ['x', 'y', 'z'] }),
    },
    'a comma does not separate values',
  )
})

test('values are UTF-8, extra keys are percent-encoded', async () => {
  const bytes = (text: string) => Buffer.from(text).toString('latin1')
  const user = await userOf(
    ...['X-Remote-User', bytes('Jürgen'), 'X-Remote-Group', bytes('Gruppe Ä')],
    ...['X-Remote-Extra-Example.com%2FTeam%3a', 'a', 'X-Remote-Extra-100%', 'b', 'X-Remote-Extra-__proto__', 'c'],
  )
  assert.equal(user?.name, 'Jürgen')
  assert.deepEqual(user?.groups, ['Gruppe Ä'])
  assert.deepEqual(Object.entries(user?.extra ?? {}).sort(), [
    ['100%', ['b']],
    ['__proto__', ['c']],
    ['example.com/team:', ['a']],
  ])
})

test('every header that can name a user is known, from any sender, and no others', () => {
  const all = [
    'x-remote-user',
    'x-other-user',
    'x-remote-group',
    'x-remote-uid',
    'x-other-extra-k',
    'accept',
    'x-remote',
    'x-remote-extra-',
    'authorization',
  ]
  const configured = ['x-other-extra-k', 'x-other-user']
  const always = ['authorization', 'x-remote-extra-', 'x-remote-group', 'x-remote-uid', 'x-remote-user']
  assert.deepEqual(all.filter(credentialHeaders(names)).toSorted(), [...always, ...configured].toSorted())
  assert.deepEqual(all.filter(credentialHeaders()).toSorted(), always, 'without configured proxies')
})

test('no opinion without a username or a certificate', async () => {
  assert.equal(await userOf('X-Remote-Group', 'system:masters'), undefined)
  for (const connection of [inProcess, connectionWith(), { ...inProcess, tls: { version: 'TLSv1.3' } }]) {
    assert.equal(await ask(lines('X-Remote-User', 'jane'), { connection }), undefined)
  }
})

test('requires a proxy certificate of the configured authority with an allowed name', async () => {
  const other = await issue({ subject: 'CN=other', extensions: authority() })
  const strange = await issue({ subject: 'CN=proxy', issuer: other, extensions: [clientAuth] })
  await refuses({ connection: connectionWith(strange) }, /unknown authority/)
  await refuses({ connection: connectionWith(await issue({ subject: 'CN=proxy', issuer: ca, extensions: [serverAuth] })) }, /key usage/)
  await refuses({ clock: testClock(now + 40 * 86_400_000) }, /expired/)
  await refuses({ allowedNames: ['front'] }, /subject with cn=proxy is not in the allowed list/)
  assert.ok(await ask(lines('X-Remote-User', 'jane'), { allowedNames: ['front', 'proxy'] }), 'an allowed name')
})
