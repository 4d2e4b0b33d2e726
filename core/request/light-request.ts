import type { LightHeaders } from '../respond/light-headers.ts'

/** A body as a request has it, read once: as a whole or as a stream. */
export interface LightBody {
  /** Whether somebody has started to read it. */
  readonly used: boolean
  /** Rejects when it has been read before, or can't be had. */
  bytes(): Promise<Uint8Array<ArrayBuffer>>
  /** As `bytes`, unless it has more than so many: then undefined, and the rest is thrown away. */
  within(most: number): Promise<Uint8Array<ArrayBuffer> | undefined>
  /** As `bytes`, where all of it is there and unread; otherwise undefined, and nothing has happened. */
  whole(): Uint8Array<ArrayBuffer> | undefined
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>
  /** A second reader's copy. */
  tee(): ReadableStream<Uint8Array<ArrayBuffer>>
}

const decoder = new TextDecoder()

/**
 * The Request interface over a message that has come, or that the server sends itself: nothing is built before somebody asks for it. The
 * built-in class costs more than the rest of a small request, and memory from its first use on.
 */
export class LightRequest implements Request {
  readonly method: string
  readonly url: string
  readonly headers: LightHeaders
  /** What an extended CONNECT asks for, such as `websocket` (RFC 8441): bytes go both ways, in the bodies of request and response. */
  readonly protocol: string | undefined
  readonly #body: LightBody | null
  #controller: AbortController | undefined
  #abortReason: Error | undefined

  declare readonly cache: 'default'
  declare readonly credentials: 'same-origin'
  declare readonly destination: ''
  declare readonly duplex: 'half'
  declare readonly integrity: ''
  declare readonly keepalive: false
  declare readonly mode: 'cors'
  declare readonly redirect: 'follow'
  declare readonly referrer: 'about:client'
  declare readonly referrerPolicy: ''
  declare readonly isHistoryNavigation: false

  static {
    // Once for all: as fields they would make every request twice as large.
    Object.assign(LightRequest.prototype, {
      cache: 'default',
      credentials: 'same-origin',
      destination: '',
      duplex: 'half',
      integrity: '',
      keepalive: false,
      mode: 'cors',
      redirect: 'follow',
      referrer: 'about:client',
      referrerPolicy: '',
      isHistoryNavigation: false,
    })
  }

  constructor(method: string, url: string, headers: LightHeaders, body: LightBody | null, protocol?: string) {
    this.protocol = protocol
    this.method = method
    this.url = url
    this.headers = headers
    this.#body = body
  }

  static #read(request: LightRequest): Promise<Uint8Array<ArrayBuffer>> {
    return request.#body === null ? Promise.resolve(new Uint8Array(0)) : request.#body.bytes()
  }

  /** The body of a request of this class; null: it has none. Undefined for a request of another class. */
  static body(request: Request): LightBody | null | undefined {
    return #body in request ? request.#body : undefined
  }

  /** Aborts `signal`: the client is gone. */
  static abort(request: LightRequest, reason: Error): void {
    request.#abortReason ??= reason
    request.#controller?.abort(request.#abortReason)
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason)
    }
    return this.#controller.signal
  }

  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    return this.#body === null ? null : this.#body.stream()
  }

  get bodyUsed(): boolean {
    return this.#body?.used === true
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    const { buffer, byteOffset, byteLength } = await LightRequest.#read(this)
    return byteLength === buffer.byteLength ? buffer : buffer.slice(byteOffset, byteOffset + byteLength)
  }

  bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return LightRequest.#read(this)
  }

  async text(): Promise<string> {
    return decoder.decode(await LightRequest.#read(this))
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }

  blob(): Promise<Blob> {
    return LightRequest.native(this).blob()
  }

  formData(): Promise<FormData> {
    return LightRequest.native(this).formData()
  }

  clone(): Request {
    return LightRequest.#native(this, this.#body === null ? null : this.#body.tee())
  }

  /** The same request as a built-in object, which takes over the body. */
  static native(request: LightRequest): Request {
    return LightRequest.#native(request, request.body)
  }

  static #native({ method, url, headers, signal }: LightRequest, body: ReadableStream<Uint8Array<ArrayBuffer>> | null): Request {
    const init = { method, headers: [...headers.entries()], signal, duplex: 'half' } satisfies RequestInit & { duplex: 'half' }
    return new Request(url, body !== null && method !== 'GET' && method !== 'HEAD' ? { ...init, body } : init)
  }
}
