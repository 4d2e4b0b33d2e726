import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyResponse } from '../../../core/answers/body.ts'

const ask = (accept: string | undefined, size: number, isOn: boolean) => {
  const request = new Request('http://x/', accept === undefined ? {} : { headers: { 'accept-encoding': accept } })
  const enabled = (gate: string) => gate === 'APIResponseCompression' && isOn
  return bodyResponse(request, new Uint8Array(size), { status: 200, headers: { 'content-type': 'application/json' } }, enabled)
}

test('large bodies are compressed for clients that accept gzip, unless the gate is disabled', async () => {
  const large = 200 * 1024
  const compressed = ask('gzip', large, true)
  assert.equal(compressed.headers.get('content-encoding'), 'gzip')
  assert.equal(compressed.headers.get('vary'), 'Accept-Encoding')
  const body = compressed.body?.pipeThrough(new DecompressionStream('gzip'))
  assert.equal((await new Response(body).arrayBuffer()).byteLength, large)
  for (const plain of [ask('gzip', large, false), ask(undefined, large, true), ask('identity', large, true), ask('gzip', 1024, true)])
    assert.equal(plain.headers.get('content-encoding'), null)
})
