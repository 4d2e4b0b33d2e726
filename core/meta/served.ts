import type { Platform } from '../platform.ts'
import type { ResourceDefinition } from '../resources/definition.ts'
import { customGroupPriority, customVersionPriority, groupVersions } from '../resources/group-versions.ts'
import { type GroupSource, type PublishedGroup, type PublishedVersion, perRevision } from './group-source.ts'
import { publishedResource } from './resource-rows.ts'

/** The resources that this server serves itself: built-in and custom ones. */
export interface DefinitionSource {
  /** Increases whenever the result of `definitions()` changes. */
  readonly revision: number
  /** Served definitions, bound to the platform (no `<domain>` left). An unchanged definition stays the same object. */
  definitions(): readonly ResourceDefinition[]
}

/** Their groups, which OpenAPI documents are made of too. */
export interface ServedGroups extends GroupSource {
  groups(): readonly ServedGroup[]
}

interface ServedGroup extends PublishedGroup {
  readonly versions: readonly ServedVersion[]
}

export interface ServedVersion extends PublishedVersion {
  /** Sorted by plural. */
  readonly definitions: readonly ResourceDefinition[]
}

export function createServedGroups(served: DefinitionSource, platform: Platform): ServedGroups {
  const priorities = new Map(groupVersions.map(({ group, priority }) => [platform.name(group), priority]))
  const versionPriorities = new Map(
    groupVersions.map(({ group, version, versionPriority }) => [`${platform.name(group)}/${version}`, versionPriority]),
  )
  const groups = perRevision([served], () =>
    [...bucket(served.definitions(), ({ group }) => group)].map(([name, definitions]) => ({
      name,
      priority: priorities.get(name) ?? customGroupPriority,
      versions: [...bucket(definitions, ({ version }) => version)].map(([version, own]) =>
        servedVersion(name, version, versionPriorities.get(`${name}/${version}`) ?? customVersionPriority, own),
      ),
    })),
  )
  return {
    get revision() {
      return served.revision
    },
    groups,
  }
}

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

function bucket<T>(values: readonly T[], key: (value: T) => string): ReadonlyMap<string, T[]> {
  const buckets = new Map<string, T[]>()
  for (const value of values) {
    const found = buckets.get(key(value))
    if (found) found.push(value)
    else buckets.set(key(value), [value])
  }
  return buckets
}

function servedVersion(group: string, version: string, priority: number, unsorted: readonly ResourceDefinition[]): ServedVersion {
  const groupVersion = group === '' ? version : `${group}/${version}`
  const definitions = [...unsorted].sort((a, b) => byText(a.names.plural, b.names.plural))
  return {
    group,
    version,
    groupVersion,
    path: group === '' ? `/api/${version}` : `/apis/${groupVersion}`,
    priority,
    service: definitions.some(({ origin }) => origin.routing === 'path'),
    freshness: 'Current',
    definitions,
    resources: () => definitions.map(publishedResource),
  }
}
