import type { Socket } from 'node:net'
import type { ByteStream } from '../../core/ports.ts'

/** Bytes read ahead of the reader. */
const highWater = 64 * 1024
/** Milliseconds without traffic until TCP asks whether the peer is still there. */
const keepAliveDelay = 15_000
const broken = () => new Error('the connection was closed')

/** A connected socket as two streams, with half-close, back pressure and abort. `head`: bytes received already. */
export function byteStream(socket: Socket, head: Uint8Array): ByteStream {
  // Notices peers that are gone without a word.
  socket.setKeepAlive?.(true, keepAliveDelay)
  // Otherwise the socket ends when its peer half-closes.
  socket.allowHalfOpen = true
  let failure: Error | undefined
  let isEnded = false
  let isCancelled = false
  socket.on('error', (error) => {
    failure ??= error
  })
  const readable = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(controller) {
        if (head.length > 0) controller.enqueue(new Uint8Array(head))
        socket.on('data', (bytes: Buffer) => {
          if (isCancelled) return
          controller.enqueue(new Uint8Array(bytes))
          if ((controller.desiredSize ?? 0) <= 0) socket.pause()
        })
        socket.once('end', () => {
          isEnded = true
          if (!isCancelled) controller.close()
        })
        socket.once('close', () => {
          if (!isEnded && !isCancelled) controller.error(failure ?? broken())
        })
      },
      pull() {
        socket.resume()
      },
      cancel(reason) {
        isCancelled = true
        socket.destroy(reason instanceof Error ? reason : broken())
      },
    },
    { highWaterMark: highWater, size: (chunk) => chunk?.byteLength ?? 0 },
  )
  const writable = new WritableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      socket.once('close', () => controller.error(failure ?? broken()))
    },
    write: (bytes) =>
      new Promise<void>((resolve, reject) => {
        socket.write(bytes, (error) => (error ? reject(error) : resolve()))
      }),
    close: () => new Promise<void>((resolve) => socket.end(() => resolve())),
    abort(reason) {
      socket.destroy(reason instanceof Error ? reason : broken())
    },
  })
  return { readable, writable }
}
