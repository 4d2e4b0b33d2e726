import type { Exchange } from '../request/exchange.ts'

/** A plain value when nothing had to be waited for: a promise costs a request more than most filters do. */
export type Answer = Response | Promise<Response>

/** Answers an exchange. Throws, or rejects with, what is to become a Status. */
export type Handler = (exchange: Exchange) => Answer

/** One layer around everything that follows it in the chain. */
export type Filter = (exchange: Exchange, next: Handler) => Answer

/** The handler with the filters around it, the first one outermost. */
export function compose(filters: readonly Filter[], handler: Handler): Handler {
  return filters.reduceRight<Handler>((next, filter) => (exchange) => filter(exchange, next), handler)
}
