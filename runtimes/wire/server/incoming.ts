/** Frames from clients (RFC 9113), not trusted: each is validated against the state of the connection and of its streams. */
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
  withoutPadding,
} from '../frames.ts'
import { HeaderBlocks } from '../header-blocks.ts'
import { Decoder, type FieldList } from '../hpack/decoder.ts'
import type { Outbox } from '../outbox.ts'
import type { Answers } from './answers.ts'
import { checkTrailers } from './head.ts'
import type { ConnectionIntake } from './intake.ts'
import { Budget, limits } from './limits.ts'
import type { ServerStream } from './stream.ts'
import type { Streams } from './streams.ts'
import type { Uploads } from './uploads.ts'

const nothing = Buffer.alloc(0)

/** Callbacks for validated input. */
export interface IncomingOwner {
  /** True when further input is ignored. */
  readonly over: boolean
  /** Opens a stream for a header list. Throws a StreamError when it can't. */
  open(id: number, ends: boolean, list: FieldList): void
  close(stream: ServerStream, error?: Error): void
  reset(stream: ServerStream, code: number, error: Error): void
  /** The client acknowledged a ping. */
  answered(payload: Buffer): void
  /** The client sent GOAWAY. */
  leave(): void
}

/** The parts of a connection that frames affect. */
export interface IncomingParts {
  readonly streams: Streams
  readonly answers: Answers
  readonly uploads: Uploads
  readonly outbox: Outbox
  readonly intake: ConnectionIntake
}

export class Incoming {
  readonly #owner: IncomingOwner
  readonly #streams: Streams
  readonly #answers: Answers
  readonly #uploads: Uploads
  readonly #outbox: Outbox
  readonly #reader = new FrameReader((type, frameFlags, id, payload) => this.#frame(type, frameFlags, id, payload))
  readonly #headerBlocks: HeaderBlocks
  readonly #decoder = new Decoder({ tableSize: limits.headerTable, fields: limits.headerFields, bytes: limits.headerBytes })
  readonly #calm = new Budget(limits.calm)
  readonly #resets = new Budget(limits.resets)
  /** Received part of the preface; undefined: complete. */
  #preface: Buffer | undefined = nothing
  #greeted = false

  constructor({ streams, answers, uploads, outbox, intake }: IncomingParts, owner: IncomingOwner) {
    this.#streams = streams
    this.#answers = answers
    this.#uploads = uploads
    this.#outbox = outbox
    this.#owner = owner
    this.#headerBlocks = new HeaderBlocks(limits.headerBlock, (id, ends, block) => this.#headers(id, ends, block), intake.hold)
  }

  /** The client's first SETTINGS have arrived. */
  get greeted(): boolean {
    return this.#greeted
  }

  /** Name of the incomplete frame or header list, if any. */
  get unfinished(): string | undefined {
    if (this.#headerBlocks.incomplete) return `headers ${this.#headerBlocks.number}`
    return this.#reader.partial ? `frame ${this.#reader.count}` : undefined
  }

  /** Refills budgets for the elapsed milliseconds. */
  refill(milliseconds: number): void {
    this.#calm.refill(milliseconds)
    this.#resets.refill(milliseconds)
  }

  /** Refills the budget of frames without work. */
  earn(frames: number): void {
    this.#calm.earn(frames)
  }

  /** Processes input. @throws ConnectionError for violations that end the connection. */
  take(received: Buffer): void {
    const bytes = this.#preface === undefined ? received : this.#afterPreface(this.#preface, received)
    if (bytes.length > 0) this.#reader.take(bytes)
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
      throw protocolError('PUSH_PROMISE from a client')
    },
    (frameFlags, id, payload) => this.#ping(frameFlags, id, payload),
    (_flags, id, payload) => this.#goAway(id, payload),
    (_flags, id, payload) => this.#windowUpdate(id, onlyNumber(payload) & largest31),
    (frameFlags, id, payload) => this.#headerBlocks.continue(frameFlags, id, payload),
  ]

