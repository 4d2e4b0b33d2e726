/**
 * One HTTP/2 connection (RFC 9113) of a client: only the part that gRPC needs. Every write of the server is a call to
 * etcd. A call takes about 40 µs of CPU time; over `node:http2`, which creates a Node stream per call, it takes about 120 µs.
 * Not implemented: a dynamic header table, priorities, push, and back pressure: receivers must accept all data immediately.
 */
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { CallError, Clock } from '../../../core/ports.ts'
import { addressOf } from '../attached/ticket.ts'
import { ConnectionError, errorCodes, nameOf, protocolError, StreamError } from '../errors.ts'
import {
  FrameReader,
  flags,
  frameTypes,
  largest31,
  numbersFrame,
  onlyNumber,
  pingLength,
  preface,
  settingsFrame,
  withoutPadding,
} from '../frames.ts'
import { HeaderBlocks } from '../header-blocks.ts'
import { Outbox } from '../outbox.ts'
import { Sender } from '../sender.ts'
import { defaultWindowSize, settingIds } from '../settings.ts'
import { failure } from './failure.ts'
import { KeepAlive } from './keepalive.ts'
import { KnownHeaders } from './known-headers.ts'
import { type Address, openSocket, type SocketOptions } from './socket.ts'
import { type Receiver, Stream } from './stream.ts'

/** Milliseconds until the connection must be established and the peer's SETTINGS received. */
const connectTimeout = 5_000
/** Receive window in bytes, of each stream and of the connection. */
const windowSize = 4 * 1024 * 1024
/** The connection preface of a client. */
const greeting = [
  preface,
  settingsFrame([
    [settingIds.headerTableSize, 0],
    [settingIds.enablePush, 0],
    [settingIds.initialWindowSize, windowSize],
  ]),
  numbersFrame(frameTypes.windowUpdate, 0, windowSize - defaultWindowSize),
]
const maxDebugDataBytes = 100
/** Maximum bytes of a header block, with its frame headers. */
const largestBlock = 64 * 1024
/** Batches the calls of concurrent requests into one socket write. */
const outboxOptions = { turnsToWait: 4, highWater: 24 * 1024 }
const nothing = Buffer.alloc(0)

export class Connection {
  readonly #socket: Duplex
  readonly #outbox: Outbox
  readonly #sender: Sender
  readonly #keepAlive: KeepAlive
  readonly #cancelTimeout: () => void
  readonly #reader = new FrameReader((type, frameFlags, id, payload) => this.#frame(type, frameFlags, id, payload))
  readonly #headerBlocks = new HeaderBlocks(largestBlock, (id, ends, block) => this.#headers(id, ends, block))
  readonly #headerDecoder = new KnownHeaders()
  /** Streams waiting for the peer's concurrency limit, in order. */
  readonly #waiting = new Set<Stream>()
  readonly #streams = new Map<number, Stream>()
  #nextId: number
  /** Bytes received since the last WINDOW_UPDATE. */
  #received = 0
  /** The peer's first SETTINGS have arrived. */
  #greeted = false
  /** Streams may be opened now. */
  #opens = false
  #ended = false
  #destroyed = false

