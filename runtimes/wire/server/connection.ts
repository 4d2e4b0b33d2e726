/** One HTTP/2 connection (RFC 9113) of a server: life cycle, streams and output. `incoming.ts` reads the input. */
import type { Socket } from 'node:net'
import type { Buffers } from '../buffers.ts'
import { ConnectionError, calmError, errorCodes, StreamError } from '../errors.ts'
import { frameTypes, largest31, numbersFrame, settingsFrame } from '../frames.ts'
import type { Holder, Holdings } from '../holdings.ts'
import type { FieldList } from '../hpack/decoder.ts'
import { Outbox } from '../outbox.ts'
import type { OutputScheduler } from '../output-scheduler.ts'
import { settingIds } from '../settings.ts'
import { Answers } from './answers.ts'
import { type RequestHead, RequestHeads } from './head.ts'
import { Incoming, type IncomingOwner } from './incoming.ts'
import type { ConnectionIntake, Intake } from './intake.ts'
import { limits } from './limits.ts'
import { Overseer } from './overseer.ts'
import { ServerStream, type StreamOwner } from './stream.ts'
import { Streams } from './streams.ts'
import { Uploads } from './uploads.ts'

export interface ServerOptions {
  /** Maximum concurrent streams. */
  readonly maxConcurrentStreams: number
  /** Shared by the connections of a listener. */
  readonly holdings: Holdings
  readonly intake: Intake
  readonly buffers: Buffers
  readonly turns: OutputScheduler
  /** Starts a request: sets `stream.user`; the response follows asynchronously. */
  request(stream: ServerStream, head: RequestHead): void
  /** Responds to a request with too many header fields. */
  tooLarge(stream: ServerStream): void
  /** The first request of a known user. */
  known?(): void
  /** The connection failed. */
  failed(error: Error): void
  /** Monotonic time in milliseconds; may be coarse. */
  now(): number
}

const requestTimeout = [':status', '408', 'content-length', '0']
/** Payload of the ping between both GOAWAYs: once acknowledged, everything that the client sent before the first one has arrived. */
const drainPing = Buffer.from('draining')

export class ServerConnection implements StreamOwner, IncomingOwner, Holder {
  readonly #socket: Socket
  readonly #options: ServerOptions
  readonly #outbox: Outbox
  readonly #answers: Answers
  readonly #overseer: Overseer
  readonly #heads = new RequestHeads()
  readonly intake: ConnectionIntake
  readonly #streams = new Streams()
  readonly #uploads: Uploads
  readonly #incoming: Incoming
  /** Running handlers, including those of cancelled requests. */
  #handling = 0
  #state: 'open' | 'draining' | 'left' | 'ended' = 'open'

