import { type PolicyRule, withoutStars } from './rbac-rule.ts'

/** A rule that breaks down into more atoms than this is compared as a whole, which bounds the cost of a request. */
const maxAtoms = 20_000

/** Maximum comparisons of requested items with rules that the user holds. Items beyond it count as not covered. */
const maxCompared = 2_000_000

const none: readonly string[] = []

/** Membership test for a list. After a few calls it builds a set: a rule can have a hundred thousand items. */
function isIn(list: readonly string[] | null | undefined): (item: string) => boolean {
  const items = list ?? none
  let known: ReadonlySet<string> | undefined
  let asked = 0
  return (item) => {
    if (known === undefined && ++asked > 8) known = new Set(items)
    return known ? known.has(item) : items.includes(item)
  }
}

/** Test for a path in a list, where patterns end in a star. Patterns are indexed by length. */
function isPathIn(list: readonly string[] | null | undefined): (path: string) => boolean {
  const isOwned = isIn(list)
  const prefixes = new Set((list ?? none).filter((path) => path.endsWith('*')).map(withoutStars))
  const lengths = [...new Set([...prefixes].map((prefix) => prefix.length))]
  return (path) => isOwned(path) || lengths.some((length) => length <= path.length && prefixes.has(path.slice(0, length)))
}

/** Returns a test for whether `owner` covers a rule completely. */
function coverage(owner: PolicyRule): (servant: PolicyRule) => boolean {
  const isVerb = isIn(owner.verbs)
  const isGroup = isIn(owner.apiGroups)
  const isResource = isIn(owner.resources)
  const isName = isIn(owner.resourceNames)
  const isPath = isPathIn(owner.nonResourceURLs)
  const hasNames = (owner.resourceNames ?? none).length > 0
  const all = (isOwned: (item: string) => boolean, wanted: readonly string[]) => isOwned('*') || wanted.every(isOwned)
  const ownsResource = (resource: string) => {
    const slash = resource.indexOf('/')
    return isResource(resource) || (slash >= 0 && isResource(`*${resource.slice(slash)}`))
  }
  return ({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }) => {
    const names = resourceNames ?? none
    return (
      (!hasNames || (names.length > 0 && names.every(isName))) &&
      all(isVerb, verbs) &&
      all(isGroup, apiGroups ?? none) &&
      (isResource('*') || (resources ?? none).every(ownsResource)) &&
      (nonResourceURLs ?? none).every(isPath)
    )
  }
}

/** Breaks a rule down into atoms: one verb with one resource (and at most one name) or one path each. */
function* atoms(rule: PolicyRule): Generator<PolicyRule> {
  for (const group of rule.apiGroups ?? none) {
    for (const resource of rule.resources ?? none) {
      for (const verb of rule.verbs) {
        const atom = { verbs: [verb], apiGroups: [group], resources: [resource] }
        if ((rule.resourceNames ?? none).length === 0) yield atom
        else for (const name of rule.resourceNames ?? none) yield { ...atom, resourceNames: [name] }
      }
    }
  }
  for (const path of rule.nonResourceURLs ?? none) for (const verb of rule.verbs) yield { verbs: [verb], nonResourceURLs: [path] }
}

function atomCount({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): number {
  const perVerb = (apiGroups ?? none).length * (resources ?? none).length * Math.max(1, (resourceNames ?? none).length)
  return verbs.length * (perVerb + (nonResourceURLs ?? none).length)
}

type Covers = (servant: PolicyRule) => boolean

/** Selects the owner rules that may cover a rule, by its first resource or path. */
function candidates(ownerRules: readonly PolicyRule[]): (servant: PolicyRule) => readonly (readonly Covers[])[] {
  const byResource = new Map<string, Covers[]>()
  const byPath: Covers[] = []
  for (const owner of ownerRules) {
    const covers = coverage(owner)
    if ((owner.nonResourceURLs ?? none).length > 0) byPath.push(covers)
    for (const resource of new Set(owner.resources ?? none)) {
      const own = byResource.get(resource)
      if (own === undefined) byResource.set(resource, [covers])
      else own.push(covers)
    }
  }
  const of = (resource: string) => byResource.get(resource) ?? []
  return ({ resources }) => {
    const [first] = resources ?? none
    if (first === undefined) return [byPath]
    const slash = first.indexOf('/')
    return [of('*'), of(first), slash < 0 ? [] : of(`*${first.slice(slash)}`)]
  }
}

const sizeOf = ({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule) =>
  [verbs, apiGroups, resources, resourceNames, nonResourceURLs].reduce((sum, list) => sum + (list ?? none).length, 0)

/** The part of the servant rules that the owner rules don't cover, as atoms; empty when all is covered. */
export function covers(ownerRules: readonly PolicyRule[], servantRules: readonly PolicyRule[]): PolicyRule[] {
  const missing: PolicyRule[] = []
  const candidatesFor = candidates(ownerRules)
  let compared = 0
  const isCovered = (rule: PolicyRule) => {
    const size = sizeOf(rule)
    for (const owners of candidatesFor(rule))
      for (const covers of owners) {
        if (compared > maxCompared) return false
        compared += size
        if (covers(rule)) return true
      }
    return false
  }
  let budget = maxAtoms
  for (const servant of servantRules) {
    if (atomCount(servant) > 0 && isCovered(servant)) continue
    budget -= atomCount(servant)
    if (budget < 0 || compared > maxCompared) {
      missing.push(servant)
      continue
    }
    for (const atom of atoms(servant)) if (!isCovered(atom)) missing.push(atom)
  }
  return missing
}
