/** A scripted HTTP/2 client that sends raw frames. */
import { once } from 'node:events'
import { connect, type TLSSocket } from 'node:tls'
import { FrameReader, frameHeader, preface } from '../../../../runtimes/wire/frames.ts'
import { encodedHeaders } from '../../../../runtimes/wire/hpack/write.ts'
import { authority } from '../../node/support.ts'

export interface Frame {
  readonly type: number
  readonly flags: number
  readonly stream: number
  readonly payload: Buffer
}

export const types = {
  data: 0,
  headers: 1,
  priority: 2,
  resetStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
}

export const frame = (type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)) =>
  Buffer.concat([frameHeader(payload.length, type, flags, stream), payload])

export const number = (...values: number[]) => {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at)
  return bytes
}
export const setting = (id: number, value: number) => Buffer.concat([Buffer.of(0, id), number(value)])
export const settings = frame(types.settings, 0, 0)
export const headerBlock = (method: string, path: string, ...more: [string, string][]) =>
  encodedHeaders([[':method', method], [':scheme', 'https'], [':path', path], [':authority', 'localhost'], ...more])
export const get = (stream: number, path = '/') => frame(types.headers, 5, stream, headerBlock('GET', path))

export interface RawClient {
  readonly socket: TLSSocket
  readonly frames: readonly Frame[]
  /** The connection or its sending half is closed. */
  readonly closed: boolean
  /** Resolves when everything is passed to the socket. */
  send(...bytes: readonly Uint8Array[]): Promise<void>
  /** Waits for a matching frame, from index `from` on; undefined when the connection closes before. */
  next(accepts: (frame: Frame) => boolean, from?: number): Promise<Frame | undefined>
}

/** Connects; with `greeting` (default) also sends the connection preface. */
export async function rawClient(port: number, greeting: Uint8Array = Buffer.concat([preface, settings])): Promise<RawClient> {
  const socket = connect({ host: '127.0.0.1', port, ca: authority.certPem, ALPNProtocols: ['h2'] })
  await once(socket, 'secureConnect')
  const frames: Frame[] = []
  let closed = false
  let wake = () => {}
  const reader = new FrameReader((type, flags, stream, payload) => frames.push({ type, flags, stream, payload: Buffer.from(payload) }))
  socket.on('data', (bytes) => {
    reader.take(bytes)
    wake()
  })
  for (const event of ['end', 'close', 'error'])
    socket.on(event, () => {
      closed = true
      wake()
    })
  const client: RawClient = {
    socket,
    frames,
    get closed() {
      return closed
    },
    send: (...bytes) => new Promise((resolve) => (socket.writable ? socket.write(Buffer.concat(bytes), () => resolve()) : resolve())),
    async next(accepts, from = 0) {
      for (let at = from; ; at++) {
        while (at >= frames.length) {
          if (closed) return undefined
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
        const found = frames[at]
        if (found !== undefined && accepts(found)) return found
      }
    },
  }
  if (greeting.length > 0) await client.send(greeting)
  return client
}
