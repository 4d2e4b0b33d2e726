import { utf8Length, withLineFeed } from '../schema/bytes.ts'
import { parseJsonText } from '../schema/json/text.ts'
import type { Json } from '../schema/model.ts'
import { type ByteSource, collect, counted, isByteSource, streamOf } from './byte-source.ts'
import { LightHeaders } from './light-headers.ts'
import { isUpgradeBody, type UpgradeBody } from './upgrade-body.ts'

/** Bodies that a listener can send directly. */
export type PlainBody = Uint8Array<ArrayBuffer> | string | ByteSource | ReadableStream<Uint8Array<ArrayBuffer>> | UpgradeBody | null

/** What has an object, the JSON of which is a body. */
export interface ObjectSource {
  readonly json: Uint8Array
  /** Bytes of `json`, known before it is made. */
  readonly jsonSize: number
  /** A new object with what `JSON.parse` reads from the body, made with `copied` of what others use; undefined: it would have to be parsed. */
  parsed(copied: (value: Json) => Json): Json | undefined
}

/** Parts of a response for sending. Headers: a record, or alternating names in lower case and values. */
export interface ReplyParts {
  readonly status: number
  readonly headers: Readonly<Record<string, string>> | readonly string[]
  readonly body: PlainBody
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The end of a body with JSON (`withLineFeed`). */
const lineFeedSize = 1

/** Statuses of a built-in Response (Fetch standard); HTTP has three digits (RFC 9110 15). */
const [lowestStatus, highestStatus] = [200, 599]

/**
 * The response class of this server. It keeps the body as given, so that a listener can send it directly. A built-in Response, which costs
 * more than all other work for a small response, is created only when one of its features is needed, such as `body` or `clone`.
 * A Uint8Array is not copied: do not change it afterwards. Unlike a built-in one, it may have any status of three digits; its built-in form then has 500.
 */
export class Reply implements Response {
  readonly status: number
  #headers: HeadersInit | undefined
  /** Undefined: not made yet from the source. */
  #made: PlainBody | undefined
  #native: Response | undefined
  #source: ObjectSource | undefined
  #ended: (() => void)[] | undefined

  declare readonly statusText: ''
  declare readonly type: 'default'
  declare readonly url: ''
  declare readonly redirected: false

  static {
    // On the prototype: as fields they would enlarge every response.
    Object.assign(Reply.prototype, { statusText: '', type: 'default', url: '', redirected: false })
  }

  constructor(body: PlainBody, init: { readonly status?: number; readonly headers?: HeadersInit } = {}) {
    this.status = init.status ?? 200
    this.#headers = init.headers
    this.#made = body
  }

  /** With the JSON of an object as body, which is made when it is asked for: callers in this process take the object. */
  static of(source: ObjectSource, init: { readonly status: number; readonly headers: HeadersInit }): Reply {
    const reply = new Reply(null, init)
    reply.#made = undefined
    reply.#source = source
    return reply
  }

  get #body(): PlainBody {
    this.#made ??= this.#source === undefined ? null : (withLineFeed(this.#source.json) as Uint8Array<ArrayBuffer>)
    return this.#made
  }

