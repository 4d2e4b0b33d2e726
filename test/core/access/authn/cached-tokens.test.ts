import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Authentication, TokenAuthenticator } from '../../../../core/access/authn/authenticator.ts'
import { cachedTokens } from '../../../../core/access/authn/cached-tokens.ts'
import { ManualClock } from '../../../support/clock.ts'

const ttl = 10_000

/** Accepts tokens by their first word, and counts its calls. */
function counting(answer: (token: string, audiences?: readonly string[]) => Authentication | Promise<Authentication>) {
  const asked: string[] = []
  const tokens: TokenAuthenticator = {
    name: 'counting',
    authenticateToken(token, audiences) {
      asked.push(token)
      return answer(token, audiences)
    },
  }
  const clock = new ManualClock()
  return { asked, clock, cached: cachedTokens(tokens, { ttl, clock }) }
}

const accept = (name: string): Authentication => ({ user: { name, groups: [] } })

test('an accepted token is answered from the cache, synchronously, until the TTL ends', async () => {
  const { asked, clock, cached } = counting(async (token) => accept(token))
  assert.equal((await cached.authenticateToken('jane', undefined, undefined))?.user.name, 'jane')
  const again = cached.authenticateToken('jane', undefined, undefined)
  assert.ok(!(again instanceof Promise), 'synchronously')
  clock.advance(ttl - 1)
  await cached.authenticateToken('jane', undefined, undefined)
  assert.equal(asked.length, 1, 'just before the TTL ends')
  clock.advance(1)
  await cached.authenticateToken('jane', undefined, undefined)
  assert.equal(asked.length, 2, 'at the end of the TTL')
})

test('concurrent requests with one token share one call, also a failing one', async () => {
  const { asked, cached } = counting(async (token) => {
    if (token === 'bad') throw new Error('no')
    return accept(token)
  })
  const both = await Promise.all([
    cached.authenticateToken('jane', undefined, undefined),
    cached.authenticateToken('jane', undefined, undefined),
  ])
  assert.equal(both[0], both[1])
  const failures = await Promise.allSettled([
    cached.authenticateToken('bad', undefined, undefined),
    cached.authenticateToken('bad', undefined, undefined),
  ])
  assert.deepEqual(
    failures.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.deepEqual(asked, ['jane', 'bad'])
  await assert.rejects(async () => cached.authenticateToken('bad', undefined, undefined), /no/)
  assert.deepEqual(asked, ['jane', 'bad', 'bad'], 'errors are not kept')
})

test('audiences are part of the cache key', () => {
  const { asked, cached } = counting((token, audiences) => accept(`${token} for ${audiences?.join() ?? 'us'}`))
  const name = (audiences?: readonly string[]) => {
    const found = cached.authenticateToken('jane', audiences, undefined)
    return found instanceof Promise ? 'late' : found?.user.name
  }
  assert.deepEqual(
    [name(), name(['a']), name(['a', 'b']), name(['a']), name()],
    ['jane for us', 'jane for a', 'jane for a,b', 'jane for a', 'jane for us'],
  )
  assert.equal(asked.length, 3)
})

test('no token stands for a cached token with other audiences', () => {
  const { cached } = counting((token, audiences) =>
    token === 'jane' && audiences?.includes('vault') ? { user: { name: token, groups: [] }, audiences } : undefined,
  )
  const ask = (token: string, audiences?: readonly string[]) => cached.authenticateToken(token, audiences, undefined)
  assert.ok(ask('jane', ['vault']), 'asked by a service')
  // A bearer token has no space, but the one in the subprotocols of a WebSocket may have any characters.
  for (const token of ['jane', 'jane ["vault"]', '["jane",["vault"]]', '["vault"] jane', '["jane"]', '[["vault"],"jane"]']) {
    assert.equal(ask(token), undefined, token)
  }
})
