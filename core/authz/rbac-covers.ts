import { type PolicyRule, withoutStars } from './rbac-rule.ts'

/** A rule that breaks down into more atoms than this is compared as a whole: no request may cost more. */
const maxAtoms = 20_000

const none: readonly string[] = []

/** Tests for being in a list. For many questions it makes a set: a rule can have a hundred thousand items. */
function isIn(list: readonly string[], questions: number): (item: string) => boolean {
  if (questions < 8) return (item) => list.includes(item)
  const known = new Set(list)
  return (item) => known.has(item)
}

const all = (owned: readonly string[], wanted: readonly string[]) => owned.includes('*') || wanted.every(isIn(owned, wanted.length))

function resourcesCover(owned: readonly string[], wanted: readonly string[]): boolean {
  if (owned.includes('*')) return true
  const isOwned = isIn(owned, wanted.length)
  return wanted.every((resource) => {
    if (isOwned(resource)) return true
    const slash = resource.indexOf('/')
    return slash >= 0 && isOwned(`*${resource.slice(slash)}`)
  })
}

const pathCovers = (owned: string, wanted: string) => owned === wanted || (owned.endsWith('*') && wanted.startsWith(withoutStars(owned)))

function ruleCovers(owner: PolicyRule, servant: PolicyRule): boolean {
  const ownedNames = owner.resourceNames ?? none
  const wantedNames = servant.resourceNames ?? none
  const names = ownedNames.length === 0 || (wantedNames.length > 0 && wantedNames.every(isIn(ownedNames, wantedNames.length)))
  return (
    names &&
    all(owner.verbs, servant.verbs) &&
    all(owner.apiGroups ?? none, servant.apiGroups ?? none) &&
    resourcesCover(owner.resources ?? none, servant.resources ?? none) &&
    (servant.nonResourceURLs ?? none).every((wanted) => (owner.nonResourceURLs ?? none).some((owned) => pathCovers(owned, wanted)))
  )
}

/** Rules with one verb and one resource (and at most one name) or one path each, that together grant the same. */
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

/** What the servant rules grant beyond the owner rules, in the smallest parts; empty when they grant nothing more. */
export function covers(ownerRules: readonly PolicyRule[], servantRules: readonly PolicyRule[]): PolicyRule[] {
  const missing: PolicyRule[] = []
  let budget = maxAtoms
  for (const servant of servantRules) {
    if (atomCount(servant) > 0 && ownerRules.some((owner) => ruleCovers(owner, servant))) continue
    budget -= atomCount(servant)
    if (budget < 0) {
      missing.push(servant)
      continue
    }
    for (const atom of atoms(servant)) if (!ownerRules.some((owner) => ruleCovers(owner, atom))) missing.push(atom)
  }
  return missing
}