  constructor(socket: Socket, options: ServerOptions) {
    this.#socket = socket
    this.#options = options
    this.#outbox = new Outbox(socket, { buffers: options.buffers, turns: options.turns, drained: () => this.#drained() })
    this.#answers = new Answers(this.#outbox, options.holdings, this)
    this.#uploads = new Uploads(this.#outbox, options.maxConcurrentStreams)
    this.intake = options.intake.open(
      () => this.#fail(calmError('requests are not sent or take too long, and take too much memory')),
      () => options.known?.(),
    )
    const parts = { streams: this.#streams, answers: this.#answers, uploads: this.#uploads, outbox: this.#outbox, intake: this.intake }
    this.#incoming = new Incoming(parts, this)
    this.#overseer = new Overseer(options.now(), this.#outbox, this.#streams, this.#answers, {
      greeted: () => this.#incoming.greeted,
      unfinished: () => this.#incoming.unfinished,
      leave: () => this.drain(),
      cut: (why) => this.destroy(new Error(why)),
      unread: (stream) => this.reset(stream, errorCodes.cancel, new Error('the client does not read the response')),
      unsent: (stream) => this.#unsent(stream),
    })
    this.#outbox.push(
      settingsFrame([
        [settingIds.maxConcurrentStreams, options.maxConcurrentStreams],
        [settingIds.initialWindowSize, limits.uploadWindow],
        [settingIds.maxHeaderListSize, limits.headerBytes],
        [settingIds.enableConnectProtocol, 1],
      ]),
    )
    this.#uploads.greet()
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

  /** Checks timeouts; call about once per second. */
  sweep(): void {
    const passed = this.#overseer.sweep(this.#options.now())
    this.#incoming.refill(passed)
    this.intake.unread(this.#outbox.held)
  }

  /**
   * Graceful shutdown (RFC 9113, section 6.8): sends GOAWAY and a ping. Requests that the client sends before it acknowledges the ping are
   * still accepted; then a second GOAWAY names the last stream. The connection ends when all accepted requests are answered.
   */
  drain(): void {
    if (this.#state !== 'open') return
    this.#state = 'draining'
    this.#outbox.push(numbersFrame(frameTypes.goAway, 0, largest31, errorCodes.noError))
    this.#outbox.frame(frameTypes.ping, 0, 0, drainPing)
    this.#overseer.draining()
  }

  /** Closes the connection immediately. */
  destroy(error: Error): void {
    this.#end(error)
    this.#socket.destroy()
  }

  /** Aborts the response that has been unread for the longest time. */
  drop(): boolean {
    for (const stream of this.#streams.open.values())
      if (stream.held > 0) {
        this.reset(stream, errorCodes.enhanceYourCalm, new Error('the client does not read its responses'))
        return true
      }
    return false
  }

  /** A request body is not sent in time. */
  #unsent(stream: ServerStream): void {
    const error = new Error('the client stopped sending the body')
    if (stream.answered) return void this.reset(stream, errorCodes.cancel, error)
    stream.answered = true
    this.#answers.headers(stream.id, requestTimeout, true)
    this.reset(stream, errorCodes.noError, error)
  }

  // ── Input ────────────────────────────────────────────────────────────────────────────────

  get over(): boolean {
    return this.#state === 'ended'
  }

  open(id: number, ends: boolean, { fields, tooLarge, bytes }: FieldList): void {
    // After the last GOAWAY: the client knows that this stream is not processed.
    if (this.#state === 'left') return
    const { maxConcurrentStreams } = this.#options
    if (this.#streams.open.size >= maxConcurrentStreams || this.#handling >= 2 * maxConcurrentStreams)
      throw new StreamError(errorCodes.refusedStream, 'too many streams are open')
    const head = tooLarge ? undefined : this.#heads.read(fields, bytes)
    if (ends && head?.contentLength) throw new StreamError(errorCodes.protocolError, 'the body is shorter than content-length')
    const stream = new ServerStream(this, id, {
      window: this.#answers.sender.peer.initialWindowSize,
      receiveWindow: limits.uploadWindow,
      head: bytes,
      ended: ends,
      expected: head?.contentLength,
    })
    this.#streams.open.set(id, stream)
    this.#incoming.earn(limits.calm.perRequest)
    this.#handling++
    if (head === undefined) this.#options.tooLarge(stream)
    else this.#options.request(stream, head)
  }

  close(stream: ServerStream, error?: Error): void {
    this.#close(stream, false, error)
  }

  answered(payload: Buffer): void {
    if (this.#state === 'draining' && payload.equals(drainPing)) this.#leave()
  }

  leave(): void {
    if (this.#state === 'open' || this.#state === 'draining') this.#leave()
  }

  #take(received: Buffer): void {
    if (this.#state === 'ended') return
    try {
      this.#incoming.take(received)
      // Stop reading requests of a client that does not read responses: headers and short responses are not subject to flow control, and would
      // accumulate here.
      if (this.#outbox.pending > limits.unread) this.#socket.pause()
      this.intake.unread(this.#outbox.held)
    } catch (error) {
      this.#fail(error)
    }
  }

  #drained(): void {
    this.#answers.sender.sendBlocked()
    if (this.#outbox.pending <= limits.unread) this.#socket.resume()
    this.intake.unread(this.#outbox.held)
  }

  // ── Output ─────────────────────────────────────────────────────────────────────────────────

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
    this.#incoming.earn(limits.calm.perData * (1 + (bytes.length >> 12)))
    this.#answers.body(stream, bytes, last)
    while (this.#answers.held > limits.held && this.#answers.holding > 1) this.drop()
  }

  end(stream: ServerStream, trailers: readonly string[]): void {
    stream.trailers = trailers
    if (stream.rest.length === 0) this.#sendTrailers(stream, trailers)
  }

  #sendTrailers(stream: ServerStream, trailers: readonly string[]): void {
    this.#answers.headers(stream.id, trailers, true)
    stream.sentEnd = true
    this.#sentEnd(stream)
  }

  later(write: () => void): void {
    this.#outbox.later(write)
  }

  /** Called by the sender through the stream when data is sent. */
  sent(stream: ServerStream): void {
    this.#answers.release(stream)
    if (stream.sentEnd) this.#sentEnd(stream)
    else if (stream.trailers !== undefined) this.#sendTrailers(stream, stream.trailers)
    else stream.user?.sent()
  }

  #sentEnd(stream: ServerStream): void {
    if (stream.ended) return void this.#close(stream, false)
    if (stream.tunnel) return
    // Tell a client that is still sending to stop (section 8.1).
    this.#outbox.push(numbersFrame(frameTypes.resetStream, stream.id, errorCodes.noError))
    this.#close(stream, true)
  }

  reset(stream: ServerStream, code: number, error = new Error('the response was aborted')): void {
    this.#outbox.push(numbersFrame(frameTypes.resetStream, stream.id, code))
    this.#close(stream, true, error)
  }

  consumed(stream: ServerStream, bytes: number): void {
    this.#uploads.consumed(stream, bytes)
  }

  handled(): void {
    this.#handling--
  }

  // ── Close ──────────────────────────────────────────────────────────────────────────────────────

  /** Closes a stream. `error`: why its response can't be completed. */
  #close(stream: ServerStream, reset: boolean, error?: Error): void {
    this.#streams.close(stream, reset)
    this.#answers.forget(stream)
    if (stream.unread > 0) this.#uploads.consumedByAll(stream.unread)
    stream.user?.closed(error)
    this.#endWhenIdle()
  }

  /** Ignores further input. */
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

  /** Flushes and half-closes, then waits for the client to read: closing a socket with unread input would reset it. */
  #finish(error = new Error('the connection has ended')): void {
    this.#end(error)
    this.#outbox.end()
    const timer = setTimeout(() => this.#socket.destroy(), limits.linger)
    this.#socket.once('close', () => clearTimeout(timer))
  }

  #end(error: Error): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    this.intake.close()
    this.#uploads.end()
    for (const stream of this.#streams.open.values()) {
      stream.closed = true
      this.#answers.forget(stream)
      stream.user?.closed(error)
    }
    this.#streams.open.clear()
  }
}
