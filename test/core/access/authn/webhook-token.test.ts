import assert from 'node:assert/strict'
import { test } from 'node:test'
import { webhookTokens } from '../../../../core/access/authn/webhook-token.ts'
import { createPlatform } from '../../../../core/platform.ts'
import { ManualClock } from '../../../support/clock.ts'

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
  const kept = [...names.map((name): [string, string[]] => [name, ['1']]), ['none', []] as [string, string[]]]
  assert.deepEqual(
    Object.entries(user?.extra ?? {}),
    kept.sort(([one], [other]) => (one < other ? -1 : 1)),
  )
  assert.equal(({} as { 0?: unknown })[0], undefined)
})

test('what has another type is refused by the name of its field, not by its value', async () => {
  const extra = 'UserInfo.status.user.extra of type'
  for (const [user, problem] of [
    ['{"extra":[]}', `array into Go struct field ${extra} map[string]v1.ExtraValue`],
    ['{"extra":1}', `number into Go struct field ${extra} map[string]v1.ExtraValue`],
    ['{"extra":{"a":"1"}}', `string into Go struct field ${extra} v1.ExtraValue`],
    ['{"extra":{"__proto__":[1]}}', `number into Go struct field ${extra} string`],
    ['{"username":1}', 'number into Go struct field UserInfo.status.user.username of type string'],
  ])
    await assert.rejects(userOf(`{"authenticated":true,"user":${user}}`), {
      message: `json: cannot unmarshal ${problem}`,
    })
})

test('answers are read as by Go: repeated members, text behind the object, exact names, gzip', async () => {
  const jane = { name: 'jane', groups: [] }
  assert.deepEqual(await userOf('{"authenticated":true,"user":{"username":"joe"},"user":{"username":"jane"}}'), jane)
  assert.equal(await userOf('{"Authenticated":true,"user":{"username":"jane"}}'), undefined)
  assert.equal(await userOf('null'), undefined)
  await assert.rejects(
    userOf('{"authenticated":"true"}'),
    /cannot unmarshal string into Go struct field TokenReviewStatus.status.authenticated/,
  )
  await assert.rejects(userOf('{"authenticated":true}} x'), /after top-level value/)
})