  /** The parts of a Reply; undefined for other classes. */
  static parts(response: Response): ReplyParts | undefined {
    if (!(#made in response)) return undefined
    const init = response.#headers
    const plain = init !== undefined && typeof response.#made !== 'string' && isRecord(init)
    return { status: response.status, headers: plain ? init : response.headers.flat, body: response.#body }
  }

  /** The body of any response, as it can be sent directly. Of a Reply, its `body` would create what the runtime has for built-in responses. */
  static bodyOf(response: Response): PlainBody {
    return #made in response ? response.#body : (response.body as ReadableStream<Uint8Array<ArrayBuffer>> | null)
  }

  /** What has the object of which the body is the JSON, for callers in this process; undefined: nothing in memory has it. */
  static sourceOf(response: Response): ObjectSource | undefined {
    return #made in response ? response.#source : undefined
  }

  /**
   * Reports the bytes of the body: at once if they are known, otherwise when all have been taken or the reader is gone. Not for built-in streams,
   * which end elsewhere.
   */
  static measure(response: Response, report: (bytes: number) => void): void {
    if (!(#made in response)) return
    const body = response.#made
    if (body === undefined) report((response.#source?.jsonSize ?? 0) + lineFeedSize)
    else if (body === null) report(0)
    else if (typeof body === 'string') report(utf8Length(body))
    else if (body instanceof Uint8Array) report(body.length)
    else if (isByteSource(body)) response.#made = counted(body, report)
  }

  /** Registers a callback that `ended` runs. Returns false for other classes, which have no such callbacks. */
  static whenEnded(response: Response, callback: () => void): boolean {
    if (!(#made in response)) return false
    // Not `push`, which reserves space for many more.
    response.#ended = response.#ended === undefined ? [callback] : response.#ended.concat(callback)
    return true
  }

  /** Whether all of the body is in memory, so that nothing of the response is still to come. False for other classes. */
  static isWhole(response: Response): boolean {
    if (!(#made in response)) return false
    const body = response.#made
    return body === undefined || body === null || typeof body === 'string' || body instanceof Uint8Array
  }

  /** Runs the callbacks of `whenEnded`. Listeners call this when the response has been sent or abandoned. */
  static ended(response: Response): void {
    if (!(#made in response) || response.#ended === undefined) return
    const callbacks = response.#ended
    response.#ended = undefined
    for (const callback of callbacks) callback()
  }

  /**
   * Converts to a built-in Response, for callers that may use all of its features. A response that switches protocols stays as it is: only the
   * listener that offered to switch gets one.
   */
  static native(response: Response): Response {
    return #made in response && !isUpgradeBody(response.#body) ? response.#holder() : response
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300
  }

  get headers(): LightHeaders {
    if (this.#headers instanceof LightHeaders) return this.#headers
    const headers = new LightHeaders(this.#headers)
    if (typeof this.#made === 'string' && !headers.has('content-type')) headers.set('content-type', 'text/plain;charset=UTF-8')
    this.#headers = headers
    return headers
  }

  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    return this.#holder().body
  }

  get bodyUsed(): boolean {
    return this.#native?.bodyUsed ?? false
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return this.#holder().arrayBuffer()
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    if (typeof this.#body === 'string') return encoder.encode(this.#body)
    if (isByteSource(this.#body) && this.#native === undefined) return collect(this.#body).finally(() => Reply.ended(this))
    return this.#body instanceof Uint8Array ? this.#body : new Uint8Array(await this.arrayBuffer())
  }

  blob(): Promise<Blob> {
    return this.#holder().blob()
  }

  formData(): Promise<FormData> {
    return this.#holder().formData()
  }

  async json(): Promise<unknown> {
    return parseJsonText(await this.text())
  }

  async text(): Promise<string> {
    if (typeof this.#body === 'string') return this.#body
    if (this.#body instanceof Uint8Array) return decoder.decode(this.#body)
    return isByteSource(this.#body) && this.#native === undefined ? decoder.decode(await this.bytes()) : this.#holder().text()
  }

  clone(): Response {
    return this.#holder().clone()
  }

  #holder(): Response {
    if (this.#native === undefined) {
      if (isUpgradeBody(this.#body)) throw new TypeError('a response that switches protocols has no body')
      const body = isByteSource(this.#body) ? streamOf(this.#body) : this.#body
      const status = this.status < lowestStatus || this.status > highestStatus ? 500 : this.status
      this.#native = new Response(body, { status, headers: [...this.headers.entries()] })
    }
    return this.#native
  }
}

const isRecord = (init: HeadersInit): init is Record<string, string> => !(Symbol.iterator in init)
