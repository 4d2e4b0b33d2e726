import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LiveReading } from '../../../../core/meta/debug/live.ts'
import { startInProcess } from '../../../support/in-process.ts'

test('a stream of readings: requests, watches and what is in flight, until the server shuts down', async () => {
  const { fetch: ask, server } = await startInProcess()
  const watch = await ask('/api/v1/configmaps?watch=1')
  await (await ask('/api/v1/namespaces')).text()
  const stream = await ask('/debug/live/stream')
  assert.equal(stream.headers.get('content-type'), 'text/event-stream')
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
  const { value = '' } = await reader.read()
  const reading = JSON.parse(/^data: (.*)\n\n$/.exec(value)?.[1] ?? '') as LiveReading
  assert.deepEqual(reading.watches, [['configmaps', 1]])
  assert.ok(reading.requests.some(([verb, count]) => verb === 'LIST' && count >= 1))
  assert.ok(reading.requestSeconds.count >= 1)
  const closing = server.close()
  let last = await reader.read()
  while (!last.done) last = await reader.read()
  await watch.body?.cancel()
  await closing
})

test('one self-contained page, unless profiles are off', async () => {
  const { fetch, close } = await startInProcess()
  const page = await fetch('/debug/live')
  const text = await page.text()
  assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'/)
  assert.doesNotMatch(text, /https?:(?!\/\/www\.w3\.org\/2000\/svg)|src=|href=(?!"data:,")|innerHTML/)
  assert.equal((await fetch('/debug/live/nope')).status, 404)
  await close()
  const { server: off } = await startInProcess({ profiling: false })
  assert.equal((await off.fetch(new Request('http://server/debug/live'))).status, 404)
  await off.close()
})
