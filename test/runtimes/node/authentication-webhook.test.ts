/** Bearer tokens reviewed by a webhook in another process, over TLS. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Accepted, AuthenticationError, type TokenAuthenticator } from '../../../core/access/authn/authenticator.ts'
import { webhookTokens } from '../../../core/access/authn/webhook-token.ts'
import { loadConnectionFile } from '../../../core/outgoing/webhook/connection-file.ts'
import { createPlatform } from '../../../core/platform.ts'
import type { Outbound } from '../../../core/ports.ts'
import { createOutbound } from '../../../runtimes/node/network/outbound.ts'
import { nodeClock, nodeFiles } from '../../../runtimes/node/start/ports.ts'
import { ManualClock } from '../../support/clock.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { startTokenWebhook, type TokenWebhook } from '../../support/token-webhook.ts'

const directory = temporaryDirectory('token-webhook')
const messages: string[] = []
const log = (fields: object, message: string) => void messages.push(`${message} ${JSON.stringify(fields)}`)
const logger = { debug: log, info: log, warn: log, error: log }
const real = createOutbound()
/** Timeout of webhook calls, in milliseconds. */
let timeout = 60_000
const outbound: Outbound = { ...real, fetch: (request, options) => real.fetch(request, { ...options, timeout }) }
const own = ['https://api']
let webhook: TokenWebhook

before(async () => {
  webhook = await startTokenWebhook(directory.path)
})
after(async () => {
  await webhook.stop()
  directory.remove()
})

async function tokens(version: 'v1' | 'v1beta1' = 'v1', clock = nodeClock): Promise<TokenAuthenticator> {
  const connection = await loadConnectionFile(webhook.connectionFile, { files: nodeFiles, clock })
  const platform = createPlatform('kubernetes')
  return webhookTokens({ connection, version, audiences: own, cacheTtl: 120_000 }, { outbound, clock, logger, platform })
}
const ask = async (each: TokenAuthenticator, token: string, audiences?: readonly string[]) =>
  each.authenticateToken(token, audiences, undefined)
const countOf = async (token: string) => (await webhook.counts())[token] ?? 0

test('the webhook returns the user, in both versions', async () => {
  for (const version of ['v1', 'v1beta1'] as const) {
    const accepted = await ask(await tokens(version), 'good-jane')
    const extra = { 'example.com/asked': [`authentication.k8s.io/${version}`] }
    assert.deepEqual(accepted, { user: { name: 'jane', uid: 'u1', groups: ['hooked'], extra }, audiences: own } satisfies Accepted)
  }
})

test('audiences are sent, and must match', async () => {
  const each = await tokens()
  assert.deepEqual((await ask(each, 'good-a', ['x', 'y']))?.audiences, ['x'])
  assert.equal(await ask(each, 'elsewhere-a'), undefined)
  assert.equal(await ask(each, 'plain-a', ['x']), undefined, 'an answer without audiences is valid for this server')
  assert.deepEqual((await ask(each, 'plain-a'))?.audiences, own)
})

test('no opinion, or an error', async () => {
  const each = await tokens()
  assert.equal(await ask(each, 'nobody'), undefined)
  await assert.rejects(ask(each, 'refused'), new AuthenticationError('expired on the other side'))
})

test('accepted tokens are cached for a while, rejected ones briefly; concurrent requests share one call', async () => {
  const clock = new ManualClock()
  const each = await tokens('v1', clock)
  await Promise.all(Array.from({ length: 20 }, () => ask(each, 'good-many')))
  await Promise.all(Array.from({ length: 20 }, () => ask(each, 'nobody-many')))
  assert.equal(await countOf('good-many'), 1)
  assert.equal(await countOf('nobody-many'), 1)
  clock.advance(119_000)
  await ask(each, 'good-many')
  await ask(each, 'nobody-many')
  assert.deepEqual([await countOf('good-many'), await countOf('nobody-many')], [1, 1])
  clock.advance(2_000)
  await ask(each, 'good-many')
  await ask(each, 'nobody-many')
  assert.deepEqual([await countOf('good-many'), await countOf('nobody-many')], [2, 2])
  for (const _ of [1, 2]) await assert.rejects(ask(each, 'refused-twice'), AuthenticationError)
  assert.equal(await countOf('refused-twice'), 1)
  clock.advance(10_000)
  await assert.rejects(ask(each, 'refused-twice'), AuthenticationError)
  assert.equal(await countOf('refused-twice'), 2)
})

test('temporary failures are retried', async () => {
  assert.equal((await ask(await tokens(), 'recovering-a'))?.user.name, 'a')
  assert.equal(await countOf('recovering-a'), 2)
  await assert.rejects(ask(await tokens(), 'forbidden'), AuthenticationError)
  assert.equal(await countOf('forbidden'), 1)
})

test('invalid responses are refused, and the log does not show the token', async () => {
  const each = await tokens()
  for (const token of ['malformed', 'html', 'strange', 'wrongversion', 'huge', 'stalled']) {
    timeout = token === 'stalled' ? 1_000 : 60_000
    await assert.rejects(ask(each, `${token}-secret`), AuthenticationError, token)
  }
  assert.ok(messages.length > 0, 'failures are logged')
  for (const message of messages) assert.doesNotMatch(message, /secret/)
  timeout = 60_000
})

test('a slow response delays no other request', async () => {
  const each = await tokens()
  let late = false
  const slow = ask(each, 'held-b').then((found) => {
    late = true
    return found
  })
  await ask(each, 'good-b')
  assert.equal(late, false)
  await ask(each, 'release')
  assert.equal((await slow)?.user.name, 'b')
})

test('an unreachable webhook is not called for every request', async () => {
  const each = await tokens()
  await assert.rejects(ask(each, 'dead'), AuthenticationError)
  for (let i = 0; i < 50; i++) await assert.rejects(ask(each, `dead-${i}`), AuthenticationError)
  // The circuit breaker opens.
  assert.ok(Object.keys(await webhook.counts()).filter((token) => token.startsWith('dead-')).length < 10)
})
