/** The server's end of a WebSocket. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pauses } from '../../../core/slices.ts'
import { opcodes } from '../../../core/websocket/frames.ts'
import { WebSocketEnd } from '../../../core/websocket/socket.ts'
import { ManualClock } from '../../support/clock.ts'

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
  return { clock, end, push: (bytes: Uint8Array<ArrayBuffer>) => push(bytes), broken: () => broken }
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
