import type { Platform } from '../platform.ts'
import type { ResourceDefinition } from '../resources/definition.ts'
import { customGroupPriority, groupVersions } from '../resources/group-versions.ts'
import { compareVersions } from '../schema/version-order.ts'

/** The currently served resources, from which everything in this folder is computed. */
export interface DefinitionSource {
  /** Increases whenever the result of `definitions()` changes. */
  readonly revision: number
  /** Served definitions, bound to the platform (no `<domain>` left). An unchanged definition stays the same object. */
  definitions(): readonly ResourceDefinition[]
}

export interface ServedVersion {
  readonly group: string
  readonly version: string
  /** `v1` or `apps/v1`. */
  readonly groupVersion: string
  /** `/api/v1` or `/apis/apps/v1`. */
  readonly path: string
  /** Sorted by plural. */
  readonly definitions: readonly ResourceDefinition[]
}

export interface ServedGroup {
  /** Empty for the core group. */
  readonly name: string
  /** Best first; the first one is the preferred version. */
  readonly versions: readonly ServedVersion[]
}

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Groups in discovery order: by priority, then by name; their versions by stability, then number. */
export function groupServed(definitions: readonly ResourceDefinition[], platform: Platform): readonly ServedGroup[] {
  const priorities = new Map(groupVersions.map(({ group, priority }) => [platform.name(group), priority]))
  const priority = (name: string) => priorities.get(name) ?? customGroupPriority
  return [...bucket(definitions, ({ group }) => group)]
    .sort(([a], [b]) => priority(b) - priority(a) || byText(a, b))
    .map(([name, ofGroup]) => ({
      name,
      versions: [...bucket(ofGroup, ({ version }) => version)]
        .sort(([a], [b]) => compareVersions(b, a))
        .map(([version, ofVersion]) => servedVersion(name, version, ofVersion)),
    }))
}

function bucket<T>(values: readonly T[], key: (value: T) => string): ReadonlyMap<string, T[]> {
  const buckets = new Map<string, T[]>()
  for (const value of values) {
    const found = buckets.get(key(value))
    if (found) found.push(value)
    else buckets.set(key(value), [value])
  }
  return buckets
}

function servedVersion(group: string, version: string, definitions: ResourceDefinition[]): ServedVersion {
  const groupVersion = group === '' ? version : `${group}/${version}`
  return {
    group,
    version,
    groupVersion,
    path: group === '' ? `/api/${version}` : `/apis/${groupVersion}`,
    definitions: definitions.sort((a, b) => byText(a.names.plural, b.names.plural)),
  }
}

/** Memoizes a result for the current revision. */
export function perRevision<T>(served: DefinitionSource, build: (definitions: readonly ResourceDefinition[]) => T): () => T {
  let revision: number | undefined
  let value: T
  return () => {
    if (revision !== served.revision) {
      const current = served.revision
      value = build(served.definitions())
      revision = current
    }
    return value
  }
}
