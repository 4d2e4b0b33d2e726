/** One connection through a konnectivity server (konnectivity-client/pkg/client/conn.go), with back pressure in both directions. */
import type { ClientHttp2Stream } from 'node:http2'
import { CallError } from '../../../core/ports.ts'
import { messageOf } from '../../../core/schema/message-of.ts'
import { framed, Messages } from '../../wire/client/messages.ts'
import { SocketLike } from '../network/socket-like.ts'
import { decodePacket, encodePacket, type Packet } from './packets.ts'

/** Maximum bytes of a packet: the default of gRPC's libraries. */
const maxPacket = 4 * 1024 * 1024
/** Bytes of data in a packet that is sent. */
const maxData = 64 * 1024
/** Milliseconds until a closed tunnel ends without the server's answer, and until a half-closed connection is closed. */
const closeTimeout = 10_000

type Callback = (error?: Error | null) => void

/** `code` as of a connection that broke: one that was idle is opened again. */
const lost = (message: string) => Object.assign(new Error(message), { code: 'ECONNRESET' })

/**
 * A connection, as a stream of bytes. The protocol has no half-close: when the writable side ends, the connection is closed after some time.
 */
export class Tunnel extends SocketLike {
  readonly #stream: ClientHttp2Stream
  readonly #messages = new Messages(maxPacket)
  readonly #random = BigInt.asUintN(63, crypto.getRandomValues(new BigUint64Array(1))[0] ?? 1n)
  /** Ends the dial. */
  #dialed: ((error?: Error) => void) | undefined
  /** The server's id of the connection; 0: not connected yet. */
  #id = 0n
  /** The server has closed the connection. */
  #isClosed = false
  #halfClosed: NodeJS.Timeout | undefined

  constructor(stream: ClientHttp2Stream) {
    super({ highWaterMark: maxData })
    this.#stream = stream
    stream.on('data', (bytes: Buffer) => this.#take(bytes))
    stream.on('error', (error) => this.#broken(messageOf(error)))
    for (const event of ['end', 'close']) stream.on(event, () => this.#broken('tunnel closed'))
  }

  /** Connects to `HOST:PORT`. Rejects with the server's reason, or after `limit` milliseconds; then the tunnel is closed. */
  dial(address: string, limit: number): Promise<this> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#dialed?.(new Error('dial timeout, backstop')), limit)
      this.#dialed = (error) => {
        this.#dialed = undefined
        clearTimeout(timer)
        if (error === undefined) return resolve(this)
        this.destroy()
        reject(error)
      }
      this.#send({ type: 'dialRequest', protocol: 'tcp', address, random: this.#random })
    })
  }

  override _read(): void {
    this.#stream.resume()
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, callback: Callback): void {
    const rest = chunk.subarray(maxData)
    const sent: Callback = (error) => (error || rest.length === 0 ? callback(error) : this._write(rest, encoding, callback))
    if (this.#isClosed) callback(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
    else this.#send({ type: 'data', connectId: this.#id, data: chunk.subarray(0, maxData) }, sent)
  }

  override _final(callback: Callback): void {
    this.#halfClosed = setTimeout(() => this.destroy(), closeTimeout).unref()
    callback()
  }

  override _destroy(error: Error | null, callback: Callback): void {
    clearTimeout(this.#halfClosed)
    const stream = this.#stream
    if (!stream.closed && !stream.destroyed) {
      const end: Packet | undefined = this.#isClosed
        ? undefined
        : this.#id === 0n
          ? { type: 'closeDial', random: this.#random }
          : { type: 'closeRequest', connectId: this.#id }
      if (end) stream.end(framed(encodePacket(end)))
      else stream.end()
      // What still comes has no reader; a server that does not end its side in time is left.
      stream.resume()
      const timer = setTimeout(() => stream.destroy(), closeTimeout).unref()
      stream.once('close', () => clearTimeout(timer))
    }
    callback(error)
  }

  #send(packet: Packet, sent: Callback = () => undefined): void {
    this.#stream.write(framed(encodePacket(packet)), sent)
  }

  #take(bytes: Buffer): void {
    if (this.destroyed) return
    try {
      const found = this.#messages.take(bytes)
      if (found instanceof CallError) throw found
      for (const message of found) this.#packet(decodePacket(message))
    } catch (error) {
      this.#stream.destroy()
      this.#broken(messageOf(error))
    }
  }

  #packet(packet: Packet | undefined): void {
    const type = packet?.type
    if (type === 'dialResponse' && packet?.random === this.#random && this.#dialed) {
      const { error = '', connectId = 0n } = packet
      if (error === '' && connectId !== 0n) this.#id = connectId
      this.#dialed(error === '' ? undefined : new Error(error))
    } else if (type === 'closeDial') this.#dialed?.(new Error('dial closed'))
    else if (this.#id === 0n || packet?.connectId !== this.#id || this.#isClosed) return
    else if (type === 'data') {
      if (packet.data && packet.data.length > 0 && !this.push(packet.data)) this.#stream.pause()
    } else if (type === 'closeResponse') {
      this.#isClosed = true
      this.once('end', () => this.destroy())
      this.push(null)
      this.#stream.end()
    }
  }

  /** The stream to the server broke, or it ended without a word. */
  #broken(message: string): void {
    if (this.#dialed) this.#dialed(lost(message))
    else if (!this.#isClosed) this.destroy(lost(message))
  }
}
