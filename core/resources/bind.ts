import type { Platform } from '../platform.ts'
import type { ResourceDefinition } from './definition.ts'

/** Resolves a definition's placeholders with the platform's names. */
export function bind(definition: ResourceDefinition, platform: Platform): ResourceDefinition {
  const { conversion, storageVersion, lifecycle, formerVersions } = definition
  const { replacement } = lifecycle
  return {
    ...definition,
    group: platform.name(definition.group),
    storageKey: platform.name(definition.storageKey),
    ...(replacement && { lifecycle: { ...lifecycle, replacement: { ...replacement, group: platform.name(replacement.group) } } }),
    ...(definition.storageVersion !== undefined && { storageVersion: platform.name(definition.storageVersion) }),
    ...(formerVersions && {
      formerVersions: Object.fromEntries(Object.entries(formerVersions).map(([name, read]) => [platform.name(name), read])),
    }),
    ...(conversion &&
      storageVersion !== undefined && {
        storage: {
          version: platform.name(storageVersion),
          toStored: (object) => conversion.toStored(object, platform),
          fromStored: (object) => conversion.fromStored(object, platform),
        },
      }),
    subresources: definition.subresources.map((each) => ({
      ...each,
      ...(each.group !== undefined && { group: platform.name(each.group) }),
    })),
  }
}
