import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { AuthenticationError } from '../../../../../core/access/authn/authenticator.ts'
import { followAuthorities } from '../../../../../core/access/authn/certificate/authorities.ts'
import { x509Authenticator } from '../../../../../core/access/authn/certificate/x509.ts'
import { createPlatform } from '../../../../../core/platform.ts'
import type { Connection, Files } from '../../../../../core/ports.ts'
import { eventually } from '../../../../support/wait.ts'
import { testClock } from '../clock.ts'
import { authority, clientAuth, der, type Identity, issue, now, pem } from './certificates.ts'

let first: Identity
let second: Identity
before(async () => {
  first = await issue({ subject: 'CN=first', extensions: authority() })
  second = await issue({ subject: 'CN=second', extensions: authority() })
})

/** One file that a test writes. */
function oneFile(content: string) {
  let changed = () => {}
  let text: string | Error = content
  const files: Files = {
    async read() {
      if (text instanceof Error) throw text
      return new TextEncoder().encode(text)
    },
    watch(_path, callback) {
      changed = callback
      return () => {
        changed = () => {}
      }
    },
  }
  return {
    files,
    write(next: string | Error) {
      text = next
      changed()
    },
  }
}

function listening() {
  const messages: string[] = []
  const log = (_fields: object, message: string) => void messages.push(message)
  return { messages, logger: { debug: log, info: log, warn: log, error: log } }
}

test('a changed bundle is reloaded; an invalid one keeps the last good content and is logged', async () => {
  const { files, write } = oneFile(pem(first))
  const { messages, logger } = listening()
  const authorities = await followAuthorities({ path: 'ca.pem', files, logger, besides: '' })
  let changes = 0
  authorities.onChange(() => changes++)
  const authenticator = x509Authenticator({ authorities, platform: createPlatform(), clock: testClock(now) })
  const connectionOf = async (issuer: Identity): Promise<Connection> => ({
    remoteAddress: '',
    remotePort: 0,
    protocol: 'h2',
    tls: { version: 'TLSv1.3', peerCertificates: [der(await issue({ subject: 'CN=jane', issuer, extensions: [clientAuth] }))] },
  })
  const [ofFirst, ofSecond] = [await connectionOf(first), await connectionOf(second)]
  const ask = async (connection: Connection) => authenticator.authenticate(new Request('https://x/'), connection, undefined)
  assert.ok(await ask(ofFirst), 'the first authority')
  await assert.rejects(ask(ofSecond), AuthenticationError)

  for (const bad of ['', 'nothing', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', new Error('read ca.pem: gone')]) {
    const before = messages.length
    write(bad)
    await eventually('the failure is logged', async () => messages.length > before)
    assert.ok(await ask(ofFirst), 'the last good content')
  }
  assert.equal(changes, 0)

  write(`${pem(second)}\n${pem(first)}`)
  await eventually('the change', async () => changes === 1)
  assert.ok(await ask(ofSecond), 'an open connection is verified again')
  assert.ok(await ask(ofFirst), 'both authorities')
  write(pem(second))
  await eventually('the next change', async () => changes === 2)
  await assert.rejects(ask(ofFirst), AuthenticationError)

  authorities.close()
  write(pem(first))
  assert.equal(changes, 2)
})

test('an invalid bundle at start fails', async () => {
  const { logger } = listening()
  await assert.rejects(followAuthorities({ path: 'x', files: oneFile('').files, logger }), /no certificates/)
})
