/** The server's end of a WebSocket. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceOf } from '../../../../core/answers/byte-source.ts'
import { Pauses } from '../../../../core/common/slices.ts'
import { opcodes } from '../../../../core/outgoing/websocket/frames.ts'
import { WebSocketEnd } from '../../../../core/outgoing/websocket/socket.ts'
import { ManualClock } from '../../../support/clock.ts'

const hour = 3600_000
/** A masked text message of one byte. */
const message = () => Uint8Array.of(0x81, 0x81, 0, 0, 0, 0, 0x61)

function opened() {
  const clock = new ManualClock()
  const sent: number[] = []
  let broken: unknown
  let push = (_bytes: Uint8Array<ArrayBuffer>) => {}
  const end = new WebSocketEnd(
    {
      readable: new ReadableStream({
        start(controller) {
          push = (bytes) => controller.enqueue(bytes)
        },
      }),
      writable: new WritableStream<Uint8Array<ArrayBuffer>>({
        write: (bytes) => void sent.push(bytes.length),
        abort: (reason) => {
          broken = reason
        },
      }),
    },
    clock,
    new Pauses(clock).slices(() => new AbortController().signal),
  )
  return { clock, end, sizes: sent, push: (bytes: Uint8Array<ArrayBuffer>) => push(bytes), broken: () => broken }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('an idle connection ends after its limit, which each message of either side begins anew', async () => {
  const { clock, end, push, broken } = opened()
  end.endWhenIdle(4 * hour)
  let received = 0
  const ended = end.receive(() => void received++)
  for (const move of [() => push(message()), () => end.send(opcodes.binary, Uint8Array.of(1))]) {
    clock.advance(4 * hour - 1)
    await move()
    await turn()
    assert.equal(broken(), undefined)
  }
  assert.equal(received, 1)
  clock.advance(4 * hour - 1)
  await turn()
  assert.equal(broken(), undefined)
  clock.advance(1)
  await ended
  assert.match(String(broken()), /idle/)
  assert.equal(clock.pending, 0)
})

test('a connection that has ended has no timer', async () => {
  const { clock, end, push } = opened()
  end.endWhenIdle(4 * hour)
  const ended = end.receive(() => undefined)
  // A close frame without a code.
  push(Uint8Array.of(0x88, 0x80, 0, 0, 0, 0))
  await ended
  // The other side must have closed, too.
  clock.advance(5_000)
  assert.equal(clock.pending, 0)
})

test('a client that does not read what waits is cut off, and the source is told', async () => {
  const clock = new ManualClock()
  let broken: unknown
  let cancelled = 0
  let taken = 0
  let goOn = () => {}
  const end = new WebSocketEnd(
    {
      readable: new ReadableStream(),
      writable: new WritableStream<Uint8Array<ArrayBuffer>>({
        start: (controller) => {
          controller.signal.addEventListener('abort', () => {
            broken = controller.signal.reason
            goOn()
          })
        },
        write: ({ length }) => {
          taken += length
          return new Promise<void>((resolve) => {
            goOn = resolve
          })
        },
      }),
    },
    clock,
    new Pauses(clock).slices(() => new AbortController().signal),
  )
  const source = sourceOf(new Uint8Array(200_000))
  const sent = end.sendAll({ ...source, ended: false, cancel: () => void cancelled++ }, 30_000)
  for (const size of [65_536, 131_072, 196_608]) {
    await turn()
    assert.equal(taken, size)
    clock.advance(29_999)
    assert.equal(broken, undefined)
    goOn()
  }
  await turn()
  clock.advance(30_000)
  await sent
  assert.match(String(broken), /does not read/)
  assert.equal(cancelled, 1)
  assert.equal(clock.pending, 0)
})

test('the answer to a ping does not come between the frames of a source', async () => {
  const { end, push, sizes } = opened()
  const ended = end.receive(() => undefined)
  const sent = end.sendAll(sourceOf(new Uint8Array(200_000)), 30_000)
  // A ping of one byte.
  push(Uint8Array.of(0x89, 0x81, 0, 0, 0, 0, 0x61))
  await sent
  push(Uint8Array.of(0x88, 0x80, 0, 0, 0, 0))
  await ended
  const pong = sizes.indexOf(3)
  assert([-1, 4].includes(pong), sizes.join())
  assert.deepEqual(sizes.slice(0, 4), [65_536, 65_536, 65_536, 3_392])
})
