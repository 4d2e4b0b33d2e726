import type { TryOutcome } from '../outgoing/webhook/call.ts'
import type { Authorizer, Decision } from './authorizer.ts'

/** Receives authorization events for metrics. `name` is the authorizer's name; times are in milliseconds. */
export interface AuthorizationObserver {
  /** What counts the requests that an authorizer of this type allows or denies; "no opinion" is not counted. */
  decisionsOf(type: string, name: string): { readonly allow: () => void; readonly deny: () => void }
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
export const unobserved: AuthorizationObserver = {
  decisionsOf: () => ({ allow: ignore, deny: ignore }),
  called: ignore,
  failedOpen: ignore,
  matched: ignore,
  nodes: ignore,
}

/** Reports the decisions of an authorizer. */
export function observed(type: string, name: string, authorizer: Authorizer, observer: AuthorizationObserver): Authorizer {
  const count = observer.decisionsOf(type, name)
  const report = (decision: Decision): Decision => {
    if (decision.verdict !== 'no-opinion') count[decision.verdict]()
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
