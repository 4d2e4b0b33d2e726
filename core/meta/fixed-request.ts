import type { Exchange, ExchangeObserver } from '../request/exchange.ts'

/** A request to a fixed path. */
export interface FixedRequest {
  readonly request: Request
  /** Percent-decoded, as authorization saw it. */
  readonly path: string
  readonly query: URLSearchParams
  /** Records the request. */
  readonly observer?: ExchangeObserver
  /** Absent: the request has passed no filters. */
  readonly exchange?: Exchange
}

export type Respond = (request: FixedRequest) => Response | Promise<Response> | undefined

/** A fixed path. */
export interface FixedPath {
  readonly path: string
  /** Whether it also handles all paths below. */
  readonly below?: true
  /** A web service of the reference: with or without trailing slash, only GET, in this media type. The other paths serve all methods. */
  readonly service?: string
  readonly respond: Respond
}
