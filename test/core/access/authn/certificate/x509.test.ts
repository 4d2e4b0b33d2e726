import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { AuthenticationError } from '../../../../../core/access/authn/authenticator.ts'
import { fixedAuthorities } from '../../../../../core/access/authn/certificate/authorities.ts'
import { x509Authenticator } from '../../../../../core/access/authn/certificate/x509.ts'
import { createPlatform } from '../../../../../core/platform.ts'
import type { Connection } from '../../../../../core/ports.ts'
import { testClock } from '../clock.ts'
import {
  algorithms,
  anyUse,
  authority,
  clientAuth,
  connectionWith,
  der,
  extension,
  type Identity,
  issue,
  notSigning,
  now,
  pem,
  serverAuth,
} from './certificates.ts'

const platform = createPlatform('kubernetes')
const request = new Request('https://server/api')

let ca: Identity
let other: Identity
before(async () => {
  ca = await issue({ subject: 'CN=ca', extensions: authority() })
  other = await issue({ subject: 'CN=other', extensions: authority() })
})

const authenticate = async (chain: readonly Identity[], roots: readonly Identity[] = [ca], clock = testClock(now)) =>
  x509Authenticator({ authorities: fixedAuthorities(roots.map(pem)), platform, clock }).authenticate(
    request,
    connectionWith(...chain),
    undefined,
  )

const refuses = (chain: readonly Identity[], message: RegExp, roots: readonly Identity[] = [ca]) =>
  assert.rejects(
    async () => authenticate(chain, roots),
    (error) => error instanceof AuthenticationError && message.test(error.message),
  )

test('CommonName becomes the username, Organization the groups', async () => {
  const leaf = await issue({ subject: 'C=US, O=team a, O=ops, OU=unit, CN=jane', issuer: ca, extensions: [clientAuth] })
  const authentication = await authenticate([leaf])
  const digest = Buffer.from(await crypto.subtle.digest('SHA-256', der(leaf))).toString('hex')
  assert.deepEqual(authentication, {
    user: {
      name: 'jane',
      groups: ['team a', 'ops'],
      extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${digest}`] },
    },
  })
})

test('names in other scripts', async () => {
  const leaf = await issue({ subject: [{ CN: [{ utf8String: 'Žofie' }] }, { O: [{ bmpString: 'Тест' }] }], issuer: ca })
  const authentication = await authenticate([leaf])
  assert.deepEqual([authentication?.user.name, authentication?.user.groups], ['Žofie', ['Тест']])
})

test('an attribute of the subject becomes the uid', async () => {
  const uid = (...values: string[]) => values.map((utf8String) => ({ '1.3.6.1.4.1.57683.2': [{ utf8String }] }))
  const leaf = await issue({ subject: [{ CN: ['jane'] }, ...uid('u-1')], issuer: ca })
  assert.equal((await authenticate([leaf]))?.user.uid, 'u-1')
  await refuses(
    [await issue({ subject: [{ CN: ['jane'] }, ...uid('u-1', 'u-2')], issuer: ca })],
    /expected 1 UID, but found multiple: u-1 u-2/,
  )
  const empty = await issue({ subject: [{ CN: ['jane'] }, ...uid('')], issuer: ca })
  await refuses([empty], /UID cannot be an empty string/)
  const without = x509Authenticator({ authorities: fixedAuthorities([pem(ca)]), platform, clock: testClock(now), readsUid: false })
  for (const each of [leaf, empty]) {
    const found = await without.authenticate(request, connectionWith(each), undefined)
    assert.deepEqual([found?.user.name, found?.user.uid], ['jane', undefined], 'not while the gate is disabled')
  }
})

test('has no opinion without a certificate', async () => {
  const authenticator = x509Authenticator({ authorities: fixedAuthorities([pem(ca)]), platform, clock: testClock(now) })
  const { tls: _, ...plain } = connectionWith()
  for (const connection of [connectionWith(), plain, { ...plain, tls: { version: 'TLSv1.3' } }]) {
    assert.equal(authenticator.authenticate(request, connection, undefined), undefined)
  }
})

test('signature algorithms', async () => {
  for (const [name, algorithm] of Object.entries(algorithms)) {
    const root = await issue({ subject: `CN=root ${name}`, algorithm, extensions: authority() })
    const leaf = await issue({ subject: 'CN=jane', issuer: root, algorithm, extensions: [clientAuth] })
    if (name === 'rsaSha1') await refuses([leaf], /unknown authority/, [root])
    else assert.equal((await authenticate([leaf], [root]))?.user.name, 'jane', name)
  }
})

test('extended key usage', async () => {
  const leaf = (...extensions: Parameters<typeof issue>[0]['extensions'] & {}) => issue({ subject: 'CN=jane', issuer: ca, extensions })
  assert.ok(await authenticate([await leaf()]), 'without the extension every usage is allowed')
  assert.ok(await authenticate([await leaf(anyUse)]))
  await refuses([await leaf(serverAuth)], /incompatible key usage/)
  const serverCa = await issue({ subject: 'CN=server ca', extensions: [...authority(), serverAuth] })
  await refuses([await issue({ subject: 'CN=jane', issuer: serverCa, extensions: [clientAuth] })], /incompatible key usage/, [serverCa])
})

test('validity', async () => {
  await refuses([await issue({ subject: 'CN=jane', issuer: ca, from: 10, to: -1 })], /has expired/)
  await refuses([await issue({ subject: 'CN=jane', issuer: ca, from: -1, to: 10 })], /not yet valid/)
  const oldCa = await issue({ subject: 'CN=old', extensions: authority(), from: 10, to: -1 })
  await refuses([await issue({ subject: 'CN=jane', issuer: oldCa })], /has expired/, [oldCa])
})

test('only authorities in the bundle are trusted', async () => {
  const leaf = await issue({ subject: 'CN=jane', issuer: other, extensions: [clientAuth] })
  await refuses([leaf], /unknown authority/)
  await refuses([leaf, other], /unknown authority/)
  await refuses([await issue({ subject: 'CN=jane' })], /unknown authority/)
  assert.ok(await authenticate([leaf], [ca, other]))
  assert.ok(
    await x509Authenticator({
      authorities: fixedAuthorities([`${pem(ca)}\n# next\n${pem(other)}`]),
      platform,
      clock: testClock(now),
    }).authenticate(request, connectionWith(leaf), undefined),
  )
  const twin = await issue({ subject: 'CN=ca', extensions: authority() })
  const forged = await issue({ subject: 'CN=jane', issuer: twin })
  await refuses([forged], /unknown authority/)
  assert.ok(await authenticate([forged], [ca, twin]), 'two authorities with the same name')
})

