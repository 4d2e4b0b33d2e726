/** The server's end of gRPC (PROTOCOL-HTTP2.md of grpc/grpc) on streams of HTTP/2. */
import { CallError } from '../../core/ports.ts'
import { Messages } from '../wire/client/messages.ts'
import type { RequestHead } from '../wire/server/head.ts'
import { RequestIntake } from '../wire/server/intake.ts'
import type { ServerStream, StreamUser } from '../wire/server/stream.ts'
import { type Call, type CallHandler, type Method, type Service, told, tooLarge, unknownMethod } from './calls.ts'
import { codes, Refusal } from './errors.ts'
import type { Message } from './message.ts'
import type { Share } from './request-budget.ts'

const messageType = ['content-type', 'application/grpc']
const opening = [':status', '200', ...messageType]
const success = ['grpc-status', '0', 'grpc-message', '']
/** Length of a message's prefix: compression flag and four bytes of length. */
const prefixLength = 5

/** Percent-encoding of everything but printable ASCII without `%`. */
const escaped = (text: string) =>
  text.replaceAll(/[^ -$&-~]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  )

class GrpcCall implements Call, StreamUser {
  readonly peer: string | undefined
  readonly #service: Service
  readonly #path: string
  readonly #stream: ServerStream
  readonly #intake: RequestIntake
  readonly #received: Messages
  /** Absent: the call is refused, or over. */
  #handler: CallHandler | undefined
  #isAnswered = false
  /** Messages that wait for flow control. */
  #waiting: Buffer[] = []
  #waitingBytes = 0
  /** What ends the call, when all messages are sent. */
  #trailers: readonly string[] | undefined
  #isHandled = false
  /** Ends the use of a buffer that is partly sent. */
  #giveBack: (() => void) | undefined
  /** Of a message that came in pieces. */
  #share: Share | undefined
  /** Received bytes whose window the client has not got back. */
  #unconsumed = 0
  #isStream = false

  constructor(service: Service, path: string, stream: ServerStream, peer: string | undefined) {
    this.peer = peer
    this.#service = service
    this.#path = path
    this.#stream = stream
    this.#received = new Messages(service.maxMessageBytes)
    // Whoever has a connection may use it: certificates are verified when it is opened.
    this.#intake = new RequestIntake(stream.intake, stream.head)
    this.#intake.identified()
  }

