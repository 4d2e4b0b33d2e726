/** Groups as `/apis` and `/apis/GROUP` list them: those of registrations, by their priorities (handler_apis.go of the aggregator). */
import { type ListedGroup, perRevision } from '../meta/group-source.ts'
import type { ResourceTable } from '../objects/registry/served.ts'
import type { Platform } from '../platform.ts'
import { compareVersions } from '../schema/formats/version-order.ts'
import { keeps, keptLabel, localRegistrations, registrationsGroup } from './local.ts'
import { nameOf, type Registration } from './registration.ts'
import type { Registrations } from './registrations.ts'

/** Groups in the order of the list. */
export interface Listing {
  /** Changes whenever the result of `groups()` changes. */
  readonly revision: number
  groups(): readonly ListedGroup[]
}

const highestFirst = (a: Registration, b: Registration) =>
  b.spec.groupPriorityMinimum - a.spec.groupPriorityMinimum || (nameOf(a) < nameOf(b) ? -1 : 1)

const preferredFirst = ({ spec: a }: Registration, { spec: b }: Registration) =>
  b.versionPriority - a.versionPriority || compareVersions(b.version, a.version)

const listed = (name: string, versions: readonly string[]): ListedGroup => ({
  name,
  versions: versions.map((version) => ({ groupVersion: `${name}/${version}`, version })),
})

/**
 * The group of the registrations itself comes first. What this server serves and has not registered yet is listed, too; what had a registration
 * that was deleted is not, nor what this server has registered and does not serve any more.
 */
export function createListing(
  registrations: Registrations,
  table: Pick<ResourceTable, 'all' | 'revision'>,
  platform: Platform,
): Listing & { close(): void } {
  const label = keptLabel(platform)
  const own = registrationsGroup(platform)
  const seen = new Set(registrations.all.keys())
  const close = registrations.follow((name) => void seen.add(name))

  const isPending = (local: Registration) =>
    !registrations.all.has(nameOf(local)) && (local.metadata.labels?.[label] === keeps.always || !seen.has(nameOf(local)))

  const groups = perRevision([registrations, table], () => {
    const local = localRegistrations(table, platform)
    const pending = [...local.values()].filter(isPending)
    const isServed = (each: Registration) => local.has(nameOf(each)) || each.metadata.labels?.[label] !== keeps.always
    const byGroup = new Map<string, Registration[]>()
    for (const each of [...[...registrations.all.values()].filter(isServed), ...pending].sort(highestFirst)) {
      const { group = '' } = each.spec
      if (group === '' || group === own) continue
      const found = byGroup.get(group)
      if (found) found.push(each)
      else byGroup.set(group, [each])
    }
    const ownVersions = new Set(
      table
        .all()
        .filter(({ definition: { group } }) => group === own)
        .map(({ definition: { version } }) => version),
    )
    return [
      listed(own, [...ownVersions]),
      ...Array.from(byGroup, ([group, all]) =>
        listed(
          group,
          all.sort(preferredFirst).map(({ spec: { version } }) => version),
        ),
      ),
    ]
  })
  return {
    get revision() {
      return registrations.revision + table.revision
    },
    groups,
    close,
  }
}
