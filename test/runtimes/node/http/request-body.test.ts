import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestBody } from '../../../../runtimes/node/http/request-body.ts'

const bytes = (length: number, value = 1) => new Uint8Array(length).fill(value)

/** A body, and the number of bytes reported to the transport as consumed. */
function opened(expected?: number) {
  const seen = { consumed: 0 }
  return { seen, body: new RequestBody((count) => (seen.consumed += count), expected) }
}

test('a complete body is available synchronously, once', async () => {
  const { body, seen } = opened(5)
  assert.equal(body.whole(), undefined)
  body.push(bytes(3))
  assert.equal(body.whole(), undefined)
  body.push(bytes(2, 2))
  body.end()
  assert.deepEqual([...(body.whole() ?? [])], [1, 1, 1, 2, 2])
  assert.equal(seen.consumed, 5)
  assert.equal(body.used, true)
  assert.equal(body.whole(), undefined)
  await assert.rejects(body.bytes(), /read already/)
})

test('a body read as a stream is not available synchronously', () => {
  const { body } = opened()
  body.push(bytes(3))
  body.stream()
  body.end()
  assert.equal(body.whole(), undefined)
})

test('a body within the limit is collected as it arrives', async () => {
  const { body, seen } = opened()
  body.push(bytes(3))
  const read = body.within(5)
  assert.equal(body.push(bytes(2)), true)
  body.end()
  assert.equal((await read)?.length, 5)
  assert.equal(seen.consumed, 5)
})

test('at most the limit is kept, and later bytes are discarded', async () => {
  for (const before of [0, 4, 6]) {
    const { body, seen } = opened()
    let sent = 0
    const push = (length: number) => {
      if (length === 0) return
      sent += length
      body.push(bytes(length))
    }
    push(before)
    const read = body.within(5)
    push(6 - before > 0 ? 6 - before : 0)
    assert.equal(await read, undefined, `${before} bytes first`)
    push(100)
    assert.equal(seen.consumed, sent)
  }
})

test('a body whose client disconnects fails', async () => {
  const { body } = opened()
  body.push(bytes(3))
  const read = body.within(5)
  body.fail(new Error('gone'))
  await assert.rejects(read, /gone/)
})