  start(method: Method): void {
    this.#isStream = method.isStream
    this.#attempt(() => {
      this.#handler = method.open(this)
    })
  }

  /** A client that takes its time with a message has it only while no other one waits. */
  get reading(): boolean {
    return this.#share?.isGranted === true && this.#received.cut && this.#service.budget.isContended
  }

  get pending(): number {
    return this.#waitingBytes + this.#stream.rest.length
  }

  send<V>(type: Message<unknown, V>, value: V, size?: number): void {
    const bytes = this.#service.writer.message(type, value, size)
    if (this.#stream.rest.length > 0 || this.#waiting.length > 0) {
      this.#waiting.push(Buffer.from(bytes))
      this.#waitingBytes += bytes.length
      return
    }
    this.#write(bytes)
    // Flow control holds a part of it back.
    if (this.#stream.rest.length > 0) this.#giveBack = this.#service.writer.lend()
  }

  finish(): void {
    this.#end(codes.ok, success)
  }

  refuse(error: unknown): void {
    const { code, message } = told(this.#service, this.#path, error)
    this.#end(code, ['grpc-status', String(code), 'grpc-message', escaped(message)])
  }

  #write(bytes: Uint8Array): void {
    if (this.#isAnswered) this.#stream.write(bytes, false)
    else {
      this.#isAnswered = true
      this.#stream.respond(opening, bytes, false)
    }
  }

  #end(code: number, trailers: readonly string[]): void {
    if (this.#trailers !== undefined) return
    this.#trailers = trailers
    this.#service.ended?.(this.#path, code)
    this.#over()
    if (this.#waiting.length === 0) this.#sendTrailers(trailers)
  }

  #sendTrailers(trailers: readonly string[]): void {
    if (this.#isAnswered) this.#stream.end(trailers)
    else this.#stream.respond([...opening, ...trailers], undefined, true)
  }

  /** The handler is done. */
  #over(): void {
    this.#intake.end()
    this.#share?.release()
    this.#share = undefined
    if (!this.#isHandled) {
      this.#isHandled = true
      this.#stream.handled()
    }
    const handler = this.#handler
    this.#handler = undefined
    handler?.closed?.()
  }

  #attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.refuse(error)
    }
  }

  // ── Events of the stream ────────────────────────────────────────────────────────────────────────

  data(bytes: Buffer): void {
    this.#unconsumed += bytes.length
    if (this.#handler === undefined) {
      this.#consume()
      return
    }
    // The usual case: one message that is not copied.
    if (!this.#received.cut && bytes.length >= prefixLength && bytes[0] === 0 && bytes.readUInt32BE(1) === bytes.length - prefixLength) {
      this.#consume()
      this.#take(bytes.subarray(prefixLength))
      return
    }
    const before = this.#received.held
    const found = this.#received.take(Buffer.from(bytes))
    this.#intake.changed(this.#received.held - before)
    if (found instanceof CallError) {
      const isTooLarge = found.code === codes.resourceExhausted
      this.refuse(isTooLarge ? tooLarge(this.#service) : new Refusal(codes.internal, 'grpc: compressed messages are not supported'))
      this.#consume()
      return
    }
    if (found.length > 0) this.#share?.arrived()
    for (const message of found) this.#take(message)
    this.#readOn()
  }

  /** Reads on when there is room for the rest of a message. */
  #readOn(): void {
    const { announced } = this.#received
    if (this.#isStream && !this.#received.cut) {
      this.#share?.release()
      this.#share = undefined
    }
    if (this.#handler !== undefined && announced !== undefined) this.#share ??= this.#service.budget.ask(announced, () => this.#consume())
    if (this.#share?.isGranted !== false) this.#consume()
  }

  #consume(): void {
    this.#stream.consumed(this.#unconsumed)
    this.#unconsumed = 0
  }

  #take(message: Uint8Array): void {
    if (message.length > this.#service.maxMessageBytes) this.refuse(tooLarge(this.#service))
    else this.#attempt(() => this.#handler?.message(message))
  }

  end(): void {
    this.#attempt(() => this.#handler?.end?.())
  }

  sent(): void {
    this.#release()
    const bytes = Buffer.concat(this.#waiting)
    if (bytes.length > 0) {
      this.#waiting = []
      this.#waitingBytes = 0
      this.#write(bytes)
    } else if (this.#trailers !== undefined) this.#sendTrailers(this.#trailers)
    else this.#handler?.drained?.()
  }

  #release(): void {
    this.#giveBack?.()
    this.#giveBack = undefined
  }

  closed(error?: Error): void {
    this.#release()
    this.#waiting = []
    if (this.#trailers === undefined) this.#service.ended?.(this.#path, error === undefined ? codes.ok : codes.cancelled)
    this.#trailers = success
    this.#over()
  }
}

/** Starts the call that a request makes. `peer`: see `Call`. */
export function serveCall(service: Service, stream: ServerStream, { path = '', fields }: RequestHead, peer: string | undefined): void {
  const call = new GrpcCall(service, path, stream, peer)
  stream.user = call
  const at = fields.indexOf('content-type')
  const method = service.methods.get(path)
  if (at === -1 || !fields[at + 1]?.startsWith('application/grpc'))
    call.refuse(new Refusal(codes.internal, 'a call has the content type application/grpc'))
  else if (method === undefined) call.refuse(unknownMethod(service, path))
  else call.start(method)
}
