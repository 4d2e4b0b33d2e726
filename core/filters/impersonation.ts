import { authorizeImpersonation, impersonationModes } from '../access/authn/impersonation.ts'
import { readImpersonation } from '../access/authn/impersonation-headers.ts'
import { countedChecks, type ImpersonationMetrics, modeOf } from '../access/authn/impersonation-metrics.ts'
import { type Authorizer, attributesOf } from '../access/authz/authorizer.ts'
import type { Platform } from '../platform.ts'
import type { Clock } from '../ports.ts'
import type { Exchange, User } from '../request/exchange.ts'
import type { Answer, Filter, Handler } from './filter.ts'
import type { Passed } from './metrics.ts'

/**
 * Runs the request as the user of the `Impersonate-*` headers when the caller may impersonate that user; `constrained` adds the modes of
 * KEP-5284, whose use `metrics` count.
 */
export function impersonation(
  authorizer: Authorizer,
  platform: Platform,
  constrained: boolean,
  metrics: ImpersonationMetrics,
  passed: Passed,
  clock: Pick<Clock, 'monotonic'>,
): Filter {
  const asked = constrained ? countedChecks(authorizer, metrics, clock) : authorizer
  const attempted = (mode: string, allowed: boolean, began: number) => {
    // As in the reference, which has no metrics of the original implementation.
    if (!constrained) return
    const labels = [mode, allowed ? 'allowed' : 'denied'] as const
    metrics.attempts.add(labels)
    metrics.attemptDurations.observe(labels, (clock.monotonic() - began) / 1000)
  }
  function impersonate(exchange: Exchange, next: Handler, wanted: User): Answer {
    const attributes = attributesOf(exchange.user, exchange.info)
    const modes = impersonationModes(wanted, attributes, platform, constrained)
    const began = clock.monotonic()
    return authorizeImpersonation(modes, asked, exchange).then(
      ({ user, constraint }) => {
        attempted(modeOf(constraint), true, began)
        passed(clock.monotonic() - began)
        exchange.user = user
        exchange.observer?.impersonated(user, constraint)
        return next(exchange)
      },
      (error: unknown) => {
        attempted('', false, began)
        throw error
      },
    )
  }
  return (exchange, next) => {
    const wanted = readImpersonation(exchange.request.headers)
    if (wanted !== undefined) return impersonate(exchange, next, wanted)
    passed(0)
    return next(exchange)
  }
}
