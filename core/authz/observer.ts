import type { TryOutcome } from '../webhook/call.ts'
import type { Authorizer, Decision } from './authorizer.ts'

/** Is told what authorizers do; made into metrics elsewhere. `name` is the authorizer's own; times are in milliseconds. */
export interface AuthorizationObserver {
  /** An authorizer of this type settled a request; whoever had no opinion is not reported. */
  decided(type: string, name: string, decision: 'allowed' | 'denied'): void
  /** One round-trip to a webhook. */
  called(name: string, outcome: TryOutcome, milliseconds: number): void
  /** A webhook that failed left the decision to others. */
  failedOpen(name: string, outcome: TryOutcome): void
  /** Match conditions were evaluated: they hold, one is false, or some could not be evaluated. */
  matched(name: string, outcome: 'match' | 'excluded' | 'failed', milliseconds: number): void
}

const ignore = () => {}
export const unobserved: AuthorizationObserver = { decided: ignore, called: ignore, failedOpen: ignore, matched: ignore }

/** Reports what the authorizer settles. */
export function observed(type: string, name: string, authorizer: Authorizer, observer: AuthorizationObserver): Authorizer {
  const report = (decision: Decision): Decision => {
    if (decision.verdict !== 'no-opinion') observer.decided(type, name, decision.verdict === 'allow' ? 'allowed' : 'denied')
    return decision
  }
  return {
    ...authorizer,
    authorize(attributes) {
      const decision = authorizer.authorize(attributes)
      return decision instanceof Promise ? decision.then(report) : report(decision)
    },
  }
}
