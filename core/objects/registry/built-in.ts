import type { Platform } from '../../platform.ts'
import { bind } from '../../resources/bind.ts'
import { hubConverter } from '../../resources/converter.ts'
import { apiVersionOf, type ResourceDefinition, type Versioning } from '../../resources/definition.ts'

/** How objects of a resource convert: `hub` is the row of the storage version. Undefined: it has one version. */
function versioningOf(hub: ResourceDefinition, rows: readonly ResourceDefinition[], platform: Platform): Versioning | undefined {
  if (rows.length === 1 && hub.formerVersions === undefined) return undefined
  const others = rows.filter((row) => row !== hub)
  return { heldIn: 'storage', version: apiVersionOf(hub), converter: hubConverter(hub, others, platform) }
}

/** Prepares rows for the table: bound to the platform, each with the conversion between the versions of its resource. */
export function builtInRows(definitions: readonly ResourceDefinition[], platform: Platform): readonly ResourceDefinition[] {
  const bound = definitions.map((row) => bind(row, platform))
  const byVersion = new Map(bound.map((row) => [`${row.storageKey} ${apiVersionOf(row)}`, row]))
  // If the storage version is unknown, the row's own version is used.
  const hubs = bound.map((row) => byVersion.get(`${row.storageKey} ${row.storageVersion}`) ?? row)
  const resources = new Map<ResourceDefinition, ResourceDefinition[]>(hubs.map((hub) => [hub, []]))
  for (const [index, row] of bound.entries()) resources.get(hubs[index] as ResourceDefinition)?.push(row)
  const versionings = new Map([...resources].map(([hub, rows]) => [hub, versioningOf(hub, rows, platform)]))
  return bound.map((row, index) => {
    const versioning = versionings.get(hubs[index] as ResourceDefinition)
    return versioning ? { ...row, versioning } : row
  })
}
