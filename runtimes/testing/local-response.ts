/** Responses of calls in this process. */
import { Reply } from '../../core/answers/reply.ts'

/**
 * A Response over a reply that is there as a whole. What tests mostly ask for (status, headers, text, JSON) is read from the reply; a built-in
 * Response, whose streams cost more than the server's own work, is made when anything else is. `instanceof Response` holds.
 */
class LocalResponse implements Response {
  readonly #reply: Response
  #headers: Headers | undefined
  #native: Response | undefined
  #isUsed = false

  constructor(reply: Response) {
    this.#reply = reply
  }

  get status(): number {
    return this.#reply.status
  }

  get ok(): boolean {
    return this.#reply.ok
  }

  get statusText(): string {
    return ''
  }

  get type(): ResponseType {
    return 'default'
  }

  get url(): string {
    return ''
  }

  get redirected(): boolean {
    return false
  }

  get headers(): Headers {
    this.#headers ??= this.#native?.headers ?? new Headers([...this.#reply.headers.entries()])
    return this.#headers
  }

  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    return this.#builtIn().body
  }

  get bodyUsed(): boolean {
    return this.#native?.bodyUsed ?? this.#isUsed
  }

  text(): Promise<string> {
    return this.#takesWhole() ? this.#reply.text() : this.#builtIn().text()
  }

  json(): Promise<unknown> {
    return this.#takesWhole() ? this.#reply.text().then(JSON.parse) : this.#builtIn().json()
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#builtIn().arrayBuffer()
  }

  bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return this.#builtIn().bytes()
  }

  blob(): Promise<Blob> {
    return this.#builtIn().blob()
  }

  formData(): Promise<FormData> {
    return this.#builtIn().formData()
  }

  clone(): Response {
    return this.#builtIn().clone()
  }

  /** Whether the body can be taken from the reply, which it then is. */
  #takesWhole(): boolean {
    if (this.#native !== undefined || this.#isUsed) return false
    this.#isUsed = true
    return true
  }

  /** Fails as a built-in Response does when the body was read before. */
  #builtIn(): Response {
    if (this.#native === undefined) {
      const native = Reply.native(this.#reply)
      // Headers that the caller has are those of copies, too.
      const headers = this.#headers
      this.#native = headers === undefined ? native : new Response(native.body, { status: native.status, headers })
      // It has been read: what follows finds it used.
      if (this.#isUsed) void this.#native.arrayBuffer().catch(() => undefined)
    }
    return this.#native
  }
}

/** Whether a built-in Response could have this body and status, without a stream. */
function isWhole(reply: Response): boolean {
  const body = Reply.bodyOf(reply)
  return (body instanceof Uint8Array || typeof body === 'string') && reply.status <= 599
}

/** A reply as a Response for callers that may use all of its features. */
export function localResponse(reply: Response): Response {
  if (!Reply.parts(reply) || !isWhole(reply)) return Reply.native(reply)
  // Not when this module is imported: Node loads its `fetch` when somebody first asks for `Response`, which takes as long as half a server's start.
  if (!(LocalResponse.prototype instanceof Response)) Object.setPrototypeOf(LocalResponse.prototype, Response.prototype)
  return new LocalResponse(reply)
}
