import { isByteSource } from '../../../core/answers/byte-source.ts'
import { LightHeaders } from '../../../core/answers/light-headers.ts'
import type { ReplyParts } from '../../../core/answers/reply.ts'
import { isUpgradeBody, type UpgradeBody } from '../../../core/answers/upgrade-body.ts'
import type { Connection } from '../../../core/ports.ts'
import { LightRequest } from '../../../core/request/light-request.ts'
import { errorCodes } from '../../wire/errors.ts'
import type { RequestHead } from '../../wire/server/head.ts'
import { RequestIntake } from '../../wire/server/intake.ts'
import { limits } from '../../wire/server/limits.ts'
import type { ServerStream, StreamUser } from '../../wire/server/stream.ts'
import { drainInto, pump, type Sink, type SinkUser } from './pump.ts'
import { RequestBody } from './request-body.ts'
import { sent } from './sent.ts'
import { answer, completed, failed, giveUp, isBodyless, isStream, partsOf, type Service, sizeOf, tooManyFields } from './service.ts'
import { readTarget } from './target.ts'

/** Fields about the connection, which HTTP/2 does not have (RFC 9113 8.2.2). */
const connectionFields = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'])
const encoder = new TextEncoder()
const gone = () => new Error('the client closed the connection')

const contentOf = (body: string | Uint8Array) => (typeof body === 'string' ? encoder.encode(body) : body)

/** One request over HTTP/2, and its answer. */
class Http2Exchange implements StreamUser, Sink {
  readonly #service: Service
  readonly #stream: ServerStream
  /** Of HEAD: the response has no body. */
  readonly #isHead: boolean
  /** An extended CONNECT (RFC 8441). */
  readonly #connects: boolean
  readonly #request: LightRequest
  /** The client waits for a 100 before it sends the body (RFC 9110 10.1.1). */
  readonly #continues: boolean
  readonly #body: RequestBody | null
  /** Absent: the request has no body, and no answer is awaited, or its user is known. */
  #intake: RequestIntake | undefined
  /** Runs the handler; a small body is awaited first. */
  #start: (() => void) | undefined
  #gone = false
  #response: Response | undefined
  user: SinkUser | undefined

  constructor(service: Service, connection: Connection, stream: ServerStream, head: RequestHead) {
    this.#service = service
    this.#stream = stream
    const { method, path, authority, fields, contentLength, protocol } = head
    this.#isHead = method === 'HEAD'
    this.#connects = protocol !== undefined
    const headers = LightHeaders.of(fields)
    this.#continues = !stream.ended && headers.get('expect')?.toLowerCase() === '100-continue'
    if (stream.ended) this.#body = null
    else {
      this.#intake = new RequestIntake(stream.intake, stream.head, this.#continues ? () => stream.inform('100') : undefined)
      this.#body = new RequestBody((bytes) => stream.consumed(bytes), contentLength, this.#intake)
    }
    if (authority !== undefined && headers.has('host')) headers.set('host', authority)
    else if (authority !== undefined) headers.flat.push('host', authority)
    const target = readTarget(method, path ?? '', headers, false)
    // In the form of HTTP/1.1, so that handlers know one form.
    if (protocol !== undefined) headers.flat.push('connection', 'Upgrade', 'upgrade', protocol)
    this.#request = new LightRequest(protocol === undefined ? method : 'GET', typeof target === 'string' ? target : '', headers, this.#body)
    if (this.#intake !== undefined) LightRequest.onIdentified(this.#request, this.#intake.identified)
    this.#start = () => {
      this.#start = undefined
      this.#handle(typeof target === 'string' ? answer(service, this.#request, connection) : target)
    }
  }

