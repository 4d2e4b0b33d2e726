import { type Authentication, AuthenticationError, type Authenticator } from '../access/authn/authenticator.ts'
import { credentialHeaders } from '../access/authn/credentials.ts'
import { anonymousUser, unauthenticatedGroup } from '../access/authn/groups.ts'
import type { Attempted } from '../access/authn/metrics.ts'
import type { RequestHeaders } from '../access/authn/request-header.ts'
import { deleteHeaders, hasHeader } from '../answers/light-headers.ts'
import { unauthorized } from '../answers/status.ts'
import { append } from '../common/lists.ts'
import type { MaybePromise } from '../common/maybe-promise.ts'
import type { Clock, Logger } from '../ports.ts'
import type { Exchange, User } from '../request/exchange.ts'
import { LightRequest } from '../request/light-request.ts'
import type { Filter, Handler } from './filter.ts'
import type { Passed } from './metrics.ts'

export interface AuthenticationOptions {
  readonly authenticator: Authenticator
  readonly attempted: Attempted
  readonly passed: Passed
  readonly clock: Clock
  readonly logger: Logger
  /** Request headers of front proxies in addition to the standard ones; they are removed from every request. */
  readonly frontProxyHeaders?: RequestHeaders
}

const isAnonymous = ({ name, groups }: User) => name === anonymousUser || groups.includes(unauthenticatedGroup)

/**
 * Authenticates the caller and removes the credentials from the request. Answers 401 without a reason when no method succeeds; the reason
 * is logged.
 */
export function authentication({ authenticator, attempted, passed, clock, logger, frontProxyHeaders }: AuthenticationOptions): Filter {
  const isCredential = credentialHeaders(frontProxyHeaders)

  const refuse = (exchange: Exchange, error: unknown, took: number): never => {
    attempted('error', took)
    exchange.unidentified = true
    if (!(error instanceof AuthenticationError)) throw error
    logger.warn({ auditId: exchange.auditId, error: error.message }, 'unable to authenticate the request')
    throw unauthorized()
  }
  const identify = (exchange: Exchange, found: Authentication, took: number): MaybePromise<void> | undefined => {
    if (found === undefined) {
      attempted('failure', took)
      exchange.unidentified = true
      throw unauthorized()
    }
    attempted('success', took, found.user.name)
    passed(took)
    // The listener, which knows the request as it came, holds less for those of unknown users.
    exchange.unidentified = isAnonymous(found.user)
    if (!exchange.unidentified) LightRequest.identified(exchange.request)
    if (hasHeader(exchange.request.headers, isCredential)) exchange.request = without(exchange, isCredential)
    exchange.user = found.user
    if (found.bySubprotocol) exchange.bySubprotocol = true
    if (found.warnings) append(exchange.warnings, found.warnings)
    if (found.annotations) for (const [key, value] of Object.entries(found.annotations)) exchange.annotations.set(key, value)
    return exchange.observer?.authenticated()
  }
  /** Continues when authentication needs I/O. */
  const wait = async (exchange: Exchange, found: Promise<Authentication>) => {
    const began = clock.monotonic()
    const late = await found.catch((error: unknown) => refuse(exchange, error, clock.monotonic() - began))
    await identify(exchange, late, clock.monotonic() - began)
  }

  const after = (identified: Promise<void>, exchange: Exchange, next: Handler) => identified.then(() => next(exchange))

  return (exchange, next) => {
    let found: ReturnType<Authenticator['authenticate']>
    try {
      found = authenticator.authenticate(exchange.request, exchange.connection, exchange)
    } catch (error) {
      return refuse(exchange, error, 0)
    }
    const identified = found instanceof Promise ? wait(exchange, found) : identify(exchange, found, 0)
    return identified instanceof Promise ? after(identified, exchange, next) : next(exchange)
  }
}

/**
 * The request without the headers that carry credentials. A request from a connection is changed in place; an in-process caller may reuse its
 * request, so that one is copied.
 */
function without({ request, connection }: Exchange, isCredential: (name: string) => boolean): Request {
  const own = connection.protocol !== 'in-process'
  const headers = own ? request.headers : new Headers(request.headers)
  deleteHeaders(headers, isCredential)
  // Without a signal: a copy that follows another signal is expensive, and the exchange has the signal already.
  return own ? request : new Request(request, { headers, signal: null })
}
