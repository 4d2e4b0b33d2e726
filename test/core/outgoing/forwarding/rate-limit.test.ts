import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rateLimited } from '../../../../core/outgoing/forwarding/rate-limit.ts'
import type { ByteStream } from '../../../../core/ports.ts'
import { ManualClock } from '../../../support/clock.ts'

/** A stream that returns what is written to it. */
function loop(): ByteStream {
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>>({}, { highWaterMark: 2 ** 20 }, { highWaterMark: 2 ** 20 })
  return { readable, writable }
}

/** Counts the bytes that it gets. */
class Counter {
  bytes = 0
  readonly sink = new WritableStream<Uint8Array>({
    write: ({ length }) => {
      this.bytes += length
    },
  })
}

/** Other promises have settled. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Bytes that come within each tenth of a second. */
async function perRound(stream: ByteStream, bytes: number): Promise<number[]> {
  const clock = new ManualClock()
  const { readable, writable } = rateLimited(stream, 50, clock)
  const received = new Counter()
  const reading = readable.pipeTo(received.sink)
  const writer = writable.getWriter()
  void writer.write(new Uint8Array(bytes))
  const rounds: number[] = []
  while (received.bytes < bytes) {
    const before = received.bytes
    await settled()
    rounds.push(received.bytes - before)
    clock.advance(100)
  }
  await writer.close()
  await reading
  return rounds
}

test('50 bytes per second are 5 in each tenth of a second', async () => {
  assert.deepEqual(await perRound(loop(), 23), [5, 5, 5, 5, 3])
})

test('each direction has its own limit', async () => {
  const [fromPeer, toPeer] = [new Counter(), new Counter()]
  const readable = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(12)) })
  const limited = rateLimited({ readable, writable: toPeer.sink }, 50, new ManualClock())
  void limited.readable.pipeTo(fromPeer.sink)
  void limited.writable.getWriter().write(new Uint8Array(12))
  await settled()
  assert.deepEqual([fromPeer.bytes, toPeer.bytes], [5, 5])
})

test('an abort does not wait for the limit', async () => {
  const { readable, writable } = rateLimited(loop(), 50, new ManualClock())
  const writer = writable.getWriter()
  const writing = assert.rejects(writer.write(new Uint8Array(100)), /given up/)
  await settled()
  await writer.abort(new Error('given up'))
  await writing
  await readable.cancel().catch(() => undefined)
})

test('without a limit it is the stream itself', () => {
  const stream = loop()
  assert.equal(rateLimited(stream, 0, new ManualClock()), stream)
})
