/** Almost valid files: each is loaded or refused with an Error, and authenticates only the users that it names. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { before, test } from 'node:test'
import { AuthenticationError } from '../../../../core/access/authn/authenticator.ts'
import { fixedAuthorities, readBundle } from '../../../../core/access/authn/certificate/authorities.ts'
import { loadVerificationKeys } from '../../../../core/access/authn/certificate/keys.ts'
import { x509Authenticator } from '../../../../core/access/authn/certificate/x509.ts'
import { createTokenFile } from '../../../../core/access/authn/token-file.ts'
import { createPlatform } from '../../../../core/platform.ts'
import { sameBytes } from '../../../../core/schema/bytes.ts'
import { pemBlocks } from '../../../../core/schema/formats/pem.ts'
import { authority, clientAuth, der, type Identity, issue, now, pem } from './certificate/certificates.ts'
import { testClock } from './clock.ts'
import { caseCount, dice, mutate } from './mutations.ts'

let ca: Identity
let leaf: Identity
before(async () => {
  ca = await issue({ subject: 'CN=ca', extensions: authority() })
  leaf = await issue({ subject: 'CN=jane, O=team', issuer: ca, extensions: [clientAuth] })
})

/** Milliseconds of processor time for one case. */
const slowest = 10_000

/** Runs one case; true when it succeeds, false when it throws an Error. Fails on anything else, and when it takes too long. */
async function ends(text: string, run: () => unknown): Promise<boolean> {
  const began = process.cpuUsage()
  try {
    await run()
    return true
  } catch (error) {
    assert.ok(error instanceof Error && !(error instanceof assert.AssertionError), `${String(error)} for ${JSON.stringify(text)}`)
    return false
  } finally {
    const { user, system } = process.cpuUsage(began)
    assert.ok((user + system) / 1000 < slowest, `too slow: ${JSON.stringify(text).slice(0, 1_000)}`)
  }
}

test('PEM', async () => {
  const roll = dice(4)
  const authenticator = x509Authenticator({ authorities: fixedAuthorities([pem(ca)]), platform: createPlatform(), clock: testClock(now) })
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const request = new Request('https://server/')
  const show = async (peerCertificates: Uint8Array[]) =>
    authenticator.authenticate(
      request,
      { remoteAddress: '', remotePort: 0, protocol: 'h2', tls: { version: 'TLSv1.3', peerCertificates } },
      undefined,
    )
  const asClient = async (text: string) => {
    const shown = pemBlocks(text).map(({ bytes }) => bytes)
    if (shown[0] === undefined || sameBytes(shown[0], der(leaf))) return
    await assert.rejects(show(shown), AuthenticationError, text)
  }
  const readers: readonly (readonly [string, (text: string) => unknown])[] = [
    [pem(leaf), asClient],
    [pem(ca), readBundle],
    [`${pem(ca)}\n${pem(leaf)}`, readBundle],
    [key, (text) => loadVerificationKeys([text])],
  ]
  for (let count = 0; count < caseCount; count++) {
    const [seed, read] = readers[roll(readers.length)] ?? ['', () => {}]
    const text = mutate(seed, roll)
    await ends(text, () => read(text))
  }
})

test('CSV', async () => {
  const roll = dice(5)
  const seeds = ['token-1,jane,1,"team a,ops"\ntoken-2,john,2\n', '"tok,en","ja""ne",u,"a\nb",more\r\n\r\n,empty,3\n', 'a,b,c']
  let read = 0
  for (let count = 0; count < caseCount; count++) {
    const text = mutate(seeds[roll(seeds.length)] ?? '', roll)
    const good = await ends(text, async () => {
      const { authenticator } = await createTokenFile(text, 'tokens.csv')
      for (const token of ['', 'nobody', 'jane', '__proto__', 'constructor']) {
        const found = await authenticator.authenticateToken(token, undefined, undefined)
        const named = token !== '' && new RegExp(`(^|\\n)"?${token}"?,`).test(text)
        if (found !== undefined && !named) assert.fail(`${JSON.stringify(token)} is accepted by ${JSON.stringify(text)}`)
      }
    })
    if (good) read++
  }
  assert.ok(read > caseCount / 20, 'some of the files are valid')
})
