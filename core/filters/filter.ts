import type { Exchange } from '../request/exchange.ts'

/** A plain value unless something had to be awaited: a promise costs a request more than most filters do. */
export type Answer = Response | Promise<Response>

/** Answers an exchange. Throws, or rejects with, an error that becomes a Status. */
export type Handler = (exchange: Exchange) => Answer

/** A layer around the rest of the chain. */
export type Filter = (exchange: Exchange, next: Handler) => Answer

/** What a filter makes of a response, or of an error, of the rest of the chain. `subject` is what it knows of the request. */
type OnResponse<T> = (subject: T, response: Response) => Response
type OnError<T> = (subject: T, error: unknown) => Answer

/**
 * The answer of the rest of the chain, as `answered` or `failed` return it. They get what they need as an argument: functions that are made for
 * each request cost more than most of them do.
 */
export function outcome<T>(next: Handler, exchange: Exchange, subject: T, answered: OnResponse<T>, failed: OnError<T>): Answer {
  try {
    const answer = next(exchange)
    return answer instanceof Promise ? laterOutcome(answer, subject, answered, failed) : answered(subject, answer)
  } catch (error) {
    return failed(subject, error)
  }
}

/** Apart from `outcome`, which would otherwise have to make room for these functions each time. */
const laterOutcome = <T>(answer: Promise<Response>, subject: T, answered: OnResponse<T>, failed: OnError<T>): Promise<Response> =>
  answer.then(
    (response) => answered(subject, response),
    (error: unknown) => failed(subject, error),
  )

/** An OnError for filters that only look at responses. */
export const rethrow = (_subject: unknown, error: unknown): never => {
  throw error
}

/** Wraps the handler in the filters, the first one outermost. */
export function compose(filters: readonly Filter[], handler: Handler): Handler {
  return filters.reduceRight<Handler>((next, filter) => (exchange) => filter(exchange, next), handler)
}
