/**
 * One HTTP/2 connection (RFC 9113) of a server. It reads what anybody sends, before it is known who that is: whatever comes is checked
 * here against the state of the connection and of its streams, and against `limits.ts`.
 */
import type { Socket } from 'node:net'
import type { Buffers } from '../buffers.ts'
import { ConnectionError, calmError, errorCodes, frameSizeError, protocolError, StreamError } from '../errors.ts'
import {
  FrameReader,
  flags,
  frameTypes,
  largest31,
  numbersFrame,
  onlyNumber,
  pingLength,
  preface,
  priorityLength,
  settingsFrame,
  withoutPadding,
} from '../frames.ts'
import { HeaderBlocks } from '../header-blocks.ts'
import type { Holder, Holdings } from '../holdings.ts'
import { Decoder } from '../hpack/decoder.ts'
import { Outbox } from '../outbox.ts'
import { defaultWindowSize, settingIds } from '../settings.ts'
import { Answers } from './answers.ts'
import { checkTrailers, type RequestHead, requestHead } from './head.ts'
import { Budget, limits } from './limits.ts'
import { Overseer } from './overseer.ts'
import { ServerStream, type StreamOwner } from './stream.ts'
import { Streams } from './streams.ts'

export interface ServerOptions {
  /** Streams that a client may have open at once. */
  readonly maxConcurrentStreams: number
  /** Shared with the other connections of the server. */
  readonly holdings: Holdings
  readonly buffers: Buffers
  /** A request has begun: sets `stream.user`, and answers by and by. */
  request(stream: ServerStream, head: RequestHead): void
  /** Answers a request that has more header fields than allowed. */
  tooLarge(stream: ServerStream): void
  /** The connection failed. */
  failed(error: Error): void
  /** Milliseconds of a clock that may be coarse. */
  now(): number
}

const nothing = Buffer.alloc(0)
const requestTimeout = [':status', '408', 'content-length', '0']
/** The last GOAWAY waits for the answer to this: what the client sent before the first one has come by then. */
const drainPing = Buffer.from('draining')

export class ServerConnection implements StreamOwner, Holder {
  readonly #socket: Socket
  readonly #options: ServerOptions
  readonly #outbox: Outbox
  readonly #answers: Answers
  readonly #overseer: Overseer
  readonly #streams = new Streams()
  readonly #reader = new FrameReader((type, frameFlags, id, payload) => this.#frame(type, frameFlags, id, payload))
  readonly #headerBlocks = new HeaderBlocks(limits.headerBlock, (id, ends, block) => this.#headers(id, ends, block))
  readonly #decoder = new Decoder({ tableSize: limits.headerTable, fields: limits.headerFields, bytes: limits.headerBytes })
  readonly #calm = new Budget(limits.calm)
  readonly #resets = new Budget(limits.resets)
  /** Bytes that the client may send on all streams together, and those that were consumed since it was last told. */
  #room: number
  #owed = 0
  /** What has come of the preface. */
  #preface: Buffer | undefined = nothing
  #greeted = false
  /** Handlers under way, those of cancelled requests among them. */
  #handling = 0
  #state: 'open' | 'draining' | 'left' | 'ended' = 'open'

