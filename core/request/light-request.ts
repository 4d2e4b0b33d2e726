import type { LightHeaders } from '../answers/light-headers.ts'

/** Body of a request, which can be read once: as a whole or as a stream. */
export interface LightBody {
  /** Whether reading has started. */
  readonly used: boolean
  /** Rejects when the body was read before or is not available. */
  bytes(): Promise<Uint8Array<ArrayBuffer>>
  /** As `bytes`; a body of more than `most` bytes is discarded, and undefined returned. */
  within(max: number): Promise<Uint8Array<ArrayBuffer> | undefined>
  /** The body if it has arrived completely and is unread; otherwise undefined, and it stays unread. */
  whole(): Uint8Array<ArrayBuffer> | undefined
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>
  /** A second stream of the same body. */
  tee(): ReadableStream<Uint8Array<ArrayBuffer>>
}

const decoder = new TextDecoder()
const nothing = () => {}

/**
 * Implements the Request interface for received requests and the server's own; parts are created on first use. The built-in class costs more
 * than the rest of a small request, and more memory.
 */
export class LightRequest implements Request {
  readonly method: string
  readonly headers: LightHeaders
  /** Path and query as sent: `*` or empty for requests without a path. A character stands for a byte. */
  #target: string
  readonly #body: LightBody | null
  #controller: AbortController | undefined
  #abortReason: Error | undefined
  #left: (() => void) | undefined
  #isIdentified = false
  #known: (() => void) | undefined

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
    // On the prototype: as fields they would double the size of every request.
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

  /** `target`: path and query, byte for byte as on the request line. */
  constructor(method: string, target: string, headers: LightHeaders, body: LightBody | null) {
    this.method = method
    this.#target = target
    this.headers = headers
    this.#body = body
  }

  static #read(request: LightRequest): Promise<Uint8Array<ArrayBuffer>> {
    return request.#body === null ? Promise.resolve(new Uint8Array(0)) : request.#body.bytes()
  }

  /** The body of a LightRequest; null: none. Undefined for other classes. */
  static body(request: Request): LightBody | null | undefined {
    return #body in request ? request.#body : undefined
  }

  /** Path and query of a LightRequest as sent. Undefined for other classes. */
  static target(request: Request): string | undefined {
    return #target in request ? request.#target : undefined
  }

  /** Replaces path and query of a LightRequest, for a handler below a path. False for other classes. */
  static retarget(request: Request, target: string): boolean {
    if (!(#target in request)) return false
    request.#target = target
    return true
  }

  /** Why the client has given a request of any class up; undefined: it has not. No signal is created for that. */
  static abortReason(request: Request): unknown {
    if (#body in request) return request.#abortReason
    return request.signal.aborted ? request.signal.reason : undefined
  }

  /**
   * Calls back when the client gives a request of any class up, unless the returned function was called before. A LightRequest needs no signal
   * for that, and knows one callback.
   */
  static onAbort(request: Request, callback: () => void): () => void {
    if (!(#body in request)) {
      request.signal.addEventListener('abort', callback, { once: true })
      return () => request.signal.removeEventListener('abort', callback)
    }
    request.#left = callback
    return nothing
  }

  /** The user of a request of any class is known, and not anonymous. */
  static identified(request: Request): void {
    if (!(#body in request)) return
    request.#isIdentified = true
    request.#known?.()
  }

  /** Calls back when the user is known, which is now if it is known already. Knows one callback. */
  static onIdentified(request: LightRequest, callback: () => void): void {
    if (request.#isIdentified) callback()
    else request.#known = callback
  }

  /** Whether the user is known. */
  static isIdentified(request: LightRequest): boolean {
    return request.#isIdentified
  }

  /** Aborts `signal`: the client has disconnected. */
  static abort(request: LightRequest, reason: Error): void {
    request.#abortReason ??= reason
    request.#controller?.abort(request.#abortReason)
    request.#left?.()
  }

  /** For code outside of this server: host and target as the URL standard writes them, without dot segments. */
  get url(): string {
    const origin = `https://${this.headers.get('host') || 'localhost'}`
    const path = this.#target.startsWith('/') ? this.#target : '/'
    return new URL(`${URL.canParse(origin) ? origin : 'https://localhost'}${path}`).href
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

  /** Converts to a built-in Request, which takes over the body. */
  static native(request: LightRequest): Request {
    return LightRequest.#native(request, request.body)
  }

  static #native({ method, url, headers, signal }: LightRequest, body: ReadableStream<Uint8Array<ArrayBuffer>> | null): Request {
    const init = { method, headers: [...headers.entries()], signal, duplex: 'half' } satisfies RequestInit & { duplex: 'half' }
    return new Request(url, body !== null && method !== 'GET' && method !== 'HEAD' ? { ...init, body } : init)
  }
}
