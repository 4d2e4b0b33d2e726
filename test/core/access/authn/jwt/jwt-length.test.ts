import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readJwt } from '../../../../../core/access/authn/jwt/token.ts'

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const jwt = (padding: number) => [encoded({ alg: 'RS256' }), encoded({ iss: 'https://x.test', pad: 'a'.repeat(padding) }), 'AAAA'].join('.')

test('long tokens are parsed; tokens over the limit are refused, with the reason in the log', () => {
  assert.equal(readJwt(jwt(150_000))?.issuer, 'https://x.test')
  assert.throws(() => readJwt(jwt(300_000)), {
    name: 'AuthenticationError',
    message: /^jwt of 400\d{3} characters: at most 262144 are read$/,
  })
  assert.equal(readJwt('a'.repeat(400_000)), undefined, 'another authenticator may accept it')
})
