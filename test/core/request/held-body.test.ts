import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LightHeaders } from '../../../core/answers/light-headers.ts'
import { createClient } from '../../../core/controllers/client.ts'
import { HeldBody } from '../../../core/request/held-body.ts'
import { LightRequest } from '../../../core/request/light-request.ts'

const bytes = new TextEncoder().encode('{"kind":"ConfigMap"}')
const request = () => new LightRequest('POST', '/api', LightHeaders.of([]), new HeldBody(bytes))

test('a held body can be read once, as a whole or as a stream', async () => {
  const whole = request()
  assert.equal(whole.bodyUsed, false)
  assert.deepEqual(await whole.json(), { kind: 'ConfigMap' })
  assert.equal(whole.bodyUsed, true)
  await assert.rejects(whole.bytes(), /read already/)

  const streamed = request()
  assert.deepEqual(await new Response(streamed.body).json(), { kind: 'ConfigMap' })
  assert.equal(streamed.bodyUsed, true)
  await assert.rejects(streamed.bytes(), /read already/)
})

test('a clone of a request with a held body has the body too', async () => {
  const original = request()
  const copy = original.clone()
  assert.deepEqual(await copy.json(), { kind: 'ConfigMap' })
  assert.deepEqual(await original.json(), { kind: 'ConfigMap' })
})

test('in-process requests do not use the built-in class, which is slow to load at start', async () => {
  const seen: Request[] = []
  const client = createClient(async (sent) => {
    seen.push(sent)
    return Response.json(await (sent.body === null ? { metadata: {} } : sent.json()))
  }, 'test')
  const nodes = client({ group: '', version: 'v1', names: { plural: 'nodes' } as never, namespaced: false })
  assert.deepEqual(await nodes.get('', 'a'), { metadata: {} })
  assert.deepEqual(await nodes.create('', { metadata: { name: 'ä' } } as never), { metadata: { name: 'ä' } })
  assert.deepEqual(
    seen.map(({ method, url, headers }) => [method, url, headers.get('content-length')]),
    [
      ['GET', 'https://localhost/api/v1/nodes/a', null],
      ['POST', 'https://localhost/api/v1/nodes', '26'],
    ],
  )
  assert.ok(seen.every((sent) => sent instanceof LightRequest))
})
