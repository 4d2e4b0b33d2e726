/** WebSockets as node agents speak them: channels in messages, as bytes or in base64 (cri-streaming/pkg/streaming of the reference). */
import type { Duplex } from 'node:stream'
import { opcodes, WebSocketPeer } from '../websocket.ts'
import type { SpdyStream } from './spdy.ts'

const base64 = (protocol: string) => /(^|\.)base64\./.test(protocol)

/** The streams of a WebSocket, in the form of those of SPDY. `headers`: of the stream of each channel; undefined: it is not used. */
export class Channels {
  readonly peer: WebSocketPeer
  readonly streams: readonly (SpdyStream | undefined)[]
  readonly #isText: boolean
  readonly #hasEnds: boolean
  #open: number

  constructor(socket: Duplex, protocol: string, headers: readonly (SpdyStream['headers'] | undefined)[], closesAfter: readonly number[]) {
    this.peer = new WebSocketPeer(socket, false)
    this.#isText = base64(protocol)
    this.#hasEnds = protocol.startsWith('v5.')
    this.#open = closesAfter.length
    this.streams = headers.map((each, channel) => each && this.#stream(channel, each, closesAfter.includes(channel)))
    this.peer.message = (bytes) => this.#received(bytes)
  }

  async send(channel: number, bytes: Buffer): Promise<void> {
    if (this.#isText) await this.peer.send(`${channel}${bytes.toString('base64')}`, opcodes.text)
    else await this.peer.send(Buffer.concat([Buffer.of(channel), bytes]))
  }

  #stream(channel: number, headers: SpdyStream['headers'], counts: boolean): SpdyStream {
    let isOpen = true
    const stream: SpdyStream = {
      id: channel,
      headers,
      write: (bytes) => this.send(channel, bytes),
      end: () => {
        if (isOpen && counts && --this.#open === 0) void this.peer.close()
        isOpen = false
      },
      reset: () => undefined,
      data: () => undefined,
      ended: () => undefined,
    }
    return stream
  }

  async #received(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return
    const [first = 0, second = 0] = bytes
    if (this.#hasEnds && first === 255) return void this.streams[second]?.ended()
    const stream = this.streams[this.#isText ? first - 48 : first]
    await stream?.data(this.#isText ? Buffer.from(String(bytes.subarray(1)), 'base64') : bytes.subarray(1))
  }
}
