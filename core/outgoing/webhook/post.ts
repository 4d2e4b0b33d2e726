/** Posts one review to a webhook that an object names, without retries, with the error texts that clients know. */
import type { Clock, Outbound } from '../../ports.ts'
import { dialError } from '../dial-error.ts'
import { readText } from '../read-text.ts'
import { pauseFor, withinTime } from '../time-limit.ts'
import type { WebhookConnection } from './connection.ts'
import { contentTypeFault } from './content-type.ts'
import { emptyResponse, isSuccess, refusalText } from './refusal.ts'
import { Delivery, withTimeout } from './request.ts'

export interface Post {
  readonly connection: WebhookConnection
  readonly outbound: Pick<Outbound, 'fetch'>
  readonly clock: Pick<Clock, 'after'>
  /** JSON. */
  readonly body: string
  /** Timeout in milliseconds, including the response body. Also sent as the query parameter `timeout`. */
  readonly timeout: number
  /** Aborts the call. */
  readonly signal?: AbortSignal
  /** Header of the trace that the call is a part of; undefined: none. */
  readonly traceparent?: string | undefined
}

/** The webhook answered with an error status. */
export class PostRefused extends Error {
  override readonly name = 'PostRefused'
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** Maximum bytes of a response, which is about as large as its object; requests have at most 3 MiB. */
const maxAnswerBytes = 8 * 1024 * 1024

/** Codes that stand for a response without content, and for one with a malformed content type. */
const [noContent, internalError] = [503, 500]
/** How errors name a POST. */
export const posting = (url: string) => `Post ${JSON.stringify(url)}`
/** The same, before there is one. `timeout`: milliseconds. */
export const postingTo = (url: string, timeout: number) => posting(withTimeout(url, timeout))

/** Times that a response that asks for it is followed by another request (client-go's rest.Request). */
const maxRetries = 10

/** Seconds after which a response asks to be asked again; undefined: it does not. */
function retryAfter({ status, headers }: Response): number | undefined {
  const seconds = headers.get('retry-after') ?? ''
  return (status === 429 || status >= 500) && /^\d{1,9}$/.test(seconds) ? Number(seconds) : undefined
}

const isTimeout = (error: unknown) => error instanceof Error && error.name === 'TimeoutError'

/**
 * Posts a JSON text and resolves to the response's text. Rejects with PostRefused, or with an Error that names the URL. A server that is too busy
 * and says so by `Retry-After` is asked again, as by client-go.
 */
export async function post({ connection, outbound, clock, body, timeout, signal, traceparent }: Post): Promise<string> {
  const delivery = new Delivery({ connection, outbound, timeout, body, traceparent })
  async function answer(ends: AbortSignal): Promise<string> {
    const sent = async () => {
      const response = await delivery.send(ends)
      return { response, text: await readText(response, maxAnswerBytes) }
    }
    let { response, text } = await sent()
    for (let retries = 0; retries < maxRetries; retries++) {
      const seconds = retryAfter(response)
      if (seconds === undefined) break
      if (seconds > 0) await pauseFor(clock, seconds * 1000, ends)
      ends.throwIfAborted()
      ;({ response, text } = await sent())
    }
    const { status } = response
    const type = response.headers.get('content-type') ?? ''
    const fault = contentTypeFault(type)
    if (fault !== undefined) throw new PostRefused(internalError, `Internal error occurred: ${fault}`)
    if (!isSuccess(status)) throw new PostRefused(status, refusalText(status, text, type))
    if (text === '') throw new PostRefused(noContent, emptyResponse(status, type))
    return text
  }
  try {
    return await withinTime(clock, timeout, signal, answer)
  } catch (error) {
    if (error instanceof PostRefused) throw error
    const why = isTimeout(error)
      ? 'context deadline exceeded'
      : signal?.aborted
        ? 'context canceled'
        : dialError(error, new URL(connection.url))
    throw new Error(`${posting(delivery.url)}: ${why}`, { cause: error })
  }
}
