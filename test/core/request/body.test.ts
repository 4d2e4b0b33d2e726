import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../../core/answers/status.ts'
import { maxBodyBytes, readBody } from '../../../core/request/body.ts'

function streamed(chunks: readonly Uint8Array[], headers: HeadersInit = {}, onPull?: () => void): Request {
  let next = 0
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        onPull?.()
        const chunk = chunks[next++]
        if (chunk) controller.enqueue(chunk)
        else controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  return new Request('http://x/', { method: 'POST', body, headers, duplex: 'half' } as RequestInit)
}

const bytes = (...values: number[]) => new Uint8Array(values)
const tooLarge = (error: unknown) =>
  error instanceof ApiError && error.status.code === 413 && error.message === 'Request entity too large: limit is 3145728'

test('reads bodies with and without a declared length', async () => {
  assert.deepEqual(await readBody(new Request('http://x/', { method: 'POST' })), new Uint8Array(0))
  assert.deepEqual(await readBody(streamed([bytes(1, 2), bytes(3)])), bytes(1, 2, 3))
  assert.deepEqual(await readBody(streamed([bytes(1, 2)])), bytes(1, 2))
  assert.deepEqual(await readBody(streamed([bytes(1, 2)], { 'content-length': '2' })), bytes(1, 2))
})

test('refuses a large declared length without reading', async () => {
  let pulls = 0
  const request = streamed([bytes(1)], { 'content-length': String(maxBodyBytes + 1) }, () => pulls++)
  await assert.rejects(readBody(request), tooLarge)
  assert.equal(pulls, 0)
})

test('stops reading beyond the limit', async () => {
  let pulls = 0
  const chunk = new Uint8Array(1024 * 1024)
  const request = streamed(Array(100).fill(chunk), {}, () => pulls++)
  await assert.rejects(readBody(request), tooLarge)
  assert.ok(pulls <= 5, `${pulls} chunks were read`)
  assert.equal((await readBody(streamed([new Uint8Array(maxBodyBytes)]))).length, maxBodyBytes)
  await assert.rejects(readBody(streamed([new Uint8Array(maxBodyBytes), bytes(1)])), tooLarge)
})

test('rejects when the body ends early', async () => {
  const body = new ReadableStream({ pull: (controller) => controller.error(new Error('aborted')) })
  await assert.rejects(readBody(new Request('http://x/', { method: 'POST', body, duplex: 'half' } as RequestInit)), /aborted/)
})
