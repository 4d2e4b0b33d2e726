import type { Authenticator } from '../authn/authenticator.ts'
import type { Authorizer } from '../authz/authorizer.ts'
import type { Platform } from '../platform.ts'
import type { Clock, Logger } from '../ports.ts'
import type { Negotiator } from '../request/negotiate.ts'
import { authentication } from './authentication.ts'
import { authorization } from './authorization.ts'
import { deadline } from './deadline.ts'
import type { Filter } from './filter.ts'
import { goaway } from './goaway.ts'
import { cors, hsts } from './headers.ts'
import { impersonation } from './impersonation.ts'
import { inFlight } from './in-flight.ts'
import { recover } from './recover.ts'

export interface FilterOptions {
  readonly clock: Clock
  readonly logger: Logger
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  readonly platform: Platform
  readonly negotiator: Negotiator
  /** Milliseconds. */
  readonly requestTimeout: number
  readonly maxReadOnlyInFlight: number
  readonly maxMutatingInFlight: number
  /** Absent: no cross-origin requests. */
  readonly corsAccepts?: (origin: string) => boolean
  readonly hstsDirectives: readonly string[]
  /** Share of requests over HTTP/2 that end their connection, 0 to 0.02. */
  readonly goawayChance: number
}

/** All filters in the order in which a request passes them, outermost first. */
export function filters(options: FilterOptions): readonly Filter[] {
  const { clock, logger } = options
  return [
    recover(logger, options.negotiator),
    ...(options.hstsDirectives.length > 0 ? [hsts(options.hstsDirectives)] : []),
    ...(options.corsAccepts ? [cors(options.corsAccepts)] : []),
    ...(options.goawayChance > 0 ? [goaway(options.goawayChance)] : []),
    deadline(clock, options.requestTimeout),
    authentication(options.authenticator, logger),
    impersonation(options.authorizer, options.platform),
    inFlight({ readOnly: options.maxReadOnlyInFlight, mutating: options.maxMutatingInFlight }),
    authorization(options.authorizer),
  ]
}
