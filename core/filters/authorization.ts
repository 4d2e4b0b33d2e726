import { type Authorizer, attributesOf, type Decision } from '../authz/authorizer.ts'
import { deniedError } from '../authz/forbidden.ts'
import type { Exchange, Verdict } from '../request/exchange.ts'
import { internalError } from '../respond/status.ts'
import type { Answer, Filter, Handler } from './filter.ts'

const verdictOf = ({ verdict, error }: Decision): Verdict => (verdict === 'allow' ? 'allow' : error === undefined ? 'forbid' : 'error')

/** Answers 403 unless the authorizer allows the request; 500 when the decision failed with an error. */
export function authorization(authorizer: Authorizer): Filter {
  const proceed = (decision: Decision, exchange: Exchange, next: Handler): Answer => {
    exchange.observer?.authorized(verdictOf(decision), decision.reason)
    if (decision.verdict === 'allow') return next(exchange)
    if (decision.error !== undefined) throw internalError(decision.error)
    throw deniedError(attributesOf(exchange.user, exchange.info), decision.reason)
  }
  return (exchange, next) => {
    const decision = authorizer.authorize(attributesOf(exchange.user, exchange.info), exchange)
    return decision instanceof Promise ? decision.then((late) => proceed(late, exchange, next)) : proceed(decision, exchange, next)
  }
}
