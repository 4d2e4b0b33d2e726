import type { AdmissionAttributes, GroupVersionResource, ServedVersion } from '../attributes.ts'
import { isNamespace, namespaceOf } from '../namespace-of.ts'

/** admissionregistration/v1 RuleWithOperations, and `resourceNames` of NamedRuleWithOperations; absent or empty: all names. */
export interface Rule {
  readonly operations: readonly string[]
  readonly apiGroups: readonly string[]
  readonly apiVersions: readonly string[]
  readonly resources: readonly string[]
  readonly scope?: string
  readonly resourceNames?: readonly string[]
}

/** The version in which a webhook or policy gets the request. */
export type Invocation = ServedVersion

const includes = (items: readonly string[], wanted: string) => items.includes('*') || items.includes(wanted)

/** Matches `pods`, `pods/status`, `pods/*`, `*` (no subresources) and `*` with subresources. */
function namesResource(pattern: string, resource: string, subresource: string): boolean {
  const slash = pattern.indexOf('/')
  const [name, below] = slash === -1 ? [pattern, ''] : [pattern.slice(0, slash), pattern.slice(slash + 1)]
  return (name === '*' || name === resource) && (below === '*' || below === subresource)
}

function inScope({ scope = '*' }: Rule, attributes: AdmissionAttributes): boolean {
  if (scope === '*') return true
  // Namespace objects are cluster-scoped, although their requests have them as namespace.
  const cluster = isNamespace(attributes) || namespaceOf(attributes) === ''
  return scope === 'Cluster' ? cluster : scope === 'Namespaced' && !cluster
}

const namesObject = ({ resourceNames = [] }: Rule, name: string) => resourceNames.length === 0 || resourceNames.includes(name)

/** Whether the rule matches the operation on some objects of this version of the resource. */
function concernsResource(rule: Rule, attributes: AdmissionAttributes, { group, version, resource }: GroupVersionResource): boolean {
  return (
    includes(rule.operations, attributes.operation) &&
    includes(rule.apiGroups, group) &&
    includes(rule.apiVersions, version) &&
    rule.resources.some((pattern) => namesResource(pattern, resource, attributes.subresource))
  )
}

/** Whether the rule matches the operation on this object, in this version of the resource. */
const matchesRule = (rule: Rule, attributes: AdmissionAttributes, resource: GroupVersionResource): boolean =>
  concernsResource(rule, attributes, resource) && inScope(rule, attributes) && namesObject(rule, attributes.name)

/** Whether the rules match requests of this operation on the resource, in the requested version or (`equivalent`) any version. */
export function concerns(rules: readonly Rule[], equivalent: boolean, attributes: AdmissionAttributes): boolean {
  const resources = equivalent ? attributes.versions.all().map(({ resource }) => resource) : []
  return rules.some((rule) => [attributes.resource, ...resources].some((each) => concernsResource(rule, attributes, each)))
}

const same = (a: GroupVersionResource, b: GroupVersionResource) =>
  a.group === b.group && a.version === b.version && a.resource === b.resource

/** The version to use: the requested one if the rules match it, or an equivalent one (matchPolicy Equivalent); undefined: no match. */
export function invocationOf(rules: readonly Rule[], equivalent: boolean, attributes: AdmissionAttributes): Invocation | undefined {
  const { resource, kind, versions } = attributes
  for (const rule of rules) if (matchesRule(rule, attributes, resource)) return { resource, kind }
  if (!equivalent) return undefined
  const others = versions.all().filter((each) => !same(each.resource, resource))
  if (others.length === 0) return undefined
  for (const rule of rules) {
    const found = others.find((each) => matchesRule(rule, attributes, each.resource))
    if (found) return found
  }
  return undefined
}
