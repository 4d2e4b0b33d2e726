import assert from 'node:assert/strict'
import { test } from 'node:test'
import { webhookTokens } from '../../../core/authn/webhook-token.ts'
import { createPlatform } from '../../../core/platform.ts'
import { ManualClock } from '../../support/clock.ts'

const ignore = () => {}
const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore }

/** What becomes of the answer of a webhook. */
async function userOf(status: string) {
  const outbound = { fetch: async () => new Response(`{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","status":${status}}`) }
  const context = { outbound, clock: new ManualClock(), logger, platform: createPlatform('kubernetes') }
  const tokens = webhookTokens({ connection: { url: 'https://webhook', options: {} }, version: 'v1', audiences: [], cacheTtl: 0 }, context)
  return (await tokens.authenticateToken('token', undefined, undefined))?.user
}

test('every name of an extra is kept', async () => {
  const names = ['a', '__proto__', 'constructor', 'hasOwnProperty', '']
  const extra = `{${names.map((name) => `${JSON.stringify(name)}:["1"]`).join()},"none":null}`
  const user = await userOf(`{"authenticated":true,"user":{"username":"jane","extra":${extra}}}`)
  assert.deepEqual(Object.entries(user?.extra ?? {}), [...names.map((name) => [name, ['1']]), ['none', []]])
  assert.equal(({} as { 0?: unknown })[0], undefined)
})

test('extras of another shape are refused by name', async () => {
  for (const [extra, field] of [
    ['[]', 'status.user.extra'],
    ['1', 'status.user.extra'],
    ['{"a":"1"}', 'status.user.extra.a'],
    ['{"__proto__":[1]}', 'status.user.extra.__proto__'],
  ])
    await assert.rejects(userOf(`{"authenticated":true,"user":{"extra":${extra}}}`), {
      message: `authentication webhook: not a TokenReview of authentication.k8s.io/v1: ${field}`,
    })
})
