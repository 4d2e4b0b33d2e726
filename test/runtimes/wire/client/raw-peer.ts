/** A scripted HTTP/2 server that sends raw frames. */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { FrameReader, frameHeader } from '../../../../runtimes/wire/frames.ts'
import { encodedHeaders } from '../../../../runtimes/wire/hpack/write.ts'
import { eventually } from '../../../support/wait.ts'
import { message } from '../../stores/etcd/grpc-server.ts'

export interface Frame {
  readonly type: number
  readonly flags: number
  readonly stream: number
  readonly payload: Buffer
}

export interface RawPeer extends AsyncDisposable {
  readonly url: string
  /** Frames received from clients. */
  readonly frames: readonly Frame[]
  readonly sockets: readonly Socket[]
  readonly connections: number
  /** Waits for a frame of that type. */
  frame(type: number): Promise<Frame>
}

const prefaceLength = 24

/** `keeps`: record frames and sockets. False for tests with very many connections, whose sockets end by themselves. */
export async function rawPeer(connected: (socket: Socket) => void = () => {}, keeps = true): Promise<RawPeer> {
  const frames: Frame[] = []
  const sockets: Socket[] = []
  let connections = 0
  const server = createServer({ noDelay: true }, (socket) => {
    connections++
    if (keeps) sockets.push(socket)
    const reader = new FrameReader((type, flags, stream, payload) => {
      if (keeps) frames.push({ type, flags, stream, payload })
    })
    let preface = prefaceLength
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      const skipped = Math.min(preface, bytes.length)
      preface -= skipped
      reader.take(bytes.subarray(skipped))
    })
    connected(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    frames,
    sockets,
    get connections() {
      return connections
    },
    frame: (type) => eventually(`a frame of type ${type}`, async () => frames.find((frame) => frame.type === type)),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

export const frame = (type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)) =>
  Buffer.concat([frameHeader(payload.length, type, flags, stream), payload])

export const settings = frame(4, 0, 0)
export const head = encodedHeaders([
  [':status', '200'],
  ['content-type', 'application/grpc'],
])
export const trailers = encodedHeaders([
  ['grpc-status', '0'],
  ['grpc-message', ''],
])
/** A complete response that ends the stream. */
export const answerOn = (stream: number, content: string) =>
  Buffer.concat([frame(1, 4, stream, head), frame(0, 0, stream, message(content)), frame(1, 5, stream, trailers)])