  constructor(socket: Socket, options: ServerOptions) {
    this.#socket = socket
    this.#options = options
    this.#room = Math.min(limits.uploadWindow * options.maxConcurrentStreams, largest31)
    this.#outbox = new Outbox(socket, { buffers: options.buffers, drained: () => this.#drained() })
    this.#answers = new Answers(this.#outbox, options.holdings, this)
    this.#overseer = new Overseer(options.now(), this.#outbox, this.#streams, this.#answers, {
      greeted: () => this.#greeted,
      unfinished: () => this.#unfinished(),
      leave: () => this.drain(),
      cut: (why) => this.destroy(new Error(why)),
      unread: (stream) => this.reset(stream, errorCodes.cancel, new Error('the client does not read the answer')),
      unsent: (stream) => this.#unsent(stream),
    })
    this.#outbox.push(
      settingsFrame([
        [settingIds.maxConcurrentStreams, options.maxConcurrentStreams],
        [settingIds.initialWindowSize, limits.uploadWindow],
        [settingIds.maxHeaderListSize, limits.headerBytes],
        [settingIds.enableConnectProtocol, 1],
      ]),
      numbersFrame(frameTypes.windowUpdate, 0, this.#room - defaultWindowSize),
    )
    socket.on('data', (bytes) => this.#take(bytes))
    socket.on('end', () => this.destroy(new Error('the client closed the connection')))
    socket.on('close', () => this.destroy(new Error('the client closed the connection')))
  }

  get idle(): boolean {
    return this.#streams.open.size === 0
  }

  get held(): number {
    return this.#answers.held
  }

  get moved(): number {
    return this.#overseer.moved
  }

  /** To be called about once a second: looks at what takes too long. */
  sweep(): void {
    const passed = this.#overseer.sweep(this.#options.now())
    this.#calm.refill(passed)
    this.#resets.refill(passed)
  }

  /**
   * Takes no more requests and ends when those that are open are answered. What the client sent before it heard of that is still taken:
   * the id of the last stream follows when it has answered a ping (RFC 9113, section 6.8).
   */
  drain(): void {
    if (this.#state !== 'open') return
    this.#state = 'draining'
    this.#outbox.push(numbersFrame(frameTypes.goAway, 0, largest31, errorCodes.noError))
    this.#outbox.frame(frameTypes.ping, 0, 0, drainPing)
    this.#overseer.draining()
  }

  /** Cuts the connection. */
  destroy(error: Error): void {
    this.#end(error)
    this.#socket.destroy()
  }

  /** Gives up the answer that has waited longest for the client to read it. */
  drop(): boolean {
    for (const stream of this.#streams.open.values())
      if (stream.held > 0) {
        this.reset(stream, errorCodes.enhanceYourCalm, new Error('the client does not read its answers'))
        return true
      }
    return false
  }

  /** Names the frame or header list that has begun and is not complete. */
  #unfinished(): string | undefined {
    if (this.#headerBlocks.incomplete) return `headers ${this.#headerBlocks.number}`
    return this.#reader.partial ? `frame ${this.#reader.count}` : undefined
  }

  /** A body does not come. */
  #unsent(stream: ServerStream): void {
    const error = new Error('the client does not send the body')
    if (stream.answered) return void this.reset(stream, errorCodes.cancel, error)
    stream.answered = true
    this.#answers.headers(stream.id, requestTimeout, true)
    this.reset(stream, errorCodes.noError, error)
  }

  // ── What comes ────────────────────────────────────────────────────────────────────────────────

  #take(received: Buffer): void {
    if (this.#state === 'ended') return
    try {
      const bytes = this.#preface === undefined ? received : this.#afterPreface(this.#preface, received)
      if (bytes.length > 0) this.#reader.take(bytes)
      // Who does not read answers is not heard: heads and short answers go out whatever the windows say, and would pile up here.
      if (this.#outbox.pending > limits.unread) this.#socket.pause()
    } catch (error) {
      this.#fail(error)
    }
  }

  #drained(): void {
    this.#answers.sender.sendBlocked()
    if (this.#outbox.pending <= limits.unread) this.#socket.resume()
  }

  #afterPreface(before: Buffer, received: Buffer): Buffer {
    const bytes = Buffer.concat([before, received])
    const compared = Math.min(bytes.length, preface.length)
    if (bytes.compare(preface, 0, compared, 0, compared) !== 0) throw protocolError('the connection does not begin with the preface')
    this.#preface = bytes.length < preface.length ? bytes : undefined
    return bytes.subarray(preface.length)
  }

  readonly #handlers: readonly ((frameFlags: number, id: number, payload: Buffer) => void)[] = [
    (frameFlags, id, payload) => this.#data(frameFlags, id, payload),
    (frameFlags, id, payload) => this.#headerBlocks.begin(frameFlags, id, payload),
    (_flags, id, payload) => this.#priority(id, payload),
    (_flags, id, payload) => this.#resetByClient(id, payload),
    (frameFlags, id, payload) => this.#settings(frameFlags, id, payload),
    () => {
      throw protocolError('a client pushes')
    },
    (frameFlags, id, payload) => this.#ping(frameFlags, id, payload),
    (_flags, id, payload) => this.#goAway(id, payload),
    (_flags, id, payload) => this.#windowUpdate(id, onlyNumber(payload) & largest31),
    (frameFlags, id, payload) => this.#headerBlocks.continue(frameFlags, id, payload),
  ]

  #frame(type: number, frameFlags: number, id: number, payload: Buffer): void {
    if (this.#state === 'ended') return
    if (!this.#greeted && (type !== frameTypes.settings || frameFlags & flags.ack))
      throw protocolError('the client does not begin with settings')
    if (this.#headerBlocks.incomplete && type !== frameTypes.continuation) throw protocolError('a header block is interrupted')
    const handler = this.#handlers[type]
    try {
      // Frames of unknown types are passed over (section 5.5), but not for ever.
      if (handler === undefined) this.#spend()
      else handler(frameFlags, id, payload)
    } catch (error) {
      if (!(error instanceof StreamError)) throw error
      this.#streamError(id, error)
    }
  }

  /** A frame that asks for nothing. */
  #spend(): void {
    if (!this.#calm.spend(1)) throw calmError('too many frames that ask for nothing')
  }

  #streamError(id: number, error: StreamError): void {
    this.#spendReset()
    const stream = this.#streams.open.get(id)
    if (stream !== undefined) return void this.reset(stream, error.code, error)
    this.#outbox.push(numbersFrame(frameTypes.resetStream, id, error.code))
    if (!this.#streams.isIdle(id)) this.#streams.remember(id, true)
  }

  #spendReset(): void {
    if (!this.#resets.spend(1)) throw calmError('too many streams are reset')
  }

  #data(frameFlags: number, id: number, payload: Buffer): void {
    if (this.#streams.isIdle(id)) throw protocolError(`stream ${id} was never opened`)
    this.#room -= payload.length
    if (this.#room < 0) throw new ConnectionError(errorCodes.flowControlError, 'more came than there was room for')
    const content = withoutPadding(frameFlags, payload)
    const stream = this.#streams.open.get(id)
    if (stream === undefined || stream.ended) {
      this.#spend()
      this.#consumedByAll(payload.length)
      if (stream === undefined && this.#streams.closedState(id) === 'reset') return
      throw new StreamError(errorCodes.streamClosed, 'data for a stream that has ended')
    }
    stream.room -= payload.length
    stream.unread += payload.length
    stream.received += content.length
    const ends = (frameFlags & flags.endStream) !== 0
    if (stream.room < 0) throw new StreamError(errorCodes.flowControlError, 'more came than there was room for')
    if (stream.expected !== undefined && (stream.received > stream.expected || (ends && stream.received < stream.expected)))
      throw new StreamError(errorCodes.protocolError, 'the body has another length than was said')
    if (content.length === 0 && !ends) this.#spend()
    if (content.length < payload.length) this.consumed(stream, payload.length - content.length)
    if (content.length > 0) stream.user?.data(content)
    if (ends) this.#endOf(stream)
  }

  /** The request is complete. */
  #endOf(stream: ServerStream): void {
    stream.ended = true
    stream.user?.end()
    if (stream.sentEnd) this.#close(stream, false)
  }

  #headers(id: number, ends: boolean, block: Buffer): void {
    if (id % 2 === 0) throw protocolError(`a client can't open stream ${id}`)
    const list = this.#decoder.decode(block)
    const stream = this.#streams.open.get(id)
    if (stream !== undefined) this.#trailers(stream, ends, list.fields)
    else if (!this.#streams.isIdle(id)) this.#headersOfClosed(id)
    else {
      this.#streams.lastId = id
      // After the last GOAWAY: the client knows that this was not looked at.
      if (this.#state === 'left') return
      if (this.#streams.open.size >= this.#options.maxConcurrentStreams || this.#handling >= 2 * this.#options.maxConcurrentStreams)
        throw new StreamError(errorCodes.refusedStream, 'too many streams are open')
      this.#open(id, ends, list)
    }
  }

  #headersOfClosed(id: number): void {
    const state = this.#streams.closedState(id)
    if (state === 'skipped') throw protocolError(`stream ${id} comes after a later one`)
    if (state === 'ended') throw new ConnectionError(errorCodes.streamClosed, `stream ${id} has ended`)
    this.#spend()
  }

  #trailers(stream: ServerStream, ends: boolean, fields: readonly string[]): void {
    if (stream.ended) throw new StreamError(errorCodes.streamClosed, 'headers for a stream that has ended')
    if (!ends) throw new StreamError(errorCodes.protocolError, 'trailers do not end their stream')
    checkTrailers(fields)
    if (stream.expected !== undefined && stream.received < stream.expected)
      throw new StreamError(errorCodes.protocolError, 'the body is shorter than was said')
    this.#endOf(stream)
  }

  #open(id: number, ends: boolean, { fields, tooLarge }: { readonly fields: readonly string[]; readonly tooLarge: boolean }): void {
    const head = tooLarge ? undefined : requestHead(fields)
    if (ends && head?.contentLength) throw new StreamError(errorCodes.protocolError, 'the body is shorter than was said')
    const { initialWindowSize } = this.#answers.sender.peer
    const stream = new ServerStream(this, id, initialWindowSize, limits.uploadWindow, ends, head?.contentLength)
    this.#streams.open.set(id, stream)
    this.#calm.earn(limits.calm.perRequest)
    this.#handling++
    if (head === undefined) this.#options.tooLarge(stream)
    else this.#options.request(stream, head)
  }

  #priority(id: number, payload: Buffer): void {
    if (id === 0) throw protocolError('a priority is for no stream')
    this.#spend()
    if (payload.length !== priorityLength) throw new StreamError(errorCodes.frameSizeError, 'a priority is cut')
    if ((payload.readUInt32BE(0) & largest31) === id) throw new StreamError(errorCodes.protocolError, 'a stream depends on itself')
  }

  #resetByClient(id: number, payload: Buffer): void {
    if (this.#streams.isIdle(id)) throw protocolError(`stream ${id} was never opened`)
    onlyNumber(payload)
    const stream = this.#streams.open.get(id)
    if (stream === undefined) return void this.#spend()
    if (!stream.sentEnd) this.#spendReset()
    this.#close(stream, false, new Error('the client cancelled the request'))
  }

  #settings(frameFlags: number, id: number, payload: Buffer): void {
    if (id !== 0) throw protocolError('settings are for a stream')
    this.#spend()
    if (frameFlags & flags.ack) {
      if (payload.length > 0) throw frameSizeError('an acknowledgement has content')
      return
    }
    this.#greeted = true
    this.#answers.settings(payload, this.#streams.open.values())
    this.#outbox.reply(frameTypes.settings, flags.ack, 0, nothing)
  }

  #ping(frameFlags: number, id: number, payload: Buffer): void {
    if (id !== 0) throw protocolError('a ping is for a stream')
    if (payload.length !== pingLength) throw frameSizeError('a ping is cut')
    this.#spend()
    if ((frameFlags & flags.ack) === 0) this.#outbox.reply(frameTypes.ping, flags.ack, 0, payload)
    else if (this.#state === 'draining' && payload.equals(drainPing)) this.#leave()
  }

  #goAway(id: number, payload: Buffer): void {
    if (id !== 0) throw protocolError('the end of the connection is for a stream')
    if (payload.length < 8) throw frameSizeError('the end of the connection is cut')
    this.#spend()
    if (this.#state === 'open' || this.#state === 'draining') this.#leave()
  }

  #windowUpdate(id: number, increment: number): void {
    this.#spend()
    if (id === 0) return void this.#answers.sender.grow(increment)
    if (this.#streams.isIdle(id)) throw protocolError(`stream ${id} was never opened`)
    const stream = this.#streams.open.get(id)
    if (stream !== undefined) this.#answers.sender.growStream(stream, increment)
  }

  // ── What goes ─────────────────────────────────────────────────────────────────────────────────

  respond(stream: ServerStream, fields: readonly string[], body: Uint8Array | undefined, last: boolean): void {
    const ends = last && (body === undefined || body.length === 0)
    stream.answered = true
    this.#answers.headers(stream.id, fields, ends)
    if (ends) {
      stream.sentEnd = true
      this.#sentEnd(stream)
    } else if (body !== undefined && body.length > 0) this.write(stream, body, last)
  }

  inform(stream: ServerStream, status: string): void {
    this.#answers.headers(stream.id, [':status', status], false)
  }

  write(stream: ServerStream, bytes: Uint8Array, last: boolean): void {
    this.#calm.earn(limits.calm.perData * (1 + (bytes.length >> 12)))
    this.#answers.body(stream, bytes, last)
    while (this.#answers.held > limits.held && this.#answers.holding > 1) this.drop()
  }

  /** Called by the sender through the stream: what was written is sent. */
  sent(stream: ServerStream): void {
    this.#answers.release(stream)
    if (stream.sentEnd) this.#sentEnd(stream)
    else stream.user?.sent()
  }

  #sentEnd(stream: ServerStream): void {
    if (stream.ended) return void this.#close(stream, false)
    // A client that still sends is told to stop (section 8.1).
    this.#outbox.push(numbersFrame(frameTypes.resetStream, stream.id, errorCodes.noError))
    this.#close(stream, true)
  }

  reset(stream: ServerStream, code: number, error = new Error('the answer broke off')): void {
    this.#outbox.push(numbersFrame(frameTypes.resetStream, stream.id, code))
    this.#close(stream, true, error)
  }

  consumed(stream: ServerStream, bytes: number): void {
    if (stream.closed) return
    stream.unread -= bytes
    stream.owed += bytes
    this.#consumedByAll(bytes)
    if (stream.ended || stream.owed < limits.uploadWindow / 2) return
    this.#outbox.push(numbersFrame(frameTypes.windowUpdate, stream.id, stream.owed))
    stream.room += stream.owed
    stream.owed = 0
  }

  #consumedByAll(bytes: number): void {
    this.#owed += bytes
    if (this.#owed < limits.uploadWindow / 2 || this.#state === 'ended') return
    this.#outbox.push(numbersFrame(frameTypes.windowUpdate, 0, this.#owed))
    this.#room += this.#owed
    this.#owed = 0
  }

  handled(): void {
    this.#handling--
  }

  // ── Ends ──────────────────────────────────────────────────────────────────────────────────────

  /** `error`: why the answer, or the rest of it, can't be sent. */
  #close(stream: ServerStream, reset: boolean, error?: Error): void {
    this.#streams.close(stream, reset)
    this.#answers.forget(stream)
    if (stream.unread > 0) this.#consumedByAll(stream.unread)
    stream.user?.closed(error)
    this.#endWhenIdle()
  }

  /** Nothing that comes from now on is looked at. */
  #leave(): void {
    this.#state = 'left'
    this.#outbox.push(numbersFrame(frameTypes.goAway, 0, this.#streams.lastId, errorCodes.noError))
    this.#endWhenIdle()
  }

  #endWhenIdle(): void {
    if (this.#state === 'left' && this.idle) this.#finish()
  }

  #fail(error: unknown): void {
    const failure = error instanceof Error ? error : new Error(String(error))
    const code = error instanceof ConnectionError ? error.code : errorCodes.internalError
    this.#options.failed(failure)
    this.#outbox.push(numbersFrame(frameTypes.goAway, 0, this.#streams.lastId, code))
    this.#finish(failure)
  }

  /** Ends with what is there to be written, and gives the client a moment to read it: a socket that is closed while bytes come is reset. */
  #finish(error = new Error('the connection has ended')): void {
    this.#end(error)
    this.#outbox.end()
    const timer = setTimeout(() => this.#socket.destroy(), limits.linger)
    this.#socket.once('close', () => clearTimeout(timer))
  }

  #end(error: Error): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    for (const stream of this.#streams.open.values()) {
      stream.closed = true
      this.#answers.forget(stream)
      stream.user?.closed(error)
    }
    this.#streams.open.clear()
  }
}
