/** A request that is given up ends the calls that only it waits for. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { webhookTokens } from '../../../../core/access/authn/webhook-token.ts'
import type { Attributes } from '../../../../core/access/authz/authorizer.ts'
import { webhookAuthorizer } from '../../../../core/access/authz/webhook.ts'
import { createReadingCall } from '../../../../core/outgoing/webhook/call.ts'
import { createPlatform } from '../../../../core/platform.ts'
import { holdingClock } from '../../../support/holding-clock.ts'
import { silentLogger } from '../../../support/logger.ts'
import { eventually } from '../../../support/wait.ts'

const platform = createPlatform()
const left = new Error('the client closed the connection')

/** Outgoing calls that are answered with this status, or never; `open` counts those that wait. */
function outgoing(status?: number) {
  const seen = { calls: 0, open: 0 }
  // A request that nothing refers to is collected, and its signal no longer follows the caller's.
  const kept: Request[] = []
  const fetch = (request: Request) => {
    seen.calls++
    kept.push(request)
    if (status !== undefined) return Promise.resolve(new Response('', { status }))
    seen.open++
    return new Promise<Response>((_resolve, reject) =>
      request.signal.addEventListener('abort', () => {
        seen.open--
        reject(request.signal.reason)
      }),
    )
  }
  return { seen, outbound: { fetch } }
}

const attributes: Attributes = {
  user: { name: 'jane', groups: [] },
  verb: 'get',
  isResource: true,
  path: '/api/v1/pods',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  name: '',
  namespace: '',
}
const connection = { url: 'https://webhook.test/', options: {} }

test('an authorization webhook is aborted when the last request that waits for it is given up', async () => {
  const { seen, outbound } = outgoing()
  const settings = {
    name: 'w',
    version: 'v1',
    connection,
    authorizedTtl: 0,
    unauthorizedTtl: 0,
    timeout: 60_000,
    onFailure: 'deny',
  } as const
  const authorizer = webhookAuthorizer(settings, { outbound, clock: holdingClock, logger: silentLogger, platform })
  const [first, second] = [new AbortController(), new AbortController()]
  const decisions = [first, second].map((caller) => assert.rejects(async () => authorizer.authorize(attributes, caller), left))
  await eventually('one call for both', async () => seen.open === 1)
  first.abort(left)
  await decisions[0]
  assert.equal(seen.open, 1, 'the second one still waits')
  second.abort(left)
  await decisions[1]
  await eventually('the end of the call', async () => seen.open === 0)
  assert.equal(seen.calls, 1)
})

test('a token webhook is aborted, and that is not cached', async () => {
  const { seen, outbound } = outgoing()
  const tokens = webhookTokens(
    { connection, version: 'v1', audiences: [], cacheTtl: 60_000 },
    { outbound, clock: holdingClock, logger: silentLogger, platform },
  )
  for (const calls of [1, 2]) {
    const caller = new AbortController()
    const answer = assert.rejects(async () => tokens.authenticateToken('token', undefined, caller), left)
    await eventually('the call', async () => seen.calls === calls && seen.open === 1)
    caller.abort(left)
    await answer
    await eventually('the end of the call', async () => seen.open === 0)
  }
})

test('no retry follows', async () => {
  const { seen, outbound } = outgoing(500)
  const call = createReadingCall({
    connection,
    outbound,
    clock: holdingClock,
    timeout: 60_000,
    firstWait: 600_000,
    read: (text) => text,
    tried: () => {},
  })
  const caller = new AbortController()
  const answer = assert.rejects(call('{}', caller.signal), left)
  await eventually('the first attempt', async () => seen.calls === 1)
  caller.abort(left)
  await answer
  assert.equal(seen.calls, 1)
})
