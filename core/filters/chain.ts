import type { Authenticator } from '../access/authn/authenticator.ts'
import type { Attempted } from '../access/authn/metrics.ts'
import type { RequestHeaders } from '../access/authn/request-header.ts'
import type { Authorizer } from '../access/authz/authorizer.ts'
import type { decisionRows } from '../access/authz/metrics.ts'
import type { RecorderContext } from '../audit/recorder.ts'
import type { FlowControl } from '../fairness/flow-control.ts'
import type { Recorded } from '../metrics.ts'
import type { Platform } from '../platform.ts'
import type { Clock, Connection, Logger, SharedLimits } from '../ports.ts'
import type { Negotiator } from '../request/negotiate.ts'
import type { ClusterSettings } from '../schema/model.ts'
import { audit } from './audit.ts'
import { authentication } from './authentication.ts'
import { authorization } from './authorization.ts'
import { deadline } from './deadline.ts'
import { fairness } from './fairness.ts'
import type { Filter } from './filter.ts'
import { endUnidentified, goaway } from './goaway.ts'
import { cors, hsts } from './headers.ts'
import { impersonation } from './impersonation.ts'
import { inFlight } from './in-flight.ts'
import { malformed } from './malformed.ts'
import { measure } from './measure.ts'
import type { RequestMetrics } from './metrics.ts'
import { type PathHandler, pathHandlers } from './path-handlers.ts'
import { recover } from './recover.ts'
import { requestLog } from './request-log.ts'
import type { Terminations } from './terminations.ts'
import { trace } from './trace.ts'
import { type BeginSpan, spanned, tracing } from './tracing.ts'
import { type WriteBarrier, writeBarrier } from './write-barrier.ts'

export interface FilterOptions {
  readonly clock: Clock
  readonly logger: Logger
  readonly authenticator: Authenticator
  readonly attempted: Attempted
  /** Headers in which front proxies name the user; absent: front proxies are not trusted. */
  readonly frontProxyHeaders: RequestHeaders | undefined
  readonly authorizer: Authorizer
  readonly decisions: Recorded<typeof decisionRows>
  readonly platform: Platform
  readonly negotiator: Negotiator
  /** Feature gates. */
  readonly settings: Pick<ClusterSettings, 'enabled'>
  readonly metrics: RequestMetrics
  readonly terminations: Terminations
  /** Connection of the server's own requests. */
  readonly own: Connection
  readonly traffic: {
    /** Milliseconds. */
    readonly requestTimeout: number
    readonly maxReadOnlyInFlight: number
    readonly maxMutatingInFlight: number
    /** Probability that a request over HTTP/2 closes its connection with GOAWAY, 0 to 0.02. */
    readonly goawayChance: number
  }
  readonly serving: {
    /** Absent: no CORS. */
    readonly corsAccepts?: (origin: string) => boolean
    readonly hstsDirectives: readonly string[]
  }
  /** Absent: the numbers of requests in flight are limited instead. */
  readonly control: FlowControl | undefined
  /** Limits that this server has together with others. */
  readonly limits: SharedLimits | undefined
  /** Absent: requests are not recorded. */
  readonly audit: RecorderContext | undefined
  /** Begins the span of a request; absent: requests are not traced. */
  readonly beginSpan: BeginSpan | undefined
  /** Answer what is below their paths. */
  readonly pathHandlers: readonly PathHandler[]
  /** Absent: no writes are held after the start. */
  readonly barrier: WriteBarrier | undefined
}

/** All filters in the order in which they run, outermost first. */
export function filters(options: FilterOptions): readonly Filter[] {
  const { clock, logger, beginSpan, own, traffic, serving } = options
  const constrained = options.settings.enabled('ConstrainedImpersonation')
  const impersonates = constrained ? 'constrainedimpersonation' : 'impersonation'
  const part = (name: string, filter: Filter) => (beginSpan ? spanned(name, filter) : filter)
  return [
    // Outermost: it measures whatever the others do.
    requestLog(logger, clock),
    // Before anything reads the request's parts.
    malformed,
    trace,
    // Headers of every response, also of those that the filters below make. CORS answers preflights, which have no credentials (Fetch 3.3).
    ...(serving.hstsDirectives.length > 0 ? [hsts(serving.hstsDirectives)] : []),
    ...(serving.corsAccepts ? [cors(serving.corsAccepts)] : []),
    // Outside of authentication: both look at the answer, and may end the connection with it.
    ...(traffic.goawayChance > 0 ? [goaway(traffic.goawayChance)] : []),
    ...(options.settings.enabled('UnauthenticatedHTTP2DOSMitigation') ? [endUnidentified] : []),
    // Outside of `recover` and `deadline`, so that a panic and a timeout are recorded with the answer that the client gets.
    ...(options.audit ? [audit(options.audit)] : []),
    // Outside of all that throws: the filters above see a response whatever happens.
    recover(logger, options.negotiator),
    // Before authentication: waiting for its webhooks is a part of the request's time.
    deadline(clock, traffic.requestTimeout, options.terminations),
    authentication({
      authenticator: options.authenticator,
      attempted: options.attempted,
      passed: options.metrics.passed('authentication'),
      clock,
      logger,
      ...(options.frontProxyHeaders && { frontProxyHeaders: options.frontProxyHeaders }),
    }),
    // After authentication: only callers in trusted groups continue their traces.
    tracing({ begin: beginSpan, clock, logger, own }),
    // After authentication, whose user they get. Before impersonation and seats, which are theirs to give.
    ...(options.pathHandlers.length > 0 ? [pathHandlers(options.pathHandlers, options.authorizer)] : []),
    // After authentication: the caller needs the permission. Before all that asks who the user is.
    part(
      impersonates,
      impersonation(
        options.authorizer,
        options.platform,
        constrained,
        options.metrics.impersonation,
        options.metrics.passed(impersonates),
        clock,
      ),
    ),
    // After impersonation: the flow is that of the user who is impersonated. Before authorization, so that its webhooks are called within seats.
    options.control
      ? part('priorityandfairness', fairness(options.control, options.terminations, options.metrics.passed('priorityandfairness'), clock))
      : inFlight(
          { readOnly: traffic.maxReadOnlyInFlight, mutating: traffic.maxMutatingInFlight },
          options.metrics.inflight,
          options.terminations,
          options.limits,
        ),
    // After impersonation, and inside of a seat: see above.
    part('authorization', authorization(options.authorizer, options.decisions, options.metrics.passed('authorization'), clock)),
    // After authorization: only writes that are allowed are told to wait.
    ...(options.barrier ? [writeBarrier(options.barrier, options.platform, own)] : []),
    // Innermost, as in the reference: what the filters above refuse is not counted.
    measure(options.metrics, clock, own),
  ]
}