  /** A small body is awaited, so that an incomplete request does not count as in flight, unless the client waits, or too much is awaited. */
  begin(contentLength = Number.POSITIVE_INFINITY): void {
    const isAwaited = this.#body !== null && !this.#connects && !this.#continues && contentLength <= limits.uploadWindow
    if (!isAwaited || this.#stream.intake.all.isCrowded) this.#start?.()
  }

  #handle(result: Response | Promise<Response>): void {
    if (!(result instanceof Promise)) {
      if (LightRequest.isIdentified(this.#request)) this.#stream.intake.identified()
      this.#stream.handled()
      this.#send(result)
    } else {
      if (this.#intake === undefined && !LightRequest.isIdentified(this.#request)) {
        this.#intake = new RequestIntake(this.#stream.intake, this.#stream.head)
        LightRequest.onIdentified(this.#request, this.#intake.identified)
      }
      result.then((response) => {
        this.#stream.handled()
        this.#send(response)
      })
    }
  }

  /** `instead`: replaces a response that could not be sent. */
  #send(response: Response, instead = false): void {
    if (!instead) this.#response = response
    const { status, headers, body } = partsOf(this.#service, response)
    if (isUpgradeBody(body)) return void this.#switch(response, headers, body)
    const empty = this.#isHead || isBodyless(status)
    const stream = isStream(body) ? body : undefined
    const bytes = isStream(body) ? null : body
    if (this.#gone || (empty && stream)) giveUp(body, 'nobody reads the response')
    if (this.#gone) return void sent(response)
    const size = stream || isBodyless(status) || (bytes === null && empty) ? undefined : sizeOf(bytes)
    const content = empty || bytes === null ? undefined : contentOf(bytes)
    const fields = this.#outgoing(completed(headers, size, this.#service.date(), [':status', String(status)]))
    try {
      this.#stream.respond(fields, content, empty || !stream)
    } catch (error) {
      giveUp(body, error)
      return void this.#send(failed(this.#service, error), true)
    }
    // The handler may stream the request body into the response, so the body is only discarded when the response is empty or complete.
    if (empty || !stream) {
      this.#body?.discard()
      // The stream is open while the client has not read the response.
      if (!this.#gone) this.#holdUnread(content?.length ?? 0)
      return
    }
    if (this.#body === null) this.#intake?.end()
    if (isByteSource(stream)) drainInto(stream, this)
    else void pump(stream, this).catch((error: unknown) => this.failed(error))
  }

  /** Counts a response that waits for the client to read, until the stream is closed. */
  #holdUnread(bytes: number): void {
    if (this.#intake === undefined && !LightRequest.isIdentified(this.#request))
      this.#intake = new RequestIntake(this.#stream.intake, this.#stream.head)
    this.#intake?.changed(bytes)
  }

  /** Answers an extended CONNECT with 200: both bodies are the stream (RFC 8441 5). */
  #switch(response: Response, headers: ReplyParts['headers'], { use }: UpgradeBody): void {
    if (this.#gone) return void sent(response)
    const stream = this.#stream
    stream.tunnel = true
    stream.respond(this.#outgoing(completed(headers, undefined, this.#service.date(), [':status', '200'])), undefined, false)
    const received = this.#body?.stream().getReader()
    use({
      readable: new ReadableStream({
        async pull(controller) {
          const { done = true, value } = (await received?.read()) ?? {}
          if (done || value === undefined) controller.close()
          else controller.enqueue(value)
        },
        cancel: () => stream.reset(errorCodes.cancel),
      }),
      writable: new WritableStream({
        write: (bytes) => (this.#gone ? Promise.reject(gone()) : this.write(bytes) ? undefined : this.#drained()),
        close: () => this.finish(),
        abort: () => stream.reset(errorCodes.cancel),
      }),
    })
  }

  /** Resolves when everything written is sent. */
  #drained(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.user = { wake: resolve, left: () => reject(gone()) }
    })
  }

  /** The response stream failed. */
  failed(error: unknown): void {
    this.#service.logger?.debug({ err: error }, 'response stream failed')
    this.#stream.reset(errorCodes.internalError)
  }

  /** `Connection: close` becomes a GOAWAY frame, as in net/http. */
  #outgoing(fields: string[]): string[] {
    for (let i = 0; i < fields.length; i += 2) {
      if (!connectionFields.has(fields[i] as string)) continue
      if (fields[i] === 'connection' && fields[i + 1]?.toLowerCase() === 'close') this.#stream.drain()
      fields.splice(i, 2)
      i -= 2
    }
    return fields
  }

  // ── Events of the stream ──────────────────────────────────────────────────────────────────────

  get reading(): boolean {
    return !this.#connects && (this.#start !== undefined || this.#body?.reading === true)
  }

  data(bytes: Buffer): void {
    this.#body?.push(bytes)
    if (this.#start !== undefined && this.#stream.intake.all.isCrowded) this.#start()
  }

  end(): void {
    this.#body?.end()
    this.#start?.()
  }

  sent(): void {
    this.user?.wake()
  }

  closed(error?: Error): void {
    this.#gone = true
    this.#intake?.end()
    if (error !== undefined) {
      this.#body?.fail(error)
      LightRequest.abort(this.#request, error)
      this.user?.left()
    }
    if (this.#start !== undefined) {
      this.#start = undefined
      this.#stream.handled()
    }
    if (this.#response !== undefined) sent(this.#response)
  }

  // ── Sink ──────────────────────────────────────────────────────

  get gone(): boolean {
    return this.#gone
  }

  write(bytes: Uint8Array): boolean {
    this.#stream.write(bytes, false)
    return this.#stream.rest.length === 0
  }

  later(write: () => void): void {
    this.#stream.later(write)
  }

  finish(): void {
    this.#stream.write(new Uint8Array(0), true)
  }
}

/** Answers one HTTP/2 request. */
export function serveHttp2(service: Service, connection: Connection, stream: ServerStream, head: RequestHead): void {
  const exchange = new Http2Exchange(service, connection, stream, head)
  stream.user = exchange
  exchange.begin(head.contentLength)
}

/** Answers a request that has too many header fields, or too large ones. */
export function refuseFields(service: Service, stream: ServerStream): void {
  const { status, headers, body } = partsOf(service, tooManyFields())
  const content = encoder.encode(String(body))
  stream.handled()
  stream.respond(completed(headers, content.length, service.date(), [':status', String(status)]), content, true)
}
