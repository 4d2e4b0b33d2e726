import { selectorMatches } from '../resources/meta/selector-match.ts'
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
  const sorted = [...allRoles]
    .filter(({ metadata }) => metadata.name !== role.metadata.name)
    .sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
  const rules = new Map<string, PolicyRule>()
  for (const selector of role.aggregationRule.clusterRoleSelectors ?? []) {
    for (const { metadata, rules: own } of sorted) {
      if (!selectorMatches(selector as Parameters<typeof selectorMatches>[0], metadata.labels ?? {})) continue
      for (const rule of own ?? []) rules.set(identity(rule), rules.get(identity(rule)) ?? rule)
    }
  }
  return [...rules.values()]
}

const identity = ({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule) =>
  JSON.stringify([verbs, apiGroups ?? [], resources ?? [], resourceNames ?? [], nonResourceURLs ?? []])