  #frame(type: number, frameFlags: number, id: number, payload: Buffer): void {
    if (this.#owner.over) return
    if (!this.#greeted && (type !== frameTypes.settings || frameFlags & flags.ack))
      throw protocolError('the first frame of the client is not SETTINGS')
    if (this.#headerBlocks.incomplete && type !== frameTypes.continuation) throw protocolError('a header block is interrupted')
    const handler = this.#handlers[type]
    try {
      // Unknown frame types are ignored (section 5.5), within a budget.
      if (handler === undefined) this.#spend()
      else handler(frameFlags, id, payload)
    } catch (error) {
      if (!(error instanceof StreamError)) throw error
      this.#streamError(id, error)
    }
  }

  /** Counts a frame without work. */
  #spend(): void {
    if (!this.#calm.spend(1)) throw calmError('too many frames without effect')
  }

  #streamError(id: number, error: StreamError): void {
    this.#spendReset()
    const stream = this.#streams.open.get(id)
    if (stream !== undefined) return void this.#owner.reset(stream, error.code, error)
    this.#outbox.push(numbersFrame(frameTypes.resetStream, id, error.code))
    if (!this.#streams.isIdle(id)) this.#streams.remember(id, true)
  }

  #spendReset(): void {
    if (!this.#resets.spend(1)) throw calmError('too many stream resets')
  }

  #data(frameFlags: number, id: number, payload: Buffer): void {
    if (this.#streams.isIdle(id)) throw protocolError(`stream ${id} was never opened`)
    this.#uploads.received(payload.length)
    const content = withoutPadding(frameFlags, payload)
    const stream = this.#streams.open.get(id)
    if (stream === undefined || stream.ended) {
      this.#spend()
      this.#uploads.consumedByAll(payload.length)
      if (stream === undefined && this.#streams.closedState(id) === 'reset') return
      throw new StreamError(errorCodes.streamClosed, 'DATA on a closed stream')
    }
    stream.receiveWindow -= payload.length
    stream.unread += payload.length
    stream.received += content.length
    const ends = (frameFlags & flags.endStream) !== 0
    if (stream.receiveWindow < 0) throw new StreamError(errorCodes.flowControlError, 'flow control window exceeded')
    if (stream.expected !== undefined && (stream.received > stream.expected || (ends && stream.received < stream.expected)))
      throw new StreamError(errorCodes.protocolError, 'the body and content-length differ')
    if (content.length === 0 && !ends) this.#spend()
    if (content.length < payload.length) this.#uploads.consumed(stream, payload.length - content.length)
    if (content.length > 0) stream.user?.data(content)
    if (ends) this.#endOf(stream)
  }

  /** The request is complete. */
  #endOf(stream: ServerStream): void {
    stream.ended = true
    stream.user?.end()
    if (stream.sentEnd) this.#owner.close(stream)
  }

  #headers(id: number, ends: boolean, block: Buffer): void {
    if (id % 2 === 0) throw protocolError(`a client can't open stream ${id}`)
    const list = this.#decoder.decode(block)
    const stream = this.#streams.open.get(id)
    if (stream !== undefined) this.#trailers(stream, ends, list.fields)
    else if (!this.#streams.isIdle(id)) this.#headersOfClosed(id, ends, list.fields)
    else {
      this.#streams.lastId = id
      this.#owner.open(id, ends, list)
    }
  }

  /** Trailers of a request that was answered before its end are still validated, as those of an open one. */
  #headersOfClosed(id: number, ends: boolean, fields: readonly string[]): void {
    const state = this.#streams.closedState(id)
    if (state === 'skipped') throw protocolError(`stream ${id} is lower than an earlier one`)
    if (state === 'ended') throw new ConnectionError(errorCodes.streamClosed, `stream ${id} has ended`)
    this.#spend()
    validateTrailers(ends, fields)
  }

  #trailers(stream: ServerStream, ends: boolean, fields: readonly string[]): void {
    if (stream.ended) throw new StreamError(errorCodes.streamClosed, 'HEADERS on a closed stream')
    validateTrailers(ends, fields)
    if (stream.expected !== undefined && stream.received < stream.expected)
      throw new StreamError(errorCodes.protocolError, 'the body is shorter than content-length')
    this.#endOf(stream)
  }

  #priority(id: number, payload: Buffer): void {
    if (id === 0) throw protocolError('PRIORITY on stream 0')
    this.#spend()
    if (payload.length !== priorityLength) throw new StreamError(errorCodes.frameSizeError, 'a priority field is truncated')
    if ((payload.readUInt32BE(0) & largest31) === id) throw new StreamError(errorCodes.protocolError, 'a stream depends on itself')
  }

  #resetByClient(id: number, payload: Buffer): void {
    if (this.#streams.isIdle(id)) throw protocolError(`stream ${id} was never opened`)
    onlyNumber(payload)
    const stream = this.#streams.open.get(id)
    if (stream === undefined) {
      this.#streams.endedByClient(id)
      return void this.#spend()
    }
    if (!stream.sentEnd) this.#spendReset()
    this.#owner.close(stream, new Error('the client cancelled the request'))
  }

  #settings(frameFlags: number, id: number, payload: Buffer): void {
    if (id !== 0) throw protocolError('SETTINGS on a stream')
    this.#spend()
    if (frameFlags & flags.ack) {
      if (payload.length > 0) throw frameSizeError('a SETTINGS acknowledgement has content')
      return
    }
    this.#greeted = true
    this.#answers.settings(payload, this.#streams.open.values())
    this.#outbox.reply(frameTypes.settings, flags.ack, 0, nothing)
  }

  #ping(frameFlags: number, id: number, payload: Buffer): void {
    if (id !== 0) throw protocolError('PING on a stream')
    if (payload.length !== pingLength) throw frameSizeError('PING is truncated')
    this.#spend()
    if ((frameFlags & flags.ack) === 0) this.#outbox.reply(frameTypes.ping, flags.ack, 0, payload)
    else this.#owner.answered(payload)
  }

  #goAway(id: number, payload: Buffer): void {
    if (id !== 0) throw protocolError('GOAWAY on a stream')
    if (payload.length < 8) throw frameSizeError('GOAWAY is truncated')
    this.#spend()
    this.#owner.leave()
  }

  #windowUpdate(id: number, increment: number): void {
    this.#spend()
    if (id === 0) return void this.#answers.sender.grow(increment)
    if (this.#streams.isIdle(id)) throw protocolError(`stream ${id} was never opened`)
    const stream = this.#streams.open.get(id)
    if (stream !== undefined) return void this.#answers.sender.growStream(stream, increment)
    // An error of the stream, even if it has been answered.
    if (increment === 0) throw new StreamError(errorCodes.protocolError, 'WINDOW_UPDATE of 0')
    if (this.#streams.grow(id, increment) > largest31) throw new StreamError(errorCodes.flowControlError, 'flow control window overflow')
  }
}

function validateTrailers(ends: boolean, fields: readonly string[]): void {
  if (!ends) throw new StreamError(errorCodes.protocolError, 'trailers without END_STREAM')
  checkTrailers(fields)
}
