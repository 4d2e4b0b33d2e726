import type { Exchange } from '../request/exchange.ts'

/** A plain value unless something had to be awaited: a promise costs a request more than most filters do. */
export type Answer = Response | Promise<Response>

/** Answers an exchange. Throws, or rejects with, an error that becomes a Status. */
export type Handler = (exchange: Exchange) => Answer

/** A layer around the rest of the chain. */
export type Filter = (exchange: Exchange, next: Handler) => Answer

/** Wraps the handler in the filters, the first one outermost. */
export function compose(filters: readonly Filter[], handler: Handler): Handler {
  return filters.reduceRight<Handler>((next, filter) => (exchange) => filter(exchange, next), handler)
}
