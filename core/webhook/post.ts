/** Posts one review to a webhook that an object names, without retries, with the error texts that clients know. */
import type { Clock, Outbound } from '../ports.ts'
import { messageOf } from '../schema/message-of.ts'
import type { WebhookConnection } from './connection.ts'
import { readText } from './read-text.ts'
import { withinTime } from './time-limit.ts'

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
const longestAnswer = 8 * 1024 * 1024
/** Maximum characters of an error response in our message (client-go's maxUnstructuredResponseTextBytes). */
const longestText = 2048

/** Error texts by HTTP status, for responses that are not a Status object (NewGenericServerResponse). */
const texts: { readonly [code: number]: string } = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
}
/** HTTP statuses whose response body is used as the message. */
const quoted = new Set([403, 406, 415])

function refusal(code: number, answer: string): PostRefused {
  const said = answer.slice(0, longestText).trim() || 'unknown'
  if (quoted.has(code)) return new PostRefused(code, said)
  const other = code >= 500 ? `an error on the server (${JSON.stringify(said)}) has prevented the request from succeeding` : undefined
  const unknown = `the server responded with the status code ${code} but did not return more information`
  return new PostRefused(code, texts[code] ?? other ?? unknown)
}

const encoder = new TextEncoder()

const isTimeout = (error: unknown) => error instanceof Error && error.name === 'TimeoutError'

/** Posts a JSON text and resolves to the response's text. Rejects with PostRefused, or with an Error that names the URL. */
export async function post({ connection, outbound, clock, body, timeout, signal }: Post): Promise<string> {
  const url = `${connection.url}${connection.url.includes('?') ? '&' : '?'}timeout=${Math.ceil(timeout / 1000)}s`
  async function answer(ends: AbortSignal): Promise<string> {
    const authorization = await connection.authorization?.()
    const bytes = encoder.encode(body)
    const headers = {
      'content-type': 'application/json',
      'content-length': String(bytes.length),
      accept: 'application/json, */*',
      ...(authorization !== undefined && { authorization }),
    }
    const request = new Request(url, { method: 'POST', headers, body: bytes, signal: ends, redirect: 'manual' })
    const response = await outbound.fetch(request, connection.options)
    const text = await readText(response.body, longestAnswer)
    if (!response.ok) throw refusal(response.status, text)
    return text
  }
  try {
    return await withinTime(clock, timeout, signal, answer)
  } catch (error) {
    if (error instanceof PostRefused) throw error
    const why = isTimeout(error) ? 'context deadline exceeded' : signal?.aborted ? 'context canceled' : messageOf(error)
    throw new Error(`Post ${JSON.stringify(url)}: ${why}`, { cause: error })
  }
}
