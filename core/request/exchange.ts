import type { FlowHeaders } from '../answers/headers.ts'
import type { Status } from '../answers/status.ts'
import type { MaybePromise } from '../common/maybe-promise.ts'
import type { Pauses, Slices } from '../common/slices.ts'
import type { Connection, Context, Span } from '../ports.ts'
import type { Queries } from './target.ts'

/** The caller of a request (authentication/user.Info). */
export interface User {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: { readonly [key: string]: readonly string[] }
}

/** A user's extra, with sorted keys: Go prints maps so. Undefined when there is none. */
export function sortedExtra({ extra = {} }: User): User['extra'] {
  const keys = Object.keys(extra).sort()
  return keys.length === 0 ? undefined : Object.fromEntries(keys.map((key) => [key, extra[key] as readonly string[]]))
}

/** Attributes derived from a request's method and URL (apiserver/pkg/endpoints/request.RequestInfo). */
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
  /** Path segments from the resource on. */
  readonly parts: readonly string[]
  /** Index of the route in the route table (resources/routes.ts). */
  readonly position: number
  /** Watches, proxied streams and other requests without a time limit. */
  readonly longRunning: boolean
  /** The path ends after `watch` or `proxy`. */
  readonly malformed?: true
  /** Selectors as given, for authorizers; only for verbs that honour them. */
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

/** A place among the concurrently served requests. Released while waiting for the client. */
export interface Seat {
  /** Releases the place: while the client sends the body, and for good when a watch has sent its initial events. */
  leave(): void
  /** Acquires a place again, or waits for one. Throws or rejects with TooManyRequests when none is free. */
  take(): MaybePromise<void>
}

/**
 * Is told what happens to one request, in this order. A filter that records requests sets it; absent, nothing is computed for it. Work that
 * continues after the deadline may still call it: what counts is what it was told when the response leaves `recover`.
 */
export interface ExchangeObserver {
  /** The exchange has its user. The request waits for the promise, and fails with its error. */
  authenticated(): MaybePromise<void>
  /** The request runs as this user from now on. `constraint`: the verb that allowed it (KEP-5284); empty for the original mode. */
  impersonated(user: User, constraint: string): void
  /** The authorizer's decision, with its reason. */
  authorized(verdict: Verdict, reason: string): void
  /** The object of the body: `json` prints it with its defaults. Delete options have no metadata. Call `json` at once: the object changes. */
  requested(metadata: RequestMetadata, json: () => string): void
  /** A patch, as the client sent it. */
  patched(body: Uint8Array): void
  /**
   * The object of the response, before it is encoded: `json` prints it in the requested version. `status`: it is this Status. Not called for
   * streams; again, if encoding fails.
   */
  responding(json: () => Uint8Array, status?: Status): void
  /** The handler failed for a reason that the client does not get. The response follows. */
  panicked(error: unknown): void
}

/** Outcome of authorization; `error`: no decision was possible. */
export type Verdict = 'allow' | 'forbid' | 'error'

/** What identifies the object of a body. */
export interface RequestMetadata {
  readonly name?: string
  readonly namespace?: string
  readonly uid?: string
  readonly resourceVersion?: string
}

/** What requests know about the life of the server. */
export interface Lifetime {
  /** Aborts when the server closes. Requests in flight have ended by then, unless they took too long. */
  readonly closing: AbortSignal
  /** Whether it has aborted. Does not create the signal. */
  readonly isClosing: boolean
  /** In which requests take turns on the thread. */
  readonly pauses: Pauses
  /** The queries of its requests; absent: none is kept. */
  readonly queries?: Queries
  /** Paths outside of the API whose requests are long-running; default: those that `requestInfo` knows. */
  readonly lasts?: ((path: string) => boolean) | undefined
  /** Calls `end` when the server shuts down, at once if it does already. The returned function unregisters it. */
  onShutdown(end: () => void): () => void
}

/** One request in flight, with what the filters determine about it. */
export interface Exchange extends Context {
  /** The authentication filter may replace it when it removes credentials: use `signal` of the exchange, not of the request. */
  request: Request
  readonly connection: Connection
  /** When the request was received, in milliseconds of the monotonic clock. */
  readonly received: number
  /** Milliseconds that the request has waited for a seat and for admission webhooks. */
  waited: number
  readonly query: URLSearchParams
  /** Identifies the request in audit events and in the `Audit-Id` header. */
  readonly auditId: string
  readonly info: RequestInfo
  /** Place among the concurrently served requests; absent: the request is exempt. */
  seat?: Seat
  observer?: ExchangeObserver | undefined
  /** What filters add to the line of the request in the log; absent: requests are not logged. */
  remarks?: Record<string, unknown>
  /** What priority and fairness took the request for; absent: it is not subject to it. */
  flow?: FlowHeaders | undefined
  /** Set by the deadline filter. */
  deadline?: number
  /** Set by the tracing filter, and by the verb while it runs. */
  span?: Span | undefined
  /**
   * The time slices of everything that is done for the request one after the other; they begin at the first use. Work that is done at once with other
   * work of the request has slices of its own.
   */
  readonly slices: Slices
  /** The deadline has passed and the client has its answer: remaining work must stop. */
  readonly expired: boolean
  /** A resource handles the request, on a server with CBOR: errors may have this form, too. */
  isHandled?: boolean
  /** Another server answers: its metrics count the request. */
  delegated?: true
  /** Whether the response already has the headers that the trace filter adds. */
  traced?: boolean
  /** Set by the authentication filter: a subprotocol of the WebSocket was the credential. */
  bySubprotocol?: true
  /** Set by the authentication filter: it refused the request, or its user is anonymous. Undefined until it has decided. */
  unidentified?: boolean
  /** Set by the authentication filter, for all later ones. */
  user: User
  /** Texts for `Warning: 299 - "…"` response headers (RFC 7234 5.5). */
  readonly warnings: string[]
  /** Audit annotations of filters, authorizers and admission. */
  readonly annotations: Map<string, string>
  /** Audit annotations that contain parts of the request's body: only for audit levels Request and RequestResponse. */
  readonly requestAnnotations: Map<string, string>
  /** Whether anything has asked for `annotations` or `requestAnnotations`; if not, there are none. */
  readonly annotated: boolean
  /**
   * For a request without a time limit: `end` is called when the server shuts down, and must end it in good order. The returned function
   * unregisters it.
   */
  onShutdown(end: () => void): () => void
  /**
   * For one part of a request without a time limit: `left` is called when the client leaves, at once if it has. It costs much less than `signal`,
   * of which thousands of open watches would have one each. The returned function unregisters it.
   */
  onLeave(left: () => void): () => void
  /** Ends the exchange with this error at its deadline. */
  expire(error: Error): void
  /** Throws the error that the exchange has ended with. Call it before storing anything. */
  proceed(): void
}
