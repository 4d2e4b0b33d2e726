/** Registrations of the group versions that this server serves itself (pkg/controlplane/apiserver/aggregator.go, controller/crdregistration). */

import type { ResourceTable } from '../objects/registry/served.ts'
import type { Platform } from '../platform.ts'
import { customGroupPriority, customVersionPriority, groupVersions } from '../resources/group-versions.ts'
import type { Registration } from './registration.ts'

/** Values of the label that says which registrations servers keep: from their start, or all the time. */
export const keeps = { onStart: 'onstart', always: 'true' } as const

/** Label of registrations that servers keep. */
export const keptLabel = ({ component, labelDomain }: Platform) => `${component}-aggregator.${labelDomain}/automanaged`

export const registrationsGroup = (platform: Platform) => platform.name('apiregistration.<domain>')

/** By name: built-in group versions, which are kept from the start, and all others, which custom resources have. */
export function localRegistrations(table: Pick<ResourceTable, 'all'>, platform: Platform): ReadonlyMap<string, Registration> {
  const priorities = new Map(
    groupVersions.map(({ group, version, priority, versionPriority }) => [
      `${platform.name(group)}/${version}`,
      { groupPriorityMinimum: priority, versionPriority },
    ]),
  )
  const custom = { groupPriorityMinimum: customGroupPriority, versionPriority: customVersionPriority }
  const own = registrationsGroup(platform)
  const found = new Map<string, Registration>()
  for (const { definition } of table.all()) {
    const {
      group,
      version,
      origin: { definedBy },
    } = definition
    const name = `${version}.${group}`
    const known = priorities.get(`${group}/${version}`)
    const builtIn = definedBy === undefined ? known : undefined
    if (group === own || found.has(name)) continue
    const labels = { [keptLabel(platform)]: builtIn ? keeps.onStart : keeps.always }
    found.set(name, {
      kind: 'APIService',
      apiVersion: `${own}/v1`,
      metadata: { name, labels },
      spec: { ...(group !== '' && { group }), version, ...(builtIn ?? custom) },
    })
  }
  return found
}
