import type { Attributes } from './authorizer.ts'

/** rbac/v1 PolicyRule. Absent and null lists are empty. */
export interface PolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[] | null
  readonly resources?: readonly string[] | null
  readonly resourceNames?: readonly string[] | null
  readonly nonResourceURLs?: readonly string[] | null
}

const none: readonly string[] = []
const has = (list: readonly string[], item: string) => list.includes('*') || list.includes(item)

/** Removes the stars at the end of a pattern. */
export function withoutStars(pattern: string): string {
  let end = pattern.length
  while (pattern[end - 1] === '*') end--
  return pattern.slice(0, end)
}

/** Whether a pattern of nonResourceURLs (`*`, `/healthz`, `/api/*`) matches a path. */
export function matchesPath(pattern: string, path: string): boolean {
  if (pattern === '*' || pattern === path) return true
  return pattern.endsWith('*') && path.startsWith(withoutStars(pattern))
}

/** The rules of one role, indexed by resource, so that a decision reads only the relevant ones. */
export class RuleSet {
  readonly rules: readonly PolicyRule[]
  readonly #byResource = new Map<string, PolicyRule[]>()
  readonly #paths: PolicyRule[] = []

  constructor(rules: readonly PolicyRule[]) {
    this.rules = rules
    for (const rule of rules) {
      if ((rule.nonResourceURLs ?? none).length > 0) this.#paths.push(rule)
      for (const resource of new Set(rule.resources ?? none)) {
        const list = this.#byResource.get(resource)
        if (list === undefined) this.#byResource.set(resource, [rule])
        else list.push(rule)
      }
    }
  }

  /** `combined` is the resource with its subresource: `pods/log`. */
  allows(attributes: Attributes, combined: string): boolean {
    if (!attributes.isResource) {
      return this.#paths.some(
        ({ verbs, nonResourceURLs }) =>
          has(verbs, attributes.verb) && (nonResourceURLs ?? none).some((pattern) => matchesPath(pattern, attributes.path)),
      )
    }
    return (
      this.#some(combined, attributes) ||
      this.#some('*', attributes) ||
      (attributes.subresource !== '' && this.#some(`*/${attributes.subresource}`, attributes))
    )
  }

  #some(resource: string, { verb, group, name }: Attributes): boolean {
    const rules = this.#byResource.get(resource)
    if (rules === undefined) return false
    for (const rule of rules) {
      if (!has(rule.verbs, verb) || !has(rule.apiGroups ?? none, group)) continue
      const names = rule.resourceNames ?? none
      if (names.length === 0 || names.includes(name)) return true
    }
    return false
  }
}
