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

/** What has rules; they may be decoded each time that they are read. */
export interface HasRules {
  readonly rules?: readonly PolicyRule[] | null | undefined
}

interface RuleIndex {
  readonly rules: readonly PolicyRule[]
  readonly byResource: ReadonlyMap<string, readonly PolicyRule[]>
  readonly paths: readonly PolicyRule[]
}

function indexed(rules: readonly PolicyRule[]): RuleIndex {
  const byResource = new Map<string, PolicyRule[]>()
  for (const rule of rules) {
    for (const resource of new Set(rule.resources ?? none)) {
      const list = byResource.get(resource)
      if (list === undefined) byResource.set(resource, [rule])
      else list.push(rule)
    }
  }
  return { rules, byResource, paths: rules.filter(({ nonResourceURLs }) => (nonResourceURLs ?? none).length > 0) }
}

/**
 * The rules of one role, indexed by resource, so that a decision reads only the relevant ones. The first decision reads them from the role: most
 * roles are granted to no user of a server.
 */
export class RuleSet {
  #role: HasRules | undefined
  #known: RuleIndex | undefined

  constructor(role: HasRules) {
    this.#role = role
  }

  get rules(): readonly PolicyRule[] {
    return this.#index.rules
  }

  get #index(): RuleIndex {
    this.#known ??= indexed(this.#role?.rules ?? [])
    this.#role = undefined
    return this.#known
  }

  /** `combined` is the resource with its subresource: `pods/log`. */
  allows(attributes: Attributes, combined: string): boolean {
    if (!attributes.isResource) {
      return this.#index.paths.some(
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
    const rules = this.#index.byResource.get(resource)
    if (rules === undefined) return false
    for (const rule of rules) {
      if (!has(rule.verbs, verb) || !has(rule.apiGroups ?? none, group)) continue
      const names = rule.resourceNames ?? none
      if (names.length === 0 || names.includes(name)) return true
    }
    return false
  }
}
