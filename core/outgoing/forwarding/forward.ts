/** One request that is sent on, until its answer has been sent to the client. */

import type { Pauses } from '../../common/slices.ts'
import type { Platform } from '../../platform.ts'
import type { Clock, Outbound } from '../../ports.ts'
import { whenEnded } from '../../request/ended.ts'
import type { Exchange } from '../../request/exchange.ts'
import type { Destination } from './destination.ts'
import type { Ending } from './ending.ts'

/** What requests need to be sent on. */
export interface ForwardingServices {
  readonly outbound: Outbound
  readonly platform: Platform
  readonly clock: Clock
  /** Time slices of rewriting HTML, and of reading frames. */
  readonly pauses: Pauses
  /** Maximum bytes per second of each direction of a connection that has switched protocols; absent or 0: no limit. */
  readonly maxConnectionBytesPerSecond?: number
}

export interface Forwarding {
  readonly destination: Destination
  /** When the request is given up, besides when its client leaves. */
  readonly ending: Ending
  /** The request to send, which `signal` aborts. */
  request(signal: AbortSignal): Request
  /** What the client gets when there is no response. */
  failure(error: unknown): Error
  /** What the client gets of a response. */
  answer(response: Response): Response | Promise<Response>
}

/** A response with a status that clients may get (RFC 9110 15); the reference panics at others. */
function sendable(response: Response): Response {
  if (response.status >= 200) return response
  void response.body?.cancel().catch(() => undefined)
  throw new RangeError(`the server answered with the status ${response.status}`)
}

/** Sends a request on. Rejects with `failure`, with the errors of `request` and `answer`, or with the reason of the exchange's signal. */
export async function forward(
  exchange: Exchange,
  { destination, ending, request, failure, answer }: Forwarding,
  outbound: Pick<Outbound, 'fetch'>,
): Promise<Response> {
  try {
    const response = await outbound
      .fetch(request(ending.signal), destination.options)
      .then(sendable)
      .catch((error: unknown) => {
        exchange.signal.throwIfAborted()
        throw failure(error)
      })
    return whenEnded(exchange, await answer(response), ending.forget)
  } catch (error) {
    ending.forget()
    throw error
  }
}
