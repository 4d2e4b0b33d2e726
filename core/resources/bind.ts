import type { Platform } from '../platform.ts'
import type { ResourceDefinition } from './definition.ts'

/** Resolves a definition's placeholders with the platform's names. */
export function bind(definition: ResourceDefinition, platform: Platform): ResourceDefinition {
  const { storageVersion, lifecycle, formerVersions, fieldAnnotations } = definition
  const { replacement } = lifecycle
  return {
    ...definition,
    group: platform.name(definition.group),
    storageKey: platform.name(definition.storageKey),
    ...(fieldAnnotations && { fieldAnnotations: fieldAnnotations.map(platform.name) }),
    ...(replacement && { lifecycle: { ...lifecycle, replacement: { ...replacement, group: platform.name(replacement.group) } } }),
    ...(storageVersion !== undefined && { storageVersion: platform.name(storageVersion) }),
    ...(formerVersions && {
      formerVersions: Object.fromEntries(Object.entries(formerVersions).map(([name, read]) => [platform.name(name), read])),
    }),
    subresources: definition.subresources.map((each) => ({
      ...each,
      ...(each.group !== undefined && { group: platform.name(each.group) }),
    })),
  }
}
