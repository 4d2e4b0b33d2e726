/** The request of a call to a webhook. */
import type { WebhookConnection } from './connection.ts'

const encoder = new TextEncoder()

/** The URL of calls; the timeout is in milliseconds, and in the URL in whole seconds. */
export const withTimeout = (url: string, timeout: number) => `${url}${url.includes('?') ? '&' : '?'}timeout=${Math.ceil(timeout / 1000)}s`

interface Content {
  /** JSON. */
  readonly body: string | Uint8Array<ArrayBuffer>
  /** Header of the trace that the call is a part of; undefined: none. */
  readonly traceparent: string | undefined
}

/** Resolves to what makes the request of each attempt; the authorization is computed once. */
export async function requestsTo(
  connection: WebhookConnection,
  timeout: number,
  { body, traceparent }: Content,
): Promise<(init: Pick<RequestInit, 'signal' | 'redirect'>) => Request> {
  const authorization = await connection.authorization?.()
  const bytes = typeof body === 'string' ? encoder.encode(body) : body
  const headers = {
    'content-type': 'application/json',
    // Without a length the body would be sent in chunks, which simple servers can't read.
    'content-length': String(bytes.length),
    accept: 'application/json, */*',
    ...(authorization !== undefined && { authorization }),
    ...(traceparent !== undefined && { traceparent }),
  }
  const url = withTimeout(connection.url, timeout)
  return (init) => new Request(url, { ...init, method: 'POST', headers, body: bytes })
}
