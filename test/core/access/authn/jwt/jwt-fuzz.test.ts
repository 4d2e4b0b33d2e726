/** Modified JWTs: each is refused, without other effects. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AuthenticationError } from '../../../../../core/access/authn/authenticator.ts'
import { jwtAuthenticators } from '../../../../../core/access/authn/jwt/authenticator.ts'
import type { Clock } from '../../../../../core/ports.ts'
import { mutate, seeded } from '../../../../support/mutate.ts'
import { quiet } from '../../../../support/quiet.ts'
import { trials } from '../../../../support/soak.ts'
import { context, createWeb, issuerKey, publish, settings, sign } from './jwt-issuer.ts'

/** Timers never fire. */
const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(_, callback) {
    const timer = setImmediate(callback)
    return () => clearImmediate(timer)
  },
}

const words = ['.', '..', '=', 'eyJ', 'e30', 'AA', '\u0000', '{', '}', '"', '-_', '+/', 'bm9uZQ', 'A'.repeat(300)]
const claimWords = [
  '"',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  'null',
  '1e400',
  '-1',
  '"iss":',
  '"exp":1',
  '"__proto__":{}',
  '\\u0000',
  '\\ud800',
  'é',
  '[[[[',
]
const headers = [
  { alg: 'none' },
  { alg: 'HS256' },
  { alg: 'RS256' },
  { alg: 'ES256', kid: '' },
  { alg: 'ES256', crit: [] },
  { alg: 'ES256', b64: false, crit: ['b64'] },
  { alg: 'ES384' },
  { alg: ['ES256'] },
  {},
  [],
]

const encode = (text: string) => Buffer.from(text).toString('base64url')
const batch = 100

test('changed tokens', { timeout: 600_000 }, async (t) => {
  const key = await issuerKey('ES256', 'one')
  const web = createWeb()
  publish(web, [key])
  const tokens = jwtAuthenticators([settings()], context(web, { clock }))
  await quiet()
  const exp = Math.floor(Date.now() / 1000) + 86_400
  const good = await Promise.all([{}, { groups: ['a'] }, { aud: ['me', 'x'], jti: 'j' }].map((claims) => sign(key, { ...claims, exp })))
  for (const token of good) assert.ok(await tokens.authenticateToken(token, undefined, undefined), 'unmodified tokens are accepted')
  const genuine = new Set(good)
  const random = seeded(20_260)

  function changed(): string {
    const token = random.pick(good)
    const [header = '', payload = '', signature = ''] = token.split('.')
    switch (random.below(4)) {
      case 0:
        return `${encode(JSON.stringify(random.pick(headers)))}.${payload}.${signature}`
      case 1:
        return `${header}.${encode(mutate(Buffer.from(payload, 'base64url').toString(), random, claimWords))}.${signature}`
      case 2:
        return `${header}.${payload}.${random.pick(good).split('.')[2]}`
      default:
        return mutate(token, random, words)
    }
  }

  async function attempt(token: string): Promise<void> {
    try {
      const found = await tokens.authenticateToken(token, undefined, undefined)
      assert.equal(found, undefined, `accepted: ${JSON.stringify(token)}`)
    } catch (error) {
      if (!(error instanceof AuthenticationError)) throw new Error(`not refused, but failed: ${JSON.stringify(token)}`, { cause: error })
    }
  }

  const cases = trials(2_000, 500_000)
  const began = performance.now()
  let tried = 0
  while (tried < cases) {
    const list = Array.from({ length: batch }, changed).filter((token) => !genuine.has(token))
    await Promise.all(list.map(attempt))
    tried += list.length
  }
  t.diagnostic(`${tried} tokens in ${Math.round(performance.now() - began)} ms`)
})
