import type { TryOutcome } from '../webhook/call.ts'
import type { Authorizer, Decision } from './authorizer.ts'

/** Receives authorization events for metrics. `name` is the authorizer's name; times are in milliseconds. */
export interface AuthorizationObserver {
  /** An authorizer of this type allowed or denied a request; "no opinion" is not reported. */
  decided(type: string, name: string, decision: 'allowed' | 'denied'): void
  /** One round trip to a webhook ended. */
  called(name: string, outcome: TryOutcome, milliseconds: number): void
  /** A webhook failed and its failure policy is "no opinion". */
  failedOpen(name: string, outcome: TryOutcome): void
  /** Match conditions were evaluated: all true, one false, or an evaluation error. */
  matched(name: string, outcome: 'match' | 'excluded' | 'failed', milliseconds: number): void
  /** The graph of nodes changed, such as `AddPod`. */
  nodes(operation: string, milliseconds: number): void
}

/** Receives the decision on a request, and how many milliseconds it took. */
export type DecisionObserver = (decision: Decision, milliseconds: number) => void

const ignore = () => {}
export const unobserved: AuthorizationObserver = { decided: ignore, called: ignore, failedOpen: ignore, matched: ignore, nodes: ignore }

/** Reports the decisions of an authorizer. */
export function observed(type: string, name: string, authorizer: Authorizer, observer: AuthorizationObserver): Authorizer {
  const report = (decision: Decision): Decision => {
    if (decision.verdict !== 'no-opinion') observer.decided(type, name, decision.verdict === 'allow' ? 'allowed' : 'denied')
    return decision
  }
  return {
    ...authorizer,
    authorize(attributes, context) {
      const decision = authorizer.authorize(attributes, context)
      return decision instanceof Promise ? decision.then(report) : report(decision)
    },
  }
}
