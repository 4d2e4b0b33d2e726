import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Connection } from '../../../core/ports.ts'
import { LightRequest } from '../../../core/request/light-request.ts'
import type { Holder, Holdings } from '../../wire/holdings.ts'
import type { OutputScheduler } from '../../wire/output-scheduler.ts'
import { Pace } from '../../wire/pace.ts'
import type { ConnectionIntake, Intake, RequestIntake } from '../../wire/server/intake.ts'
import { limits } from '../../wire/server/limits.ts'
import { readOn } from '../network/read-turns.ts'
import type { RequestBody } from './request-body.ts'

/** Maximum bytes of an unread request body to discard so that the client can read the response; then the socket is closed. */
const discardLimit = 16 * 1024 * 1024
const discardMilliseconds = 5_000

/** Dependencies of a peer. */
export interface Http1PeerOptions {
  readonly connection: Connection
  readonly holdings: Holdings
  readonly intake: Intake
  readonly turns: OutputScheduler
  /** Monotonic time in milliseconds; may be coarse. */
  now(): number
  /** The first request of a known user. */
  known?(): void
  /** Closes the socket: a request is not completed in time, or (`silent`) none has begun. `answering`: a response is being sent. */
  late(answering: boolean, silent: boolean): void
}

interface RequestParts {
  readonly body: RequestBody | null
  readonly outgoing: ServerResponse
  readonly intake: RequestIntake
}

interface InFlight extends RequestParts {
  /** Runs the handler: it waits until the requests before are answered. */
  start: (() => void) | undefined
}

/** True while the server waits for the client to send more of the body. */
const isAwaited = ({ body, start }: InFlight) => body !== null && !body.ended && start === undefined && (body.reading || !body.used)

/** Limits of one HTTP/1.1 connection: bytes held and time taken. `node:http` reads and writes the socket. */
export class Http1Peer implements Holder {
  readonly #socket: Socket
  readonly #options: Http1PeerOptions
  readonly #inFlight = new Map<LightRequest, InFlight>()
  readonly #writing = new Pace(limits.download)
  readonly #reading = new Pace(limits.upload)
  /** Byte offset of the next request, and the time from which its timeout counts. */
  #mark = 0
  #since: number
  #served = 0
  #isLast = false
  #isDropped = false
  held = 0
  moved: number
  #written = 0
  /** Bytes of request bodies received. */
  received = 0
  readonly intake: ConnectionIntake
  /** Bytes of a header list that is not complete, about: of the chunks since the one with the last head. */
  #unfinished = 0
  #hasBegun = false
  #isPaused = false

  constructor(socket: Socket, options: Http1PeerOptions) {
    this.#socket = socket
    this.#options = options
    this.#since = options.now()
    this.moved = this.#since
    this.intake = options.intake.open(
      () => socket.destroy(),
      () => options.known?.(),
    )
  }

  get connection(): Connection {
    return this.#options.connection
  }

  get idle(): boolean {
    return this.#inFlight.size === 0
  }

