import type { User } from '../../request/exchange.ts'
import type { Authorizer, Decision } from './authorizer.ts'
import type { RbacIndex } from './rbac-index.ts'
import { aggregate, type SubjectRules } from './rules.ts'

export type { SubjectRules } from './rules.ts'

/** Formats the reason on demand. A class, because a getter in an object literal would create a hidden class per request. */
class Allowed implements Decision {
  readonly verdict = 'allow'
  readonly #allowedBy: () => string

  constructor(allowedBy: () => string) {
    this.#allowedBy = allowedBy
  }

  get reason(): string {
    return `RBAC: allowed by ${this.#allowedBy()}`
  }
}

const none: Decision = { verdict: 'no-opinion', reason: '' }

/** Mode RBAC. It never denies; it allows or has no opinion. */
export function rbacAuthorizer(index: RbacIndex): Authorizer {
  return {
    name: 'RBAC',
    authorize: (attributes) => {
      const outcome = index.decide(attributes)
      if ('allowedBy' in outcome) return new Allowed(outcome.allowedBy)
      return outcome.problems.length === 0 ? none : { verdict: 'no-opinion', reason: `RBAC: ${aggregate(outcome.problems)}` }
    },
    rulesFor: (user, namespace) => rulesFor(index, user, namespace),
  }
}

/** RBAC's part of a SelfSubjectRulesReview for this user. */
export function rulesFor(index: RbacIndex, user: User, namespace: string): SubjectRules {
  const { rules, problems } = index.rulesFor(user, namespace)
  return {
    resourceRules: rules.flatMap(({ verbs, apiGroups, resources, resourceNames }) =>
      resources != null && resources.length > 0
        ? [{ verbs, ...(apiGroups && { apiGroups }), resources, ...(resourceNames && { resourceNames }) }]
        : [],
    ),
    nonResourceRules: rules.flatMap(({ verbs, nonResourceURLs }) =>
      nonResourceURLs != null && nonResourceURLs.length > 0 ? [{ verbs, nonResourceURLs }] : [],
    ),
    incomplete: false,
    ...(problems.length > 0 && { evaluationError: aggregate(problems) }),
  }
}
