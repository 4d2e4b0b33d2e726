/**
 * A small HTTP/2 client (RFC 9113) for thousands of open streams: a stream costs a map entry and its handler. It verifies no certificates, and
 * announces windows that hardly ever need an update.
 */
import { connect, type TLSSocket } from 'node:tls'
import {
  defaultMaxFrameSize,
  FrameReader,
  flags,
  frameHeader,
  frameTypes,
  numbersFrame,
  onlyNumber,
  preface,
  settingsFrame,
} from '../../../runtimes/wire/frames.ts'
import { Decoder } from '../../../runtimes/wire/hpack/decoder.ts'
import { defaultWindowSize, settingIds } from '../../../runtimes/wire/settings.ts'

/** The receiver of one response; `end` is the last call. */
export interface Receiver {
  head(status: number): void
  data(bytes: Buffer): void
  end(error?: Error): void
}

const bigWindow = 0x3fff_ffff
const greeting = Buffer.concat([
  preface,
  settingsFrame([
    [settingIds.headerTableSize, 0],
    [settingIds.enablePush, 0],
    [settingIds.initialWindowSize, bigWindow],
  ]),
  numbersFrame(frameTypes.windowUpdate, 0, bigWindow - defaultWindowSize),
])
/** Indexed fields of HPACK's static table (RFC 7541, appendix A). */
const indexedStatus: { readonly [byte: number]: number } = { 136: 200, 137: 204, 140: 400, 141: 404, 142: 500 }
const tableSizeUpdate = 0x20
/** The body of a request without one. */
export const noBody = Buffer.alloc(0)

/** HPACK string without Huffman coding (RFC 7541, section 5.2). */
function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1')
  const prefix = [Math.min(bytes.length, 127)]
  if (bytes.length >= 127) {
    let rest = bytes.length - 127
    for (; rest >= 128; rest >>>= 7) prefix.push((rest & 127) | 128)
    prefix.push(rest)
  }
  return Buffer.concat([Buffer.from(prefix), bytes])
}

/** Fields as literals without indexing (RFC 7541, section 6.2.2), which need no encoder state. */
export const literals = (fields: { readonly [name: string]: string }): Buffer =>
  Buffer.concat(Object.entries(fields).flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]))

interface Stream {
  readonly receiver: Receiver
  /** Bytes since its window was last renewed. */
  received: number
}

/** One connection. When it ends, its streams end with the error. */
export class Http2Connection {
  readonly #socket: TLSSocket
  readonly #streams = new Map<number, Stream>()
  readonly #decoder = new Decoder({ tableSize: 0 })
  readonly #reader = new FrameReader((type, flag, stream, payload) => this.#frame(type, flag, stream, payload))
  #output: Buffer[] = []
  /** Parts of bodies that wait for the connection's send window. Bodies are smaller than a stream's. */
  #bodies: { readonly stream: number; readonly part: Buffer; readonly isLast: boolean }[] = []
  #window = defaultWindowSize
  #received = 0
  #nextId = 1
  #ended: Error | undefined
  /** The server takes no more requests: those in flight still end. */
  #leaving = false
  /** Concurrent streams that the server allows. */
  limit = Number.POSITIVE_INFINITY
  /** Resolves with the server's first SETTINGS. */
  readonly ready: Promise<void>
  #isReady = () => {}