  /** A response is being sent. */
  get answering(): boolean {
    return [...this.#inFlight.values()].some(({ outgoing }) => outgoing.headersSent)
  }

  /** Malformed input has arrived: `refuse` is called now if it belongs to a request, otherwise when the requests before it are answered. */
  malformed(refuse: (answering: boolean) => void): void {
    if (this.#isLast) return
    const before = [...this.#inFlight.values()]
    const last = before.at(-1)
    if (last === undefined || before.some(({ outgoing }) => !outgoing.req.complete)) refuse(this.answering)
    else {
      this.#isLast = true
      last.outgoing.once('close', () => refuse(false))
    }
  }

  /** Calls back when all requests are answered, unless the connection ends then. */
  whenAnswered(next: () => void): void {
    const last = [...this.#inFlight.values()].at(-1)
    if (last === undefined) next()
    last?.outgoing.once('close', () => {
      if (!this.#socket.destroyed && !this.#socket.writableEnded) next()
    })
  }

  /** The connection ends after this answer, whatever follows: the end of the request is not known. */
  endsWithAnswer(): void {
    this.#isLast = true
  }

  begin(request: LightRequest, parts: RequestParts): void {
    this.#served++
    this.#hasBegun = true
    this.#inFlight.set(request, { ...parts, start: undefined })
  }

  /** Runs the handler of a request when those before it are answered, as in net/http: a client can't make many run by pipelining. */
  inTurn(request: LightRequest, start: () => void): void {
    const [[first] = []] = this.#inFlight
    const parts = this.#inFlight.get(request)
    if (first === request) start()
    else if (parts !== undefined) parts.start = start
  }

  /** A chunk has been parsed. */
  arrived(bytes: number): void {
    const last = [...this.#inFlight.values()].at(-1)
    const isHead = !this.#hasBegun && (last === undefined || last.outgoing.req.complete)
    const unfinished = isHead ? this.#unfinished + bytes : 0
    this.#hasBegun = false
    this.intake.hold(unfinished - this.#unfinished)
    this.#unfinished = unfinished
    this.intake.unread(this.#socket.writableLength)
    // A microtask, as `node:http` resumes the socket in the ticks after what has been read.
    if (this.#inFlight.size > limits.pipelined) queueMicrotask(() => this.#pause())
  }

  #pause(): void {
    this.#isPaused = this.#inFlight.size > limits.pipelined
    if (this.#isPaused) this.#socket.pause()
  }

  /** The response is complete on this side. */
  end(request: LightRequest | undefined): void {
    if (request !== undefined) {
      const ended = this.#inFlight.get(request)
      ended?.intake.end()
      this.#inFlight.delete(request)
      // When the socket has taken the response, as in net/http: a client that does not read gets no more handled.
      if (this.#inFlight.size > 0 && ended !== undefined) this.#whenClosed(ended.outgoing, () => this.#startNext())
      if (this.#isPaused && this.#inFlight.size <= limits.pipelined) this.#resume()
    }
    this.#mark = this.#socket.bytesRead
    this.#since = this.#options.now()
  }

  #whenClosed(outgoing: ServerResponse, next: () => void): void {
    // Not in this call: the next one may be answered at once, and so on.
    if (outgoing.destroyed) queueMicrotask(next)
    else outgoing.once('close', next)
  }

  #startNext(): void {
    const [next] = this.#inFlight.values()
    const start = next?.start
    if (next === undefined || start === undefined) return
    next.start = undefined
    start()
  }

  #resume(): void {
    this.#isPaused = false
    readOn(this.#socket)
  }

  /** Closes when nothing is in flight; responses in flight get `Connection: close`. */
  leave(): void {
    if (this.idle) this.#socket.end()
  }

  /** The socket is closed: aborts requests in flight. */
  disconnected(): void {
    this.intake.close()
    const reason = new Error('the client closed the connection')
    for (const [request, { body }] of this.#inFlight) {
      body?.fail(reason)
      LightRequest.abort(request, reason)
    }
    this.#inFlight.clear()
  }

  /** Discards the unread rest of a body, up to a limit; beyond that, or on timeout, the socket is closed. */
  discard(incoming: IncomingMessage, body: RequestBody): void {
    const before = this.received
    const cut = () => this.#socket.destroy()
    const timer = setTimeout(cut, discardMilliseconds).unref()
    incoming.on('data', () => {
      if (this.received - before > discardLimit) cut()
    })
    incoming.once('close', () => clearTimeout(timer))
    body.discard()
    incoming.resume()
  }

  /** Calls back when it is this socket's turn to write stream data. */
  later(write: () => void): void {
    this.#options.turns.later({ write })
  }

  hold(bytes: number): void {
    if (this.#isDropped) return
    this.held += bytes
    this.#options.holdings.add(this, bytes)
  }

  release(bytes: number): void {
    if (this.#isDropped) return
    this.held -= bytes
    this.#options.holdings.remove(this, bytes)
  }

  drop(): boolean {
    if (this.held === 0) return false
    this.#socket.destroy()
    // Now, not when the socket is closed: until then the same peer would be dropped again and again.
    this.release(this.held)
    this.#isDropped = true
    return true
  }

  /** Checks timeouts; call about once per second. */
  sweep(): void {
    const now = this.#options.now()
    const { bytesRead, bytesWritten, writableLength } = this.#socket
    if (bytesWritten - writableLength !== this.#written) this.moved = now
    this.#written = bytesWritten - writableLength
    this.intake.unread(writableLength)
    if (writableLength === 0) this.#writing.rest()
    else if (this.#writing.tooSlow(now, this.#written)) this.#socket.destroy()
    if (this.#isPaused || ![...this.#inFlight.values()].some(isAwaited)) this.#reading.rest()
    else if (this.#reading.tooSlow(now, this.received)) this.#options.late(this.answering, false)
    if (!this.idle) return
    // As in net/http: the header timeout applies before the first request, the longer idle timeout after it.
    const begun = bytesRead !== this.#mark
    const limit = this.#served === 0 || begun ? limits.headers : limits.idle
    if (now - this.#since >= limit) this.#options.late(false, !begun)
  }
}