  /** Ids of streams start at `firstId`, an odd number. */
  constructor(address: Address, tls: SocketOptions, clock: Clock, firstId = 1) {
    this.#nextId = firstId
    this.#socket = openSocket(address, tls, () => this.#outbox.push(...greeting))
    this.#outbox = new Outbox(this.#socket, outboxOptions)
    this.#sender = new Sender(this.#outbox)
    this.#keepAlive = new KeepAlive(clock, {
      busy: () => this.#streams.size > 0,
      ping: () => this.#outbox.frame(frameTypes.ping, 0, 0, Buffer.alloc(pingLength)),
      dead: () => this.#fail(new Error('the server does not acknowledge pings')),
    })
    this.#cancelTimeout = clock.after(connectTimeout, () => this.#fail(new Error(`not ready after ${connectTimeout / 1000} s`)))
    this.#socket.on('data', (bytes) => this.#take(bytes))
    this.#socket.on('error', (error) => this.#fail(error))
    for (const event of ['end', 'close']) this.#socket.on(event, () => this.#fail(new Error('the server closed the connection')))
  }

  /** Address of this end; undefined: it is not known. */
  get address(): string | undefined {
    const { localAddress, localPort } = this.#socket as Partial<Socket>
    return addressOf(localAddress, localPort)
  }

  /** True when no more streams are accepted. */
  get ended(): boolean {
    return this.#ended
  }

  /** Opens a stream. `head`: a header block of one frame; `body`: not empty; `last`: nothing follows it. */
  open(head: Buffer, body: Uint8Array, last: boolean, receiver: Receiver): Stream {
    const stream = new Stream(head, body, last, receiver)
    this.#waiting.add(stream)
    this.#openWaiting()
    return stream
  }

  cancel(stream: Stream): void {
    if (this.#streams.has(stream.id)) this.#outbox.push(numbersFrame(frameTypes.resetStream, stream.id, errorCodes.cancel))
    this.#remove(stream)
  }

  /** Writes now what waits for the calls of the next turns. */
  flush(): void {
    this.#outbox.flush()
  }

  /** Closes after the open streams have ended. */
  close(): void {
    this.#ended = true
    this.#destroyWhenIdle()
  }

  #openWaiting(): void {
    for (const stream of this.#waiting) {
      if (!this.#opens || this.#streams.size >= this.#sender.peer.maxConcurrentStreams) return
      this.#waiting.delete(stream)
      stream.id = this.#nextId
      stream.window = this.#sender.peer.initialWindowSize
      this.#streams.set(stream.id, stream)
      this.#outbox.frame(frameTypes.headers, flags.endHeaders, stream.id, stream.head)
      this.#sender.send(stream)
      this.#keepAlive.start()
      this.#nextId += 2
      if (this.#nextId > largest31) this.#leave('the connection is used up', largest31)
    }
  }

  // ── Input ────────────────────────────────────────────────────────────────────────────────

  #take(bytes: Buffer): void {
    try {
      this.#reader.take(bytes)
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error
      this.#fail(error)
    }
  }

  readonly #handlers: { readonly [type: number]: (frameFlags: number, id: number, payload: Buffer) => void } = {
    [frameTypes.data]: (frameFlags, id, payload) => this.#data(frameFlags, id, payload),
    [frameTypes.headers]: (frameFlags, id, payload) => this.#headerBlocks.begin(frameFlags, id, payload),
    [frameTypes.continuation]: (frameFlags, id, payload) => this.#headerBlocks.continue(frameFlags, id, payload),
    [frameTypes.resetStream]: (_flags, id, payload) => this.#resetByPeer(id, onlyNumber(payload)),
    [frameTypes.settings]: (frameFlags, id, payload) => this.#settings(frameFlags, id, payload),
    [frameTypes.ping]: (frameFlags, id, payload) => this.#ping(frameFlags, id, payload),
    [frameTypes.goAway]: (_flags, id, payload) => this.#goAway(id, payload),
    [frameTypes.windowUpdate]: (_flags, id, payload) => this.#windowUpdate(id, onlyNumber(payload) & largest31),
    [frameTypes.pushPromise]() {
      throw protocolError('PUSH_PROMISE from the server')
    },
  }

  #frame(type: number, frameFlags: number, id: number, payload: Buffer): void {
    if (this.#destroyed) return
    if (!this.#greeted && (type !== frameTypes.settings || frameFlags & flags.ack))
      throw protocolError('the first frame of the server is not SETTINGS')
    if (this.#headerBlocks.incomplete && type !== frameTypes.continuation) throw protocolError('a header block is interrupted')
    try {
      this.#handlers[type]?.(frameFlags, id, payload)
    } catch (error) {
      const stream = this.#streams.get(id)
      if (!(error instanceof StreamError) || stream === undefined) throw error
      this.#outbox.push(numbersFrame(frameTypes.resetStream, id, error.code))
      this.#end(stream, failure(error.message, true))
    }
  }

  /** An open stream by id. */
  #streamOf(id: number): Stream | undefined {
    if (id % 2 === 0 || id >= this.#nextId) throw protocolError(`stream ${id} was never opened`)
    return this.#streams.get(id)
  }

  #data(frameFlags: number, id: number, payload: Buffer): void {
    const stream = this.#streamOf(id)
    this.#received = this.#acknowledged(0, this.#received + payload.length)
    const content = withoutPadding(frameFlags, payload)
    if (stream === undefined) return
    if (!stream.headed) throw new StreamError(errorCodes.protocolError, 'DATA before response headers')
    if (content.length > 0) stream.receiver.data(content)
    if (frameFlags & flags.endStream) this.#finish(stream)
    else if (this.#streams.has(id)) stream.received = this.#acknowledged(id, stream.received + payload.length)
  }

  /** Sends WINDOW_UPDATE when half of the window is used; returns the bytes not yet returned. */
  #acknowledged(id: number, received: number): number {
    if (received < windowSize / 2) return received
    this.#outbox.push(numbersFrame(frameTypes.windowUpdate, id, received))
    return 0
  }

  /** Handles headers, informational headers or trailers. */
  #headers(id: number, ends: boolean, block: Buffer): void {
    const stream = this.#streamOf(id)
    if (stream === undefined) return
    const headers = this.#headerDecoder.decode(block)
    if (stream.headed ? !ends : !headers.has(':status')) throw new StreamError(errorCodes.protocolError, 'malformed response headers')
    if (!stream.headed && !ends && headers.get(':status')?.startsWith('1')) return
    stream.headed = true
    stream.receiver.headers(headers)
    if (ends) this.#finish(stream)
  }

  #resetByPeer(id: number, code: number): void {
    const stream = this.#streamOf(id)
    if (stream) this.#end(stream, failure(`the server reset the stream: ${nameOf(code)}`, code !== errorCodes.refusedStream))
  }

  #settings(frameFlags: number, id: number, payload: Buffer): void {
    if (id !== 0) throw protocolError('SETTINGS on a stream')
    if (frameFlags & flags.ack) return
    // Acknowledge first: the peer applies them only then.
    this.#outbox.reply(frameTypes.settings, flags.ack, 0, nothing)
    this.#sender.settings(payload, this.#streams.values(), 0)
    if (!this.#greeted) {
      this.#greeted = true
      this.#opens = true
      this.#cancelTimeout()
    }
    this.#openWaiting()
  }

  #ping(frameFlags: number, id: number, payload: Buffer): void {
    if (id !== 0 || payload.length !== pingLength) throw protocolError('malformed PING')
    if (frameFlags & flags.ack) this.#keepAlive.answered()
    else this.#outbox.reply(frameTypes.ping, flags.ack, 0, payload)
  }

  #goAway(id: number, payload: Buffer): void {
    if (id !== 0 || payload.length < 8) throw protocolError('malformed GOAWAY')
    const debugData = payload.toString('latin1', 8, 8 + maxDebugDataBytes).replace(/[^ -~]/g, '?')
    this.#leave(
      `the server ends the connection: ${nameOf(payload.readUInt32BE(4))} ${debugData}`.trim(),
      payload.readUInt32BE(0) & largest31,
    )
  }

  #windowUpdate(id: number, increment: number): void {
    if (id === 0) return void this.#sender.grow(increment)
    const stream = this.#streamOf(id)
    if (stream) this.#sender.growStream(stream, increment)
  }

  // ── Close ──────────────────────────────────────────────────────────────────────────────────────

  /** Handles END_STREAM. */
  #finish(stream: Stream): void {
    // Not when the receiver has cancelled it.
    if (!this.#streams.has(stream.id)) return
    if (!stream.sentEnd) this.#outbox.push(numbersFrame(frameTypes.resetStream, stream.id, errorCodes.cancel))
    this.#end(stream)
  }

  #end(stream: Stream, error?: CallError): void {
    this.#remove(stream)
    stream.receiver.end(error)
  }

  #remove(stream: Stream): void {
    this.#waiting.delete(stream)
    this.#streams.delete(stream.id)
    this.#sender.forget(stream)
    this.#openWaiting()
    this.#destroyWhenIdle()
  }

  /** Accepts no more streams, and ends those that the peer has not processed: waiting ones, and those after `lastId`. */
  #leave(why: string, lastId: number): void {
    this.#ended = true
    this.#opens = false
    const unseen = failure(why, false)
    for (const stream of this.#waiting) this.#end(stream, unseen)
    for (const stream of this.#streams.values()) if (stream.id > lastId) this.#end(stream, unseen)
    this.#destroyWhenIdle()
  }

  #destroyWhenIdle(): void {
    if (this.#ended && this.#streams.size === 0 && this.#waiting.size === 0) this.#destroy(errorCodes.noError)
  }

  #fail(error: Error): void {
    if (this.#destroyed) return
    this.#destroy(error instanceof ConnectionError ? error.code : errorCodes.noError)
    this.#leave(textOf(error), largest31)
    for (const stream of this.#streams.values()) this.#end(stream, failure(textOf(error), true))
  }

  #destroy(code: number): void {
    if (this.#destroyed) return
    this.#ended = true
    this.#opens = false
    this.#destroyed = true
    this.#keepAlive.stop()
    this.#cancelTimeout()
    this.#outbox.push(numbersFrame(frameTypes.goAway, 0, 0, code))
    this.#outbox.flush()
    this.#socket.destroy()
  }
}

/** Error text; for a name with several addresses, that of each. */
const textOf = (error: Error): string => (error instanceof AggregateError ? error.errors.map(String).join('; ') : error.message)
