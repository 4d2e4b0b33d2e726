/** Aggregated lists of several servers as one (apiserver/pkg/endpoints/discovery/aggregated/peer_aggregated_handler.go). */
import { equal } from '../schema/json/equal.ts'
import type { Json } from '../schema/model.ts'
import type { DiscoveredGroup, DiscoveredResource, DiscoveredVersion } from './aggregated-discovery.ts'

const byText = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)

/**
 * All names in an order that each list agrees with; names that no list puts in an order are sorted (apimachinery/pkg/util/sort). When lists
 * contradict each other, all names are sorted.
 */
export function mergedOrder(lists: readonly (readonly string[])[]): readonly string[] {
  const followers = new Map<string, Set<string>>(lists.flat().map((name) => [name, new Set()]))
  const waitsFor = new Map<string, number>()
  const complete = lists.find((list) => list.length === followers.size && new Set(list).size === list.length)
  if (complete !== undefined) return complete
  for (const list of lists) {
    for (const [at, name] of list.slice(1).entries()) {
      const after = followers.get(list[at] ?? '')
      if (after === undefined || after.has(name)) continue
      after.add(name)
      waitsFor.set(name, (waitsFor.get(name) ?? 0) + 1)
    }
  }
  const merged: string[] = []
  const ready = [...followers.keys()].filter((name) => !waitsFor.has(name)).sort(byText)
  for (let name = ready.shift(); name !== undefined; name = ready.shift()) {
    merged.push(name)
    for (const next of followers.get(name) ?? []) {
      const left = (waitsFor.get(next) ?? 0) - 1
      waitsFor.set(next, left)
      if (left > 0) continue
      const at = ready.findIndex((other) => other > next)
      ready.splice(at < 0 ? ready.length : at, 0, next)
    }
  }
  return merged.length === followers.size ? merged : [...followers.keys()].sort(byText)
}

/** The items of all lists; `both` merges items of the same name. */
function merge<T>(lists: readonly (readonly T[])[], nameOf: (item: T) => string, both: (one: T, other: T) => T): T[] {
  const merged = new Map<string, T>()
  for (const item of lists.flat()) {
    const before = merged.get(nameOf(item))
    merged.set(nameOf(item), before === undefined ? item : both(before, item))
  }
  return mergedOrder(lists.map((list) => list.map(nameOf))).flatMap((name) => merged.get(name) ?? [])
}

/** The first one with the verbs and subresources of both. */
function bothResources(one: DiscoveredResource, other: DiscoveredResource): DiscoveredResource {
  if (equal(one as unknown as Json, other as unknown as Json)) return one
  const all = [...(one.subresources ?? []), ...(other.subresources ?? [])]
  const subresources = [...new Map(all.map((each) => [each.subresource, each])).values()]
  return {
    ...one,
    // Null in lists of Go programs that have none.
    verbs: [...new Set([one, other].flatMap(({ verbs }) => verbs ?? []))].sort(byText),
    ...(all.length > 0 && { subresources: subresources.sort((a, b) => byText(a.subresource, b.subresource)) }),
  }
}

function bothVersions(one: DiscoveredVersion, other: DiscoveredVersion): DiscoveredVersion {
  const resources = merge([one.resources ?? [], other.resources ?? []], ({ resource }) => resource, bothResources)
  return { ...one, ...(resources.length > 0 && { resources }) }
}

const bothGroups = (one: DiscoveredGroup, other: DiscoveredGroup): DiscoveredGroup => ({
  ...one,
  versions: merge([one.versions ?? [], other.versions ?? []], ({ version }) => version, bothVersions),
})

/** The groups of all servers, by the identity of each: every server makes the same list of them. */
export function mergeServers(servers: ReadonlyMap<string, readonly DiscoveredGroup[]>): readonly DiscoveredGroup[] {
  const lists = [...servers].sort(([one], [other]) => byText(one, other)).map(([, groups]) => groups)
  return merge(lists, ({ metadata }) => metadata?.name ?? '', bothGroups)
}