test('a certificate that is in the bundle itself is accepted', async () => {
  const self = await issue({ subject: 'CN=self', extensions: [clientAuth] })
  assert.equal((await authenticate([self], [self]))?.user.name, 'self')
})

test('chains through intermediates', async () => {
  const middle = await issue({ subject: 'CN=middle', issuer: ca, extensions: authority() })
  const lower = await issue({ subject: 'CN=lower', issuer: middle, extensions: authority() })
  const leaf = await issue({ subject: 'CN=jane', issuer: lower, extensions: [clientAuth] })
  assert.ok(await authenticate([leaf, lower, middle]))
  assert.ok(await authenticate([leaf, middle, lower]), 'in any order')
  assert.ok(await authenticate([leaf, other, middle, lower, ca]), 'with needless ones')
  assert.ok(await authenticate([leaf], [lower]), 'an intermediate as the trust anchor')
  await refuses([leaf, lower], /unknown authority/)
})

test('only CA certificates may issue', async () => {
  const plain = await issue({ subject: 'CN=plain', issuer: ca, extensions: [clientAuth] })
  await refuses([await issue({ subject: 'CN=jane', issuer: plain }), plain], /not authorized to sign/)
  const encipherer = await issue({ subject: 'CN=e', issuer: ca, extensions: notSigning })
  await refuses([await issue({ subject: 'CN=jane', issuer: encipherer }), encipherer], /not authorized to sign/)
  const short = await issue({ subject: 'CN=short', extensions: authority(0) })
  const middle = await issue({ subject: 'CN=middle', issuer: short, extensions: authority() })
  assert.ok(await authenticate([await issue({ subject: 'CN=jane', issuer: short })], [short]))
  await refuses([await issue({ subject: 'CN=jane', issuer: middle }), middle], /path length/, [short])
})

