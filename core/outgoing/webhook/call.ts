/** Calls a webhook over HTTP with a JSON body; retries failures that may be temporary. */
import type { ApiError } from '../../answers/status.ts'
import type { Clock, Outbound } from '../../ports.ts'
import { messageOf } from '../../schema/message-of.ts'
import { dialError } from '../dial-error.ts'
import { readText } from '../read-text.ts'
import { pauseFor, withinTime } from '../time-limit.ts'
import { createCircuit } from './circuit.ts'
import type { WebhookConnection } from './connection.ts'
import { contentTypeFault } from './content-type.ts'
import { posting, postingTo } from './post.ts'
import { emptyResponse, forbiddenBy, isSuccess, refusalText } from './refusal.ts'
import { Delivery } from './request.ts'

export interface CallOptions {
  readonly connection: WebhookConnection
  readonly outbound: Pick<Outbound, 'fetch'>
  readonly clock: Clock
  /** Timeout in milliseconds per attempt, including the response body. */
  readonly timeout: number
  /** Milliseconds before the second attempt; later waits are longer. Default 500. */
  readonly firstWait?: number
  /** Every failure is retried, and no circuit breaker refuses calls: what is sent must not be lost. Default false. */
  readonly persistent?: boolean
}

type Body = string | Uint8Array<ArrayBuffer>

/**
 * Posts a JSON text, or its bytes. Resolves to the parsed response, or rejects with an Error. `signal` ends the attempt and all further ones.
 * `traceparent`: header of the trace that the call is a part of.
 */
export type Call<T = string> = (body: Body, signal?: AbortSignal, traceparent?: string) => Promise<T>

/** Outcome of an attempt: a usable response, a timeout, or another failure. */
export type TryOutcome = 'success' | 'timeout' | 'error'

export interface ReadingCallOptions<T> extends CallOptions {
  /** Parses a response. Throws an Error when it can't be used. */
  read(answer: string): T
  /** Called after each attempt. */
  tried(outcome: TryOutcome, milliseconds: number): void
}

const tries = 5
const defaultFirstWait = 500
const growth = 1.5
const jitter = 0.2
/** Maximum bytes of a response; usual ones have a few hundred. */
const maxAnswerBytes = 1024 * 1024
const passing = new Set([429, 500, 504])

/** A failed attempt; `again` if a retry may succeed. */
export class AttemptError extends Error {
  override readonly name = 'AttemptError'
  readonly again: boolean
  readonly late: boolean
  /** Set if the webhook forbade the call. */
  readonly forbidden: ApiError | undefined
  constructor(message: string, again: boolean, late = false, forbidden?: ApiError) {
    super(message)
    this.forbidden = forbidden
    this.again = again
    this.late = late
  }
}

function isReset(error: unknown): boolean {
  const code = (each: unknown) => (typeof each === 'object' && each !== null && 'code' in each ? each.code : undefined)
  return code(error) === 'ECONNRESET' || (error instanceof Error && code(error.cause) === 'ECONNRESET')
}

const isTimeout = (error: unknown) => error instanceof Error && error.name === 'TimeoutError'

/** The outcome of a call's error. */
export const outcomeOf = (error: unknown): TryOutcome =>
  (error instanceof AttemptError && error.late) || isTimeout(error) ? 'timeout' : 'error'

export const createCall = (options: CallOptions): Call => createReadingCall({ ...options, read: (answer) => answer, tried: () => {} })

export function createReadingCall<T>({
  connection,
  outbound,
  clock,
  timeout,
  firstWait = defaultFirstWait,
  persistent = false,
  read,
  tried,
}: ReadingCallOptions<T>): Call<T> {
  const circuit = createCircuit(clock)
  async function answerOf(delivery: Delivery, signal: AbortSignal): Promise<Response> {
    await delivery.authorize()
    try {
      const response = await delivery.send(signal)
      circuit.reached()
      return response
    } catch (error) {
      // A caller that gave up says nothing about the webhook.
      if (!signal.aborted || isTimeout(signal.reason)) circuit.missed()
      const why = isTimeout(error) ? messageOf(error) : dialError(error, new URL(connection.url))
      throw new AttemptError(`${posting(delivery.url)}: ${why}`, isReset(error), isTimeout(error))
    }
  }

  async function answered(delivery: Delivery, signal: AbortSignal): Promise<T> {
    const response = await answerOf(delivery, signal)
    const text = await readText(response, maxAnswerBytes)
    const type = response.headers.get('content-type') ?? ''
    const fault = contentTypeFault(type)
    if (fault !== undefined) throw new AttemptError(`Internal error occurred: ${fault}`, true)
    const { status } = response
    if (!isSuccess(status)) {
      const again = passing.has(status) || response.headers.has('retry-after')
      throw new AttemptError(refusalText(status, text, type), again, status === 504, forbiddenBy(status, text, type))
    }
    if (text === '' && !persistent) throw new AttemptError(emptyResponse(status, type), false)
    return read(text)
  }

  async function once(body: Body, given: AbortSignal | undefined, traceparent: string | undefined): Promise<T> {
    const began = clock.monotonic()
    const delivery = new Delivery({ connection, outbound, timeout, body, traceparent })
    let outcome: TryOutcome = 'success'
    try {
      return await withinTime(clock, timeout, given, (signal) => answered(delivery, signal))
    } catch (error) {
      outcome = outcomeOf(error)
      throw isTimeout(error) ? new AttemptError(`${posting(delivery.url)}: ${messageOf(error)}`, false, true) : error
    } finally {
      tried(outcome, clock.monotonic() - began)
    }
  }

  return async (body, signal, traceparent) => {
    for (let attempt = 1, wait = firstWait; ; attempt++, wait *= growth) {
      if (!persistent && !circuit.permits())
        throw new Error(`${postingTo(connection.url, timeout)}: not sent: the circuit breaker is open after repeated failures`)
      try {
        return await once(body, signal, traceparent)
      } catch (error) {
        if (!(persistent || (error instanceof AttemptError && error.again)) || attempt === tries) throw error
        await pauseFor(clock, wait * (1 + Math.random() * jitter), signal)
        signal?.throwIfAborted()
      }
    }
  }
}
