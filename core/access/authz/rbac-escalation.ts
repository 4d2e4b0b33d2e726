import type { User } from '../../request/exchange.ts'
import { covers } from './rbac-covers.ts'
import type { PolicyRule } from './rbac-rule.ts'

/** Upper bound of the rules of a role with an aggregation rule. */
export const fullAuthority: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]

/** Prints a list of quoted words as the reference server does: `["a" "b"]`. */
const words = (list: readonly string[]) => `[${list.map((word) => JSON.stringify(word)).join(' ')}]`

const parts = [
  ['APIGroups', 'apiGroups'],
  ['Resources', 'resources'],
  ['NonResourceURLs', 'nonResourceURLs'],
  ['ResourceNames', 'resourceNames'],
  ['Verbs', 'verbs'],
] as const

function describe(rule: PolicyRule): string {
  const shown = parts.flatMap(([label, key]) => {
    const list = rule[key] ?? []
    return list.length === 0 ? [] : [`${label}:${words(list)}`]
  })
  return `{${shown.join(', ')}}`
}

/** Joins atoms that differ only in their verb. */
function compact(rules: readonly PolicyRule[]): PolicyRule[] {
  const joined = new Map<string, PolicyRule>()
  for (const rule of rules) {
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames, rule.nonResourceURLs?.concat(rule.verbs)])
    const known = joined.get(key)
    joined.set(key, known === undefined ? rule : { ...known, verbs: [...known.verbs, ...rule.verbs] })
  }
  return [...joined.values()]
}

/**
 * Error text for a privilege escalation: the user does not hold all of these rules. Undefined when there is none.
 * Members of `system:masters` and users with the verb `escalate` (or `bind`, for bindings) are exempt.
 */
export function escalation(
  user: User,
  held: { readonly rules: readonly PolicyRule[]; readonly problems: readonly string[] },
  granted: readonly PolicyRule[],
): string | undefined {
  const missing = covers(held.rules, granted)
  if (missing.length === 0) return undefined
  const lines = [...new Set(compact(missing).map(describe))].sort()
  const problems = held.problems.length === 0 ? '' : `; resolution errors: [${held.problems.join(', ')}]`
  return `user ${JSON.stringify(user.name)} (groups=${words(user.groups)}) is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}${problems}`
}
