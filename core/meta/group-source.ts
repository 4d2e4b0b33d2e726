import { compareVersions } from '../schema/formats/version-order.ts'
import type { PublishedResource } from './resource-rows.ts'

/** One source of API groups for discovery: the served resources, or aggregated API servers. */
export interface GroupSource {
  /** Changes whenever the result of `groups()` changes. */
  readonly revision: number
  groups(): readonly PublishedGroup[]
}

export interface PublishedGroup {
  /** Empty for the core group. */
  readonly name: string
  /** Higher first. */
  readonly priority: number
  readonly versions: readonly PublishedVersion[]
}

export interface PublishedVersion {
  readonly group: string
  readonly version: string
  /** `v1` or `apps/v1`. */
  readonly groupVersion: string
  /** `/api/v1` or `/apis/apps/v1`. */
  readonly path: string
  /** Higher first; versions of equal priority are sorted by stability, then number. */
  readonly priority: number
  /** Whether the reference serves its discovery document from a web service, which allows only GET. */
  readonly service: boolean
  /** `Stale`: the last discovery request to its server failed. */
  readonly freshness: 'Current' | 'Stale'
  /** Sorted by name. */
  resources(): readonly PublishedResource[]
}

/** A group in a list of groups, with its preferred version first. */
export interface ListedGroup {
  readonly name: string
  readonly versions: readonly Pick<PublishedVersion, 'groupVersion' | 'version'>[]
}

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/**
 * Merges the groups of all sources. Groups are sorted by priority, then name; the first version of a group is the preferred one. A group
 * has the highest priority of its sources. The first source of a group version provides it.
 */
export function mergeGroups(sources: readonly GroupSource[]): readonly PublishedGroup[] {
  const merged = new Map<string, { priority: number; readonly versions: Map<string, PublishedVersion> }>()
  for (const { name, priority, versions } of sources.flatMap((source) => source.groups())) {
    const group = merged.get(name) ?? { priority, versions: new Map<string, PublishedVersion>() }
    merged.set(name, group)
    group.priority = Math.max(group.priority, priority)
    for (const own of versions) if (!group.versions.has(own.version)) group.versions.set(own.version, own)
  }
  return [...merged]
    .map(([name, { priority, versions }]) => ({ name, priority, versions: [...versions.values()].sort(bestFirst) }))
    .sort((a, b) => b.priority - a.priority || byText(a.name, b.name))
}

const bestFirst = (a: PublishedVersion, b: PublishedVersion) => b.priority - a.priority || compareVersions(b.version, a.version)

/** Memoizes `build` until the revision of a source changes. */
export function perRevision<T>(sources: readonly { readonly revision: number }[], build: () => T): () => T {
  let revisions: readonly number[] | undefined
  let value: T
  return () => {
    if (revisions === undefined || sources.some(({ revision }, index) => revision !== revisions?.[index])) {
      const current = sources.map(({ revision }) => revision)
      value = build()
      revisions = current
    }
    return value
  }
}