test('unknown critical extensions', async () => {
  const unknown = (critical: boolean) => extension('1.2.3.4', critical, Uint8Array.of(5, 0))
  assert.ok(await authenticate([await issue({ subject: 'CN=jane', issuer: ca, extensions: [unknown(false)] })]))
  await refuses([await issue({ subject: 'CN=jane', issuer: ca, extensions: [unknown(true)] })], /critical extension 1\.2\.3\.4/)
})

test('has no opinion on a certificate without a CommonName', async () => {
  assert.equal(await authenticate([await issue({ subject: 'O=team', issuer: ca })]), undefined)
})

test('refuses malformed certificates and wrong signatures', async () => {
  const good = der(await issue({ subject: 'CN=jane', issuer: ca }))
  const authenticator = x509Authenticator({ authorities: fixedAuthorities([pem(ca)]), platform, clock: testClock(now) })
  const send = (...peerCertificates: Uint8Array[]) =>
    authenticator.authenticate(request, { ...connectionWith(), tls: { version: 'TLSv1.3', peerCertificates } }, undefined)
  assert.ok(await send(good))
  for (let at = 0; at < good.length; at++) {
    const changed = Uint8Array.from(good)
    changed[at] = (changed[at] ?? 0) ^ 0x01
    await assert.rejects(async () => send(changed), AuthenticationError, `byte ${at}`)
  }
  for (let length = 0; length < good.length; length += 7) await assert.rejects(async () => send(good.slice(0, length)), AuthenticationError)
  assert.throws(() => fixedAuthorities(['nothing']), /no certificates/)
})

test('many intermediates cost a bounded number of signature checks', async () => {
  const crowd = await Promise.all(Array.from({ length: 30 }, () => issue({ subject: 'CN=loop', extensions: authority() })))
  const last = crowd.at(-1)
  assert.ok(last)
  await refuses(
    [await issue({ subject: 'CN=jane', issuer: { ...last, keys: other.keys } }), ...crowd],
    /unknown authority|too many certificates/,
  )
})

test('a metric observes the remaining lifetime of each certificate, valid or not', async () => {
  const clock = testClock(now)
  const left: number[] = []
  const observer = (milliseconds: number) => left.push(milliseconds)
  const authenticator = x509Authenticator({ authorities: fixedAuthorities([pem(ca)]), platform, clock, observer })
  const send = async (connection: Connection) => authenticator.authenticate(request, connection, undefined)
  const connection = connectionWith(await issue({ subject: 'CN=jane', issuer: ca, to: 1 }))
  await send(connection)
  clock.time += 1_000
  await send(connection)
  await send(connectionWith())
  assert.deepEqual(left.splice(0), [86_400_000, 86_399_000], 'a request without a certificate is not observed')
  clock.time = now + 86_400_500
  await assert.rejects(send(connection), /has expired/)
  await assert.rejects(send(connectionWith(await issue({ subject: 'CN=jane', issuer: other, to: 2 }))), /unknown authority/)
  assert.deepEqual(left, [-500, 86_399_500])
})

test('a connection is verified once, until its chain expires', async () => {
  const clock = testClock(now)
  const leaf = await issue({ subject: 'CN=jane', issuer: ca, to: 1 })
  const authenticator = x509Authenticator({ authorities: fixedAuthorities([pem(ca)]), platform, clock })
  const connection = connectionWith(leaf)
  const [first, second] = await Promise.all([0, 1].map(() => authenticator.authenticate(request, connection, undefined)))
  assert.equal(first, second, 'concurrent requests share the work')
  const warm = authenticator.authenticate(request, connection, undefined)
  assert.ok(!(warm instanceof Promise))
  assert.equal(warm, first)
  clock.time = now + 86_400_000
  assert.equal(authenticator.authenticate(request, connection, undefined), first)
  clock.time++
  await assert.rejects(async () => authenticator.authenticate(request, connection, undefined), /has expired/)
  assert.throws(() => authenticator.authenticate(request, connection, undefined), /has expired/, 'a failure is cached as well')
})
