import { type Authorizer, attributesOf, type Decision } from '../access/authz/authorizer.ts'
import { deniedError } from '../access/authz/forbidden.ts'
import type { decisionRows } from '../access/authz/metrics.ts'
import { internalServerError } from '../answers/plain-error.ts'
import { countedTime, type Recorded } from '../metrics.ts'
import type { Clock } from '../ports.ts'
import type { Exchange, Verdict } from '../request/exchange.ts'
import { targetOf } from '../request/target.ts'
import type { Answer, Filter, Handler } from './filter.ts'
import type { Passed } from './metrics.ts'

const verdictOf = ({ verdict, error }: Decision): Verdict => (verdict === 'allow' ? 'allow' : error === undefined ? 'forbid' : 'error')

/** Answers 403 unless the authorizer allows the request; 500 when the decision failed with an error. */
export function authorization(
  authorizer: Authorizer,
  metrics: Recorded<typeof decisionRows>,
  passed: Passed,
  clock: Pick<Clock, 'monotonic'>,
): Filter {
  const ended = (result: string) => countedTime(metrics.attempts, metrics.durations, [result])
  const results = { allow: ended('allowed'), deny: ended('denied'), 'no-opinion': ended('no-opinion') }
  const failed = ended('error')
  const proceed = (decision: Decision, took: number, exchange: Exchange, next: Handler): Answer => {
    const counted = decision.verdict !== 'allow' && decision.error !== undefined ? failed : results[decision.verdict]
    counted(took)
    exchange.observer?.authorized(verdictOf(decision), decision.reason)
    if (decision.verdict === 'allow') {
      passed(took)
      return next(exchange)
    }
    if (decision.error !== undefined) throw internalServerError(targetOf(exchange.request), decision.error)
    throw deniedError(attributesOf(exchange.user, exchange.info), decision.reason)
  }
  const wait = (decision: Promise<Decision>, exchange: Exchange, next: Handler): Answer => {
    const began = clock.monotonic()
    return decision.then((late) => proceed(late, clock.monotonic() - began, exchange, next))
  }
  return (exchange, next) => {
    const decision = authorizer.authorize(attributesOf(exchange.user, exchange.info), exchange)
    return decision instanceof Promise ? wait(decision, exchange, next) : proceed(decision, 0, exchange, next)
  }
}
