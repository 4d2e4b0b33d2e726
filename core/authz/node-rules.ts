import type { Platform } from '../platform.ts'
import { bootstrapRbac } from './bootstrap/objects.ts'
import { type PolicyRule, RuleSet } from './rbac-rule.ts'

/** What every node may do: the rules of the role `system:node`, made at the first use. */
export function nodeRuleSet(platform: Platform): () => RuleSet {
  let made: RuleSet | undefined
  return () => {
    if (made === undefined) {
      const role = bootstrapRbac(platform).find(({ kind, metadata }) => kind === 'ClusterRole' && metadata.name === 'system:node')
      made = new RuleSet((role?.['rules'] ?? []) as unknown as readonly PolicyRule[])
    }
    return made
  }
}
