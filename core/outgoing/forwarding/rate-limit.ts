/** Limits of the bytes that connections carry per second (go-flowrate, which the reference uses). */
import type { ByteStream, Clock } from '../../ports.ts'
import { pauseFor } from '../time-limit.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** Milliseconds that the limit is divided into; at least one byte passes in each. */
const round = 100

/** Passes bytes on in pieces, as fast as the limit allows. Rejects with the reason of `signal` when that aborts before the last piece. */
export type RateLimit = (bytes: Bytes, pass: (piece: Bytes) => Promise<void> | void, signal: AbortSignal) => Promise<void> | void

/** Limits one direction to bytes per second; 0: no limit. */
export function createRateLimit(perSecond: number, clock: Pick<Clock, 'after' | 'monotonic'>): RateLimit {
  if (perSecond === 0) return (bytes, pass) => pass(bytes)
  const perRound = Math.max(1, Math.round((perSecond * round) / 1000))
  let began = Number.NEGATIVE_INFINITY
  let passed = 0
  return async (bytes, pass, signal) => {
    for (let from = 0; from < bytes.length; ) {
      signal.throwIfAborted()
      const left = began + round - clock.monotonic()
      if (left <= 0) [began, passed] = [clock.monotonic(), 0]
      else if (passed === perRound) {
        await pauseFor(clock, left, signal)
        continue
      }
      const piece = bytes.subarray(from, from + perRound - passed)
      from += piece.length
      passed += piece.length
      await pass(piece)
    }
  }
}

/** The same stream with a limit of bytes per second for each direction; 0: no limit. */
export function rateLimited(stream: ByteStream, perSecond: number, clock: Pick<Clock, 'after' | 'monotonic'>): ByteStream {
  if (perSecond === 0) return stream
  const [inward, outward] = [createRateLimit(perSecond, clock), createRateLimit(perSecond, clock)]
  const reader = stream.readable.getReader()
  const writer = stream.writable.getWriter()
  const cancelled = new AbortController()
  return {
    readable: new ReadableStream<Bytes>(
      {
        async pull(controller) {
          const { done, value } = await reader.read()
          if (done) controller.close()
          else await inward(value, (piece) => controller.enqueue(piece), cancelled.signal)
        },
        cancel(reason) {
          cancelled.abort(reason)
          return reader.cancel(reason)
        },
      },
      { highWaterMark: 0 },
    ),
    writable: new WritableStream<Bytes>({
      start(controller) {
        writer.closed.catch((error: unknown) => controller.error(error))
      },
      write: (bytes, controller) => outward(bytes, (piece) => writer.write(piece), controller.signal),
      close: () => writer.close(),
      abort: (reason) => writer.abort(reason),
    }),
  }
}
