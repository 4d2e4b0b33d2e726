import { selectorMatches } from '../../resources/meta/selector-match.ts'
import type { RoleObject } from './rbac-index.ts'
import type { PolicyRule } from './rbac-rule.ts'

/** metav1.LabelSelector. */
export interface LabelSelector {
  readonly matchLabels?: { readonly [key: string]: string } | null
  readonly matchExpressions?:
    | readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] | null }[]
    | null
}

export interface ClusterRoleObject extends RoleObject {
  readonly metadata: { readonly name?: string; readonly labels?: { readonly [key: string]: string } }
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelector[] | null } | null
}

/**
 * The rules of an aggregated cluster role: those of the roles that its selectors match, ordered by selector and then by
 * name, without duplicates. A role without an aggregation rule keeps its own rules.
 */
export function aggregate(role: ClusterRoleObject, allRoles: Iterable<ClusterRoleObject>): readonly PolicyRule[] {
  if (role.aggregationRule == null) return role.rules ?? []
  // Sorts the selected roles only, which are few.
  const sorted = [...allRoles]
    .filter((each) => selects(role, each))
    .sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
  const rules = new Map<string, PolicyRule>()
  for (const selector of role.aggregationRule.clusterRoleSelectors ?? []) {
    for (const { metadata, rules: own } of sorted) {
      if (!matches(selector, metadata.labels)) continue
      for (const rule of own ?? []) rules.set(identity(rule), rules.get(identity(rule)) ?? rule)
    }
  }
  return [...rules.values()]
}

const matches = (selector: LabelSelector, labels: { readonly [key: string]: string } = {}) =>
  selectorMatches(selector as Parameters<typeof selectorMatches>[0], labels)

/** Whether an aggregated role has the rules of this other role. */
export const selects = ({ aggregationRule, metadata: { name } }: ClusterRoleObject, { metadata }: ClusterRoleObject): boolean =>
  metadata.name !== name && (aggregationRule?.clusterRoleSelectors ?? []).some((selector) => matches(selector, metadata.labels))

const identity = ({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule) =>
  JSON.stringify([verbs, apiGroups ?? [], resources ?? [], resourceNames ?? [], nonResourceURLs ?? []])
