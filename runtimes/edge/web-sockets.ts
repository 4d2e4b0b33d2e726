/** Requests on runtimes that offer WebSockets, but no streams of bytes to make them of: WebSocketPair of workerd. */
import { opcodes } from '../../core/outgoing/websocket/frames.ts'
import type { ByteStream, Connection } from '../../core/ports.ts'
import type { ApiServer } from '../../core/server.ts'
import { maskedFrame, ServerFrames } from './frames.ts'

/** One end of a pair. */
interface EdgeSocket {
  accept(): void
  send(message: string | Uint8Array): void
  close(code?: number): void
  addEventListener(type: 'close' | 'error', listener: () => void): void
  addEventListener(type: 'message', listener: (event: { readonly data: string | ArrayBuffer }) => void): void
}

declare const WebSocketPair: (new () => { readonly 0: EdgeSocket; readonly 1: EdgeSocket }) | undefined

/** Members of the options of Response that only this runtime has. */
interface EdgeResponse extends ResponseInit {
  /** The body is already compressed if its headers say so. */
  readonly encodeBody?: 'manual'
  readonly webSocket?: EdgeSocket
}

/** The server's answer as a response of this runtime. */
export async function answer(server: Pick<ApiServer, 'fetch'>, request: Request): Promise<Response> {
  if (request.headers.get('upgrade')?.toLowerCase() === 'websocket' && typeof WebSocketPair !== 'undefined')
    return await server.fetch(handshakeOf(request), connectionWith(WebSocketPair))
  const response = await server.fetch(request)
  const { status, headers, body } = response
  if (!headers.has('content-encoding')) return response
  const init: EdgeResponse = { status, headers, encodeBody: 'manual' }
  return new Response(body, init)
}

/** The request with the fields of the handshake, which the runtime has done and taken away (RFC 6455 4.1). */
function handshakeOf(request: Request): Request {
  const shaken = new Request(request)
  shaken.headers.set('connection', 'Upgrade')
  shaken.headers.set('sec-websocket-version', '13')
  return shaken
}

const connectionWith = (Pair: NonNullable<typeof WebSocketPair>): Connection => ({
  remoteAddress: '',
  remotePort: 0,
  // There is no key to answer, as over HTTP/2 (RFC 8441 5).
  protocol: 'h2',
  upgrade(headers, use) {
    const { 0: client, 1: socket } = new Pair()
    socket.accept()
    use(streamOf(socket))
    const protocol = headers['sec-websocket-protocol']
    const init: EdgeResponse = {
      status: 101,
      webSocket: client,
      headers: protocol === undefined ? {} : { 'sec-websocket-protocol': protocol },
    }
    return new Response(null, init)
  },
})

const encoder = new TextEncoder()

/** A WebSocket as the bytes of its frames, which the core makes and reads. */
function streamOf(socket: EdgeSocket): ByteStream {
  const frames = new ServerFrames()
  let isOpen = true
  const close = (code?: number) => {
    if (!isOpen) return
    isOpen = false
    socket.close(code)
  }
  const readable = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      const ended = () => {
        if (isOpen) controller.close()
        close()
      }
      socket.addEventListener('close', ended)
      socket.addEventListener('error', ended)
      socket.addEventListener('message', ({ data }) => {
        const [opcode, bytes] = typeof data === 'string' ? [opcodes.text, encoder.encode(data)] : [opcodes.binary, new Uint8Array(data)]
        if (isOpen) controller.enqueue(maskedFrame(opcode, bytes))
      })
    },
    cancel: () => close(),
  })
  const writable = new WritableStream<Uint8Array<ArrayBuffer>>({
    write(bytes) {
      for (const { opcode, payload } of frames.push(bytes)) {
        if (!isOpen) throw new Error('the client has left')
        if (opcode === opcodes.close) close(1000)
        else if (opcode === opcodes.text) socket.send(new TextDecoder().decode(payload))
        else if (opcode === opcodes.binary) socket.send(payload)
      }
    },
    close: () => close(),
    abort: () => close(1011),
  })
  return { readable, writable }
}
