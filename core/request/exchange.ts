import type { Connection } from '../ports.ts'

/** Who makes a request (authentication/user.Info). */
export interface User {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: { readonly [key: string]: readonly string[] }
}

/** What a request is about, read from its method and URL alone (apiserver/pkg/endpoints/request.RequestInfo). */
export interface RequestInfo {
  /** False for paths outside `/api` and `/apis`, and for discovery below them. */
  readonly isResource: boolean
  /** Percent-decoded. */
  readonly path: string
  /** get list watch create update patch delete deletecollection; the lower-case method for non-resource paths. */
  readonly verb: string
  readonly group: string
  readonly version: string
  readonly namespace: string
  readonly resource: string
  readonly subresource: string
  readonly name: string
  /** Path elements from the resource on. */
  readonly parts: readonly string[]
  /** Where the path stands, as the table of routes numbers it (resources/routes.ts). */
  readonly position: number
  /** Lasts as long as its client wants: watches, and streams to and from somebody else. */
  readonly longRunning: boolean
  /** As given, for authorizers that look at selectors; only where the verb honours them. */
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

/** A place among the requests that are served at a time. Waiting for the client must not keep one from others. */
export interface Seat {
  /** Gives the place back for a while. */
  leave(): void
  /** Takes one again. Throws TooManyRequests when there is none. */
  take(): void
}

/** One request in flight and what the filters have found out about it, outermost first. */
export interface Exchange {
  /** The authentication filter takes the credentials off, which may make it another object: ask `signal` of the exchange, not of this. */
  request: Request
  readonly connection: Connection
  readonly query: URLSearchParams
  /** Identifies the request in audit events and in the `Audit-Id` header. */
  readonly auditId: string
  readonly info: RequestInfo
  /** Aborts when the client is gone, the deadline has passed or the server closes. */
  readonly signal: AbortSignal
  /** Its place among those that are served at a time; absent: it does not count. */
  seat?: Seat
  /** When it is to have ended, in milliseconds since the epoch; absent: it lasts as long as its client wants. */
  deadline?: number
  /** The deadline has passed, and the client was told so: what is not done yet is to be left. */
  readonly expired: boolean
  /** Whether the answer has the headers that every answer has, which the outermost filter adds otherwise. */
  traced?: boolean
  /** Set by the authentication filter; every later one may rely on it. */
  user: User
  /** Texts for `Warning: 299 - "…"` response headers (RFC 7234 5.5). */
  readonly warnings: string[]
  /** Audit annotations that filters, authorizers and admission leave. */
  readonly annotations: Map<string, string>
  /** Those that show parts of the request's body: for audit events of the levels Request and RequestResponse. */
  readonly requestAnnotations: Map<string, string>
  /** Ends the exchange with this error, at its deadline. */
  expire(error: Error): void
  /** Throws the error that the exchange has ended with. Called before anything is stored. */
  proceed(): void
}