  constructor(origin: URL) {
    this.#socket = connect({
      host: origin.hostname,
      port: Number(origin.port),
      rejectUnauthorized: false,
      ALPNProtocols: ['h2'],
    })
    this.ready = new Promise((resolve, reject) => {
      this.#isReady = resolve
      this.#socket.once('close', () => reject(this.#ended))
    })
    this.ready.catch(() => {})
    this.#socket.setNoDelay(true)
    this.#write(greeting)
    this.#socket.on('data', (bytes) => this.#reader.take(bytes))
    this.#socket.once('error', (error) => this.#end(error))
    this.#socket.once('close', () => this.#end(new Error('the server closed the connection')))
  }

  /** Starts a request; `head` is a header block, `body` may be empty. Returns the stream's id. */
  request(head: Buffer, body: Buffer, receiver: Receiver): number {
    const stream = this.#nextId
    this.#nextId += 2
    if (this.#ended) {
      receiver.end(this.#ended)
      return stream
    }
    this.#streams.set(stream, { receiver, received: 0 })
    const flag = flags.endHeaders | (body.length === 0 ? flags.endStream : 0)
    this.#write(frameHeader(head.length, frameTypes.headers, flag, stream), head)
    if (body.length > 0) {
      for (let at = 0; at < body.length; at += defaultMaxFrameSize) {
        const end = at + defaultMaxFrameSize
        this.#bodies.push({ stream, part: body.subarray(at, end), isLast: end >= body.length })
      }
      this.#sendBodies()
    }
    return stream
  }

  /** Whether it takes no more requests: an idle connection ends after some time. */
  get isLeaving(): boolean {
    return this.#leaving || this.#ended !== undefined
  }

  /** Reads nothing from here on, though requests can still be sent. */
  stall(): void {
    this.#socket.pause()
  }

  close(): void {
    this.#socket.destroy()
  }

  #sendBodies(): void {
    let count = 0
    for (const { stream, part, isLast } of this.#bodies) {
      if (part.length > this.#window) break
      this.#window -= part.length
      this.#write(frameHeader(part.length, frameTypes.data, isLast ? flags.endStream : 0, stream), part)
      count++
    }
    this.#bodies.splice(0, count)
  }

  /** Joins the output of one turn of the event loop. */
  #write(...bytes: Buffer[]): void {
    if (this.#output.length === 0) setImmediate(() => this.#flush())
    this.#output.push(...bytes)
  }

  #flush(): void {
    const output = this.#output
    this.#output = []
    if (!this.#ended) this.#socket.write(output.length === 1 ? output[0]! : Buffer.concat(output))
  }

  readonly #handlers: { readonly [type: number]: (flag: number, stream: number, payload: Buffer) => void } = {
    [frameTypes.data]: (flag, stream, payload) => this.#data(flag, stream, payload),
    [frameTypes.headers]: (flag, stream, payload) => this.#headers(flag, stream, payload),
    [frameTypes.resetStream]: (_flag, stream, payload) =>
      this.#finish(stream, new Error(`the server reset the stream: ${onlyNumber(payload)}`)),
    [frameTypes.settings]: (flag, _stream, payload) => this.#settings(flag, payload),
    [frameTypes.ping]: (flag, _stream, payload) => {
      if ((flag & flags.ack) === 0) this.#write(frameHeader(payload.length, frameTypes.ping, flags.ack, 0), Buffer.from(payload))
    },
    [frameTypes.goAway]: (_flag, _stream, payload) => {
      this.#leaving = true
      const error = payload.readUInt32BE(4)
      if (error !== 0 || this.#streams.size === 0) this.#end(new Error(`GOAWAY: ${error} ${payload.toString('latin1', 8)}`))
    },
    [frameTypes.windowUpdate]: (_flag, stream, payload) => {
      if (stream !== 0) return
      this.#window += onlyNumber(payload)
      this.#sendBodies()
    },
  }

  #frame(type: number, flag: number, stream: number, payload: Buffer): void {
    this.#handlers[type]?.(flag, stream, payload)
  }

  #settings(flag: number, payload: Buffer): void {
    if (flag & flags.ack) return
    for (let at = 0; at < payload.length; at += 6)
      if (payload.readUInt16BE(at) === settingIds.maxConcurrentStreams) this.limit = payload.readUInt32BE(at + 2)
    this.#write(frameHeader(0, frameTypes.settings, flags.ack, 0))
    this.#isReady()
  }

  #data(flag: number, id: number, payload: Buffer): void {
    this.#received = this.#renewed(0, this.#received + payload.length)
    const stream = this.#streams.get(id)
    if (stream !== undefined && payload.length > 0) {
      stream.receiver.data(payload)
      stream.received = this.#renewed(id, stream.received + payload.length)
    }
    if (flag & flags.endStream) this.#finish(id)
  }

  /** Gives a window back once half of it has been received. Returns the bytes that are still to be given back. */
  #renewed(stream: number, received: number): number {
    if (received <= bigWindow / 2) return received
    this.#write(numbersFrame(frameTypes.windowUpdate, stream, received))
    return 0
  }

  #headers(flag: number, stream: number, payload: Buffer): void {
    const first = payload[0] === tableSizeUpdate ? payload[1] : payload[0]
    const status = indexedStatus[first ?? 0] ?? this.#statusOf(payload)
    this.#streams.get(stream)?.receiver.head(status)
    if (flag & flags.endStream) this.#finish(stream)
  }

  #statusOf(block: Buffer): number {
    const { fields } = this.#decoder.decode(block)
    return Number(fields[fields.indexOf(':status') + 1])
  }

  #finish(stream: number, error?: Error): void {
    const ended = this.#streams.get(stream)
    this.#streams.delete(stream)
    ended?.receiver.end(error)
  }

  #end(error: Error): void {
    if (this.#ended) return
    this.#ended = error
    this.#socket.destroy()
    const all = [...this.#streams.values()]
    this.#streams.clear()
    for (const { receiver } of all) receiver.end(error)
  }
}
