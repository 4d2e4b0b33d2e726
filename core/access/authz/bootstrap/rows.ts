import type { FeatureGate } from '../../../config/feature-gates.ts'
import type { PolicyRule } from '../rbac-rule.ts'

/** Exists only while all these gates are on. */
export interface GatedRow {
  readonly gates?: readonly FeatureGate[]
}

export interface RuleRow extends PolicyRule, GatedRow {
  /** URLs of the rule that it has only while their gate is on. */
  readonly gatedUrls?: { readonly [url: string]: FeatureGate }
}

/**
 * Rows of the default roles and bindings. Strings may have the placeholders `<domain>`, `<labels>`, `<component>` (product word of
 * component names), `<system>` and `<public>` (namespaces), which `bootstrapRbac` resolves.
 */
export interface RoleRow extends GatedRow {
  readonly name: string
  /** Absent: a ClusterRole. */
  readonly namespace?: string
  readonly rules?: readonly RuleRow[]
  /** Cluster role that aggregates these rules: `view` sets the label `aggregate-to-view`. */
  readonly aggregateTo?: string
  /** Aggregates the rules of cluster roles with the label `aggregate-to-` plus this word. */
  readonly aggregates?: string
}

export interface BindingRow extends GatedRow {
  readonly name: string
  /** Absent: a ClusterRoleBinding. */
  readonly namespace?: string
  /** Name of the Role or ClusterRole of the same scope; default: the name of the binding. */
  readonly role?: string
  readonly users?: readonly string[]
  readonly groups?: readonly string[]
  /** Names of service accounts in the system namespace. */
  readonly accounts?: readonly string[]
}

const list = (words: string) => words.split(' ').sort()

/** `verbs`, `groups`, `resources` and `names` are lists separated by spaces; `core` is the core group. */
export function rule(verbs: string, groups: string, resources: string, names?: string): PolicyRule {
  return {
    verbs: list(verbs),
    apiGroups: list(groups).map((group) => (group === 'core' ? '' : group)),
    resources: list(resources),
    ...(names !== undefined && { resourceNames: list(names) }),
  }
}

/** Rules that exist only while the gates are on. */
export const gated = (gates: readonly FeatureGate[], ...rules: readonly PolicyRule[]): RuleRow[] =>
  rules.map((each) => ({ ...each, gates }))

export const urls = (verbs: string, paths: string): PolicyRule => ({ verbs: list(verbs), nonResourceURLs: list(paths) })

export const read = 'get list watch'
export const write = 'create delete deletecollection patch update'
export const readWrite = `${read} ${write}`
export const readUpdate = `${read} patch update`
/** Permission to report events. */
export const events = rule('create patch update', 'core events.<domain>', 'events')
