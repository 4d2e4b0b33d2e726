import type { Socket } from 'node:net'
import { streamOf } from '../../../core/answers/byte-source.ts'
import type { ByteStream } from '../../../core/ports.ts'
import { Received } from './received.ts'

/** Bytes that wait in a socket before its writer does. */
const window = 64 * 1024
/** Writes of few bytes that wait: each takes hundreds of bytes of memory. */
const maxWrites = 256
const few = 1024
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
  socket.on('error', (error) => {
    failure ??= error
  })
  const received = new Received(socket)
  received.give(head)
  let resume = () => {}
  let waiting = 0
  // A write that fails is followed by 'close'.
  const sent = (error?: Error | null) => {
    if (--waiting === 0 && !error) resume()
  }
  socket.on('drain', () => resume())
  const drained = () =>
    new Promise<void>((resolve) => {
      resume = resolve
    })
  const writable = new WritableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      socket.once('close', () => {
        controller.error(failure ?? broken())
        resume()
      })
    },
    write(bytes) {
      if (bytes.length > few) socket.write(bytes)
      else {
        waiting++
        socket.write(bytes, sent)
      }
      return socket.writableLength > window || waiting > maxWrites ? drained() : undefined
    },
    close: () => new Promise<void>((resolve) => socket.end(() => resolve())),
    abort(reason) {
      socket.destroy(reason instanceof Error ? reason : broken())
    },
  })
  return { readable: streamOf(received), writable }
}
