import type { Platform } from '../../platform.ts'
import type { Enabled } from '../../schema/gated.ts'
import { bootstrapRbac } from './bootstrap/objects.ts'
import { type HasRules, RuleSet } from './rbac-rule.ts'

/** Rules that are the same for every node: those of the role `system:node`, created at the first use. */
export function nodeRuleSet(platform: Platform, enabled: Enabled): () => RuleSet {
  let made: RuleSet | undefined
  return () => {
    if (made === undefined) {
      const role = bootstrapRbac(platform, enabled).find(({ kind, metadata }) => kind === 'ClusterRole' && metadata.name === 'system:node')
      made = new RuleSet((role ?? {}) as HasRules)
    }
    return made
  }
}
