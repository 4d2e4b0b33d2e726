/** WebSockets (RFC 6455) for tests: either end of a connection, on a stream of bytes. */
import { createHash, randomBytes } from 'node:crypto'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { request as requestTls } from 'node:https'
import type { Duplex } from 'node:stream'

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

export const acceptOf = (key: string) => createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')

/** One end: messages go out with `send` and come in through `message`, one at a time. */
export class WebSocketPeer {
  readonly socket: Duplex
  readonly #isClient: boolean
  /** A promise holds the reader back. */
  message: (bytes: Buffer, opcode: number) => void | Promise<void> = () => undefined
  /** Code of the close frame that was received. */
  closeCode: number | undefined
  readonly pongs: string[] = []

  constructor(socket: Duplex, isClient: boolean) {
    this.socket = socket.on('error', () => undefined)
    this.#isClient = isClient
  }

  /** Resolves when more can be sent. */
  async send(bytes: Uint8Array | string, opcode: number = opcodes.binary, isLast = true): Promise<void> {
    const payload = Buffer.from(bytes as Uint8Array)
    const head = Buffer.alloc(payload.length < 126 ? 2 : payload.length < 65_536 ? 4 : 10)
    head[0] = (isLast ? 0x80 : 0) | opcode
    head[1] = head.length === 2 ? payload.length : head.length === 4 ? 126 : 127
    if (head.length === 4) head.writeUInt16BE(payload.length, 2)
    if (head.length === 10) head.writeBigUInt64BE(BigInt(payload.length), 2)
    const mask = this.#isClient ? randomBytes(4) : Buffer.alloc(0)
    if (this.#isClient) {
      head[1] = (head[1] as number) | 0x80
      for (let i = 0; i < payload.length; i++) payload[i] = (payload[i] as number) ^ (mask[i & 3] as number)
    }
    const { socket } = this
    if (socket.destroyed || socket.writableEnded || socket.write(Buffer.concat([head, mask, payload]))) return
    await new Promise<void>((resolve) => {
      const done = () => {
        socket.off('drain', done).off('close', done)
        resolve()
      }
      socket.on('drain', done).on('close', done)
    })
  }

  /** Sends a close frame, and nothing after it. */
  async close(code = 1000): Promise<void> {
    const payload = Buffer.alloc(2)
    payload.writeUInt16BE(code)
    await this.send(payload, opcodes.close)
    this.socket.end()
  }

  /** Reads messages until the connection ends or a close frame has arrived. */
  async serve(): Promise<void> {
    let held: Buffer = Buffer.alloc(0)
    let parts: Buffer[] = []
    let kind = 0
    for await (const chunk of this.socket as AsyncIterable<Buffer>) {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
      for (;;) {
        if (held.length < 2) break
        const short = (held[1] as number) & 0x7f
        const head = 2 + (short === 127 ? 8 : short === 126 ? 2 : 0)
        const masked = (held[1] as number) >= 0x80
        if (held.length < head + (masked ? 4 : 0)) break
        const size = short === 127 ? Number(held.readBigUInt64BE(2)) : short === 126 ? held.readUInt16BE(2) : short
        const from = head + (masked ? 4 : 0)
        if (held.length < from + size) break
        const payload = Buffer.from(held.subarray(from, from + size))
        if (masked) for (let i = 0; i < size; i++) payload[i] = (payload[i] as number) ^ (held[head + (i & 3)] as number)
        const opcode = (held[0] as number) & 0x0f
        const isLast = (held[0] as number) >= 0x80
        held = held.subarray(from + size)
        if (opcode === opcodes.close) {
          this.closeCode = payload.length >= 2 ? payload.readUInt16BE(0) : 1005
          if (!this.socket.writableEnded) await this.close(this.closeCode)
          this.socket.resume()
          return
        }
        if (opcode === opcodes.ping) await this.send(payload, opcodes.pong)
        else if (opcode === opcodes.pong) this.pongs.push(String(payload))
        else {
          if (opcode !== opcodes.continuation) kind = opcode
          parts.push(payload)
          if (!isLast) continue
          const message = Buffer.concat(parts)
          parts = []
          await this.message(message, kind)
        }
      }
    }
  }
}

export interface WebSocketPlace {
  readonly port: number
  readonly host: string
  readonly tls?: { readonly ca: string; readonly cert?: string; readonly key?: string }
}

export interface Dialled {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Of an answer that is no WebSocket. */
  readonly text: string
  readonly peer?: WebSocketPeer
}

/** Asks for a WebSocket with these subprotocols. `more`: header fields in addition, or in place of the usual ones. */
export function dialWebSocket(
  { port, host, tls }: WebSocketPlace,
  path: string,
  protocols: readonly string[],
  more: { readonly [name: string]: string } = {},
): Promise<Dialled> {
  const key = randomBytes(16).toString('base64')
  const headers = {
    ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': key },
    ...(protocols.length > 0 && { 'sec-websocket-protocol': protocols.join(', ') }),
    ...more,
  }
  return new Promise((resolve, reject) => {
    const options = { port, host, path, headers, agent: false as const }
    const outgoing = tls ? requestTls({ ...options, ...tls, servername: '' }) : request(options)
    outgoing.on('error', reject)
    outgoing.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (head.length > 0) socket.unshift(head)
      if (incoming.headers['sec-websocket-accept'] !== acceptOf(key)) reject(new Error('wrong Sec-WebSocket-Accept'))
      resolve({ status: 101, headers: incoming.headers, text: '', peer: new WebSocketPeer(socket, true) })
    })
    outgoing.on('response', async (incoming) => {
      let text = ''
      for await (const chunk of incoming) text += chunk
      resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text })
    })
    outgoing.end()
  })
}
