/** Matches requests against a policy or binding (admissionregistration/v1 MatchResources). */

import { ApiError } from '../../answers/status.ts'
import type { MatchResources } from '../../resources/admissionregistration/match.ts'
import type { Infer } from '../../schema/model.ts'
import type { AdmissionAttributes } from '../attributes.ts'
import type { Lookup } from '../lookup.ts'
import { concerns, type Invocation, invocationOf, type Rule } from '../matching/rules.ts'
import { matchesNamespaceSelector, matchesObjectSelector, readSelector } from '../matching/selectors.ts'

/** The version in which the policy gets the request; undefined: no match; an error: not decidable. */
export type Match = Invocation | ApiError | undefined

export interface Matcher {
  /** Whether it may match requests of this operation on this resource. */
  concerns(attributes: AdmissionAttributes): boolean
  match(attributes: AdmissionAttributes, lookup: Pick<Lookup, 'find'>): Match | Promise<Match>
}

/** Matches every request. */
export const everything: Matcher = { concerns: () => true, match: ({ resource, kind }) => ({ resource, kind }) }

/** Parses rules and selectors once. Without criteria everything matches. */
export function createMatcher(criteria: Infer<typeof MatchResources> | undefined): Matcher {
  if (criteria == null) return everything
  const { resourceRules, excludeResourceRules, matchPolicy } = criteria
  const rules = (resourceRules ?? []) as readonly Rule[]
  const excluded = (excludeResourceRules ?? []) as readonly Rule[]
  const equivalent = matchPolicy !== 'Exact'
  const namespaces = readSelector(criteria.namespaceSelector)
  const objects = readSelector(criteria.objectSelector)

  // Rules first, because they are cheap; a selector error counts only if everything else matches.
  function match(attributes: AdmissionAttributes, lookup: Pick<Lookup, 'find'>): Match | Promise<Match> {
    const { resource, kind } = attributes
    const invocation = rules.length === 0 ? { resource, kind } : invocationOf(rules, equivalent, attributes)
    if (invocation === undefined || (excluded.length > 0 && invocationOf(excluded, equivalent, attributes))) return undefined
    const object = matchesObjectSelector(objects, attributes)
    if (object === false) return undefined
    const settle = (namespace: boolean | ApiError): Match => {
      if (namespace === false) return undefined
      if (namespace instanceof ApiError) return namespace
      return object instanceof ApiError ? object : invocation
    }
    const namespace = matchesNamespaceSelector(namespaces, attributes, lookup)
    return namespace instanceof Promise ? namespace.then(settle) : settle(namespace)
  }

  return { concerns: (attributes) => rules.length === 0 || concerns(rules, equivalent, attributes), match }
}
