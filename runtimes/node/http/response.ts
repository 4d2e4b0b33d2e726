import { LightHeaders } from './headers.ts'

export const NativeResponse = globalThis.Response

/** Bodies that a socket takes as they are. */
export type PlainBody = Uint8Array<ArrayBuffer> | string | ReadableStream<Uint8Array<ArrayBuffer>> | null

const bodyless = new Set([101, 103, 204, 205, 304])
const isPlain = (body: unknown): body is Exclude<PlainBody, null> =>
  typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream

/**
 * The Response class while a listener is open. It keeps what it was made from, so that a listener can send that as it is;
 * the built-in class, several times as expensive, is made only when somebody reads the body or it is an unusual one.
 * A Uint8Array is not copied: do not change it afterwards.
 */
export class LightResponse implements Response {
  readonly #status: number
  readonly #statusText: string
  #headers: HeadersInit | undefined
  readonly #body: PlainBody
  #native: Response | undefined

  readonly type = 'default'
  readonly url = ''
  readonly redirected = false

  constructor(body?: BodyInit | null, init?: ResponseInit) {
    const status = init?.status ?? 200
    if (!(status >= 200 && status <= 599)) throw new RangeError('init["status"] must be in the range of 200 to 599, inclusive.')
    if (body != null && bodyless.has(status)) throw new TypeError(`Response with status ${status} cannot have a body`)
    this.#status = status
    this.#statusText = init?.statusText ?? ''
    this.#headers = init?.headers
    if (body == null) this.#body = null
    else if (isPlain(body)) this.#body = body as PlainBody
    else {
      this.#native = new NativeResponse(body, init as ResponseInit)
      this.#body = this.#native.body
      this.#headers = this.#native.headers
    }
  }

  /** What to send, or undefined for a response of another class. Headers: a record, or names and values by turns. */
  static parts(response: Response): { status: number; headers: Record<string, string> | string[]; body: PlainBody } | undefined {
    if (!(#status in response)) return undefined
    const body = response.#native === undefined ? response.#body : response.#native.body
    const init = response.#headers
    const plain = init !== undefined && !Array.isArray(init) && !(init instanceof Headers) && typeof response.#body !== 'string'
    return { status: response.#status, headers: plain ? (init as Record<string, string>) : response.headers.flat, body }
  }

  get status(): number {
    return this.#status
  }

  get statusText(): string {
    return this.#statusText
  }

  get ok(): boolean {
    return this.#status < 300
  }

  get headers(): LightHeaders {
    if (this.#headers instanceof LightHeaders) return this.#headers
    const headers = new LightHeaders(this.#headers)
    if (typeof this.#body === 'string' && !headers.has('content-type')) headers.set('content-type', 'text/plain;charset=UTF-8')
    this.#headers = headers
    return headers
  }

  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    return this.#body instanceof ReadableStream ? this.#body : this.#holder().body
  }

  get bodyUsed(): boolean {
    return this.#native?.bodyUsed ?? false
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#holder().arrayBuffer()
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await this.#holder().arrayBuffer())
  }

  blob(): Promise<Blob> {
    return this.#holder().blob()
  }

  formData(): Promise<FormData> {
    return this.#holder().formData()
  }

  json(): Promise<unknown> {
    return this.#holder().json()
  }

  text(): Promise<string> {
    return this.#holder().text()
  }

  clone(): Response {
    const init = { status: this.#status, statusText: this.#statusText, headers: [...this.headers.entries()] }
    return new LightResponse(this.#holder().clone().body, init)
  }

  #holder(): Response {
    this.#native ??= new NativeResponse(this.#body, { headers: [...this.headers.entries()] })
    return this.#native
  }

  static error(): Response {
    return NativeResponse.error()
  }

  static redirect(url: string | URL, status?: number): Response {
    return NativeResponse.redirect(url, status)
  }

  static json(data: unknown, init?: ResponseInit): Response {
    const text = JSON.stringify(data)
    if (text === undefined) throw new TypeError('The data is not JSON serializable')
    const headers = new LightHeaders(init?.headers)
    if (!headers.has('content-type')) headers.set('content-type', 'application/json')
    return new LightResponse(text, { ...init, headers })
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return Object.prototype.isPrototypeOf.call(NativeResponse.prototype, value as object)
  }
}

Object.setPrototypeOf(LightResponse.prototype, NativeResponse.prototype)
