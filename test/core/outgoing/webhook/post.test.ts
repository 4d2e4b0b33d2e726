import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { post } from '../../../../core/outgoing/webhook/post.ts'
import { ManualClock } from '../../../support/clock.ts'

/** Posts to a webhook with these answers in order, repeating the last. */
function posted(answers: readonly Response[]) {
  const clock = new ManualClock()
  let requests = 0
  const outbound = { fetch: async () => (answers[Math.min(requests++, answers.length - 1)] ?? assert.fail()).clone() }
  const result = post({ connection: { url: 'https://hook/', options: {} }, outbound, clock, body: '{}', timeout: 10_000 })
  return { clock, result, requests: () => requests }
}

const busy = (status: number, after: string) => new Response('', { status, headers: { 'retry-after': after } })

test('a webhook that is busy is asked again when it says', async () => {
  const { clock, result, requests } = posted([busy(503, '2'), busy(429, '0'), Response.json({ kind: 'x' })])
  await turn()
  clock.advance(1_999)
  await turn()
  assert.equal(requests(), 1)
  for (const pause of [1, 1]) {
    clock.advance(pause)
    await turn()
  }
  assert.equal(await result, '{"kind":"x"}')
  assert.equal(requests(), 3)
})

test('a webhook that stays busy is asked eleven times, and within the time', async () => {
  const { clock, result, requests } = posted([busy(429, '0')])
  const refused = assert.rejects(result, { name: 'PostRefused', code: 429 })
  for (let pause = 0; pause < 10; pause++) {
    await turn()
    clock.advance(1)
  }
  await refused
  assert.equal(requests(), 11)
  const late = posted([busy(429, '20')])
  const ended = assert.rejects(late.result, /^Error: Post "https:\/\/hook\/\?timeout=10s": context deadline exceeded$/)
  await turn()
  late.clock.advance(10_000)
  await ended
  assert.equal(late.requests(), 1)
})

test('other codes and other texts are no reason to ask again', async () => {
  for (const answer of [busy(400, '0'), busy(429, 'x'), busy(429, '-1'), busy(503, 'Wed, 21 Oct 2026 07:28:00 GMT')]) {
    const { result, requests } = posted([answer])
    await assert.rejects(result)
    assert.equal(requests(), 1)
  }
})
