/** The requests of a call to a webhook: the first one, and those that its redirects lead to. */
import type { Outbound } from '../../ports.ts'
import { readText } from '../read-text.ts'
import type { WebhookConnection } from './connection.ts'
import { shortText } from './short-text.ts'

const encoder = new TextEncoder()

/** The URL of calls; the timeout is in milliseconds, and in the URL in whole seconds. */
export const withTimeout = (url: string, timeout: number) => `${url}${url.includes('?') ? '&' : '?'}timeout=${Math.ceil(timeout / 1000)}s`

export interface DeliveryOptions {
  readonly connection: WebhookConnection
  readonly outbound: Pick<Outbound, 'fetch'>
  /** Milliseconds, told in the URL. */
  readonly timeout: number
  /** JSON. */
  readonly body: string | Uint8Array<ArrayBuffer>
  /** Header of the trace that the call is a part of; undefined: none. */
  readonly traceparent: string | undefined
}

/** A request of a delivery. */
interface Hop {
  readonly url: string
  /** A POST with the body; false: a GET. */
  readonly posts: boolean
  readonly referer?: string
}

/** Redirects that Go's http.Client follows, and those of them that repeat the body. */
const redirects = new Set([301, 302, 303, 307, 308])
const repeating = new Set([307, 308])
const maxRedirects = 10
/** Maximum bytes of a redirect that are read; the connection of a longer one is closed. */
const maxRedirectBytes = 2 * 1024

/** A JSON text on its way to a webhook; may be sent several times. */
export class Delivery {
  readonly #options: DeliveryOptions
  readonly #first: string
  #authorization: Promise<string> | undefined
  #url: string

  constructor(options: DeliveryOptions) {
    this.#options = options
    this.#first = withTimeout(options.connection.url, options.timeout)
    this.#url = this.#first
  }

  /** URL of the latest request, which errors name. */
  get url(): string {
    return this.#url
  }

  /** The value of the header Authorization, computed once; undefined: none. */
  async authorize(): Promise<string | undefined> {
    this.#authorization ??= this.#options.connection.authorization?.()
    return this.#authorization
  }

  /** Sends the text, and follows redirects to the same origin. */
  async send(signal: AbortSignal): Promise<Response> {
    const { connection, outbound } = this.#options
    const authorization = await this.authorize()
    let hop: Hop = { url: this.#first, posts: true }
    for (let followed = 0; ; followed++) {
      this.#url = hop.url
      const response = await outbound.fetch(this.#request(hop, authorization, signal), connection.options)
      const next = this.#redirected(hop, response, followed)
      if (next === undefined) return response
      // What is read to its end leaves its connection to the next request.
      await readText(response, maxRedirectBytes).catch(() => undefined)
      hop = next
    }
  }

  /** Where a response leads, as with Go's http.Client; undefined: it is no redirect. Throws an Error that says why it is not followed. */
  #redirected({ url, posts }: Hop, { status, headers }: Response, followed: number): Hop | undefined {
    const location = headers.get('location') ?? ''
    if (!redirects.has(status) || location === '') return undefined
    const badEscape = /%(?![\dA-Fa-f]{2}).{0,2}/.exec(location)?.[0]
    if (badEscape !== undefined || !URL.canParse(location, url)) {
      const named = JSON.stringify(shortText(location))
      const why = badEscape === undefined ? 'invalid URL' : `invalid URL escape ${JSON.stringify(badEscape)}`
      throw new Error(`failed to parse Location header ${named}: parse ${named}: ${why}`)
    }
    const next = new URL(location, url)
    // Elsewhere, it could reach what only this server reaches, with this server's credentials (CVE-2020-8561, open in the reference).
    const isElsewhere = next.origin !== new URL(url).origin
    if (isElsewhere || followed === maxRedirects - 1) {
      this.#url = shortText(location)
      throw new Error(isElsewhere ? 'redirects to other servers are not followed' : `stopped after ${maxRedirects} redirects`)
    }
    return { url: next.href, posts: posts && repeating.has(status), referer: url }
  }

  #request({ url, posts, referer }: Hop, authorization: string | undefined, signal: AbortSignal): Request {
    const { body, traceparent } = this.#options
    const bytes = typeof body === 'string' ? encoder.encode(body) : body
    const headers = {
      // Without a length the body would be sent in chunks, which simple servers can't read.
      ...(posts && { 'content-type': 'application/json', 'content-length': String(bytes.length) }),
      accept: 'application/json, */*',
      ...(referer !== undefined && { referer }),
      ...(authorization !== undefined && { authorization }),
      ...(traceparent !== undefined && { traceparent }),
    }
    return new Request(url, { method: posts ? 'POST' : 'GET', headers, signal, redirect: 'manual', ...(posts && { body: bytes }) })
  }
}
