/** Outgoing calls by the global fetch, as embedded servers and edge runtimes have them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { webOutbound } from '../../../runtimes/web/ports.ts'
import { freePort } from '../../support/free-port.ts'
import { authority, open } from '../node/support.ts'

test('a call that fails says why, and that the certificate authority of the call is not used', async () => {
  const port = await freePort()
  await assert.rejects(webOutbound.fetch(new Request(`https://127.0.0.1:${port}/`)), {
    code: 'ECONNREFUSED',
    message: /ECONNREFUSED 127\.0\.0\.1/,
  })
  await using server = await open(async () => new Response())
  await assert.rejects(webOutbound.fetch(new Request(server.url)), { code: /SIGN|ISSUER|CERT/ })
  await assert.rejects(webOutbound.fetch(new Request(server.url), { certificateAuthority: authority.certPem }), {
    message: /certificate.* \(this runtime does not use the certificate authority of the call\)$/,
  })
})
