import type { ExchangeObserver } from '../request/exchange.ts'

/** A request to a fixed path. */
export interface FixedRequest {
  readonly request: Request
  /** Percent-decoded, as authorization saw it. */
  readonly path: string
  readonly query: URLSearchParams
  /** Records the request. */
  readonly observer?: ExchangeObserver
}
