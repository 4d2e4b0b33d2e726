/** This server's own requests to other servers. */

import { dialError } from '../outgoing/dial-error.ts'
import { type Connect, connectedAddress } from '../outgoing/forwarding/destination.ts'
import { escapePath } from '../outgoing/forwarding/paths.ts'
import { ResponseTooLong, readText } from '../outgoing/read-text.ts'
import { withinTime } from '../outgoing/time-limit.ts'
import type { Clock, Outbound } from '../ports.ts'
import type { User } from '../request/exchange.ts'
import { identityFields } from './identity.ts'
import { UnusableDocument } from './unusable-document.ts'

export interface AskServices<T> {
  readonly outbound: Pick<Outbound, 'fetch'>
  readonly clock: Pick<Clock, 'after'>
  readonly connect: Connect<T>
}

export interface DocumentRequest {
  readonly path: string
  /** In whose name. */
  readonly user: Pick<User, 'name' | 'uid' | 'groups'>
  readonly headers?: { readonly [name: string]: string }
  /** Milliseconds, including the body. */
  readonly timeout: number
  /** Maximum bytes of the body; 0: it is not read. */
  readonly maxBytes: number
  /** Aborts the request. */
  readonly signal?: AbortSignal
}

export interface DocumentAnswer {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** There is no answer; the message is Go's. */
export class AskFailed extends Error {
  override readonly name = 'AskFailed'
  readonly url: string
  constructor(url: string, message: string, cause: unknown) {
    super(message, { cause })
    this.url = url
  }
}

const isTimeout = (error: unknown) => error instanceof Error && error.name === 'TimeoutError'

/** Asks for a document. Rejects with AskFailed, with UnusableDocument when it is too long, or with an Error when the server has no address. */
export async function ask<T>(server: T, wanted: DocumentRequest, { outbound, clock, connect }: AskServices<T>): Promise<DocumentAnswer> {
  const { path, user, headers = {}, timeout, maxBytes, signal } = wanted
  const found = await connect(server, undefined)
  const { origin, options } = found
  const target = escapePath(path)
  const url = `https://${connectedAddress(found)}${target}`
  try {
    return await withinTime(clock, timeout, signal, async (ends) => {
      const request = new Request(origin, { headers, signal: ends, redirect: 'manual' })
      const response = await outbound.fetch(request, { ...options, target, fields: identityFields(user, true) })
      if (maxBytes === 0) await response.body?.cancel()
      return { url, status: response.status, headers: response.headers, text: maxBytes === 0 ? '' : await readText(response, maxBytes) }
    })
  } catch (error) {
    if (error instanceof ResponseTooLong) throw new UnusableDocument(url, error)
    const why = isTimeout(error) ? 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)' : dialError(error, origin)
    throw new AskFailed(url, `Get ${JSON.stringify(url)}: ${why}`, error)
  }
}
