/** Rules of a user, as far as authorizers can list them. */

/** authorization/v1 SubjectRulesReviewStatus. */
export interface SubjectRules {
  readonly resourceRules: readonly {
    readonly verbs: readonly string[]
    readonly apiGroups?: readonly string[]
    readonly resources?: readonly string[]
    readonly resourceNames?: readonly string[]
  }[]
  readonly nonResourceRules: readonly { readonly verbs: readonly string[]; readonly nonResourceURLs?: readonly string[] }[]
  readonly incomplete: boolean
  readonly evaluationError?: string
}

export const noRules: SubjectRules = { resourceRules: [], nonResourceRules: [], incomplete: false }

/** Rules of an authorizer that can't list them: none, and incomplete. */
export const unlistedRules = (authorizer: string): SubjectRules => ({
  ...noRules,
  incomplete: true,
  evaluationError: `${authorizer} authorizer does not support user rule resolution`,
})

/** Several errors as one text: `[a, b]`. */
export function aggregate(problems: readonly string[]): string {
  const texts = [...new Set(problems)]
  return texts.length === 1 ? String(texts[0]) : `[${texts.join(', ')}]`
}

export function mergeRules(all: readonly SubjectRules[]): SubjectRules {
  const problems = all.flatMap(({ evaluationError }) => evaluationError ?? [])
  return {
    resourceRules: all.flatMap(({ resourceRules }) => resourceRules),
    nonResourceRules: all.flatMap(({ nonResourceRules }) => nonResourceRules),
    incomplete: all.some(({ incomplete }) => incomplete),
    ...(problems.length > 0 && { evaluationError: aggregate(problems) }),
  }
}
