import type { Platform } from '../platform.ts'
import { bind } from '../resources/bind.ts'
import { type ApiObject, apiVersionOf, type ResourceDefinition } from '../resources/definition.ts'

/** Versions with the same fields differ in nothing but their name. */
function relabelled(definition: ResourceDefinition): ResourceDefinition {
  if (definition.storageVersion === undefined || definition.storage) return definition
  const as = (apiVersion: string) => (object: ApiObject) => ({ ...object, apiVersion })
  return {
    ...definition,
    storage: { version: definition.storageVersion, toStored: as(definition.storageVersion), fromStored: as(apiVersionOf(definition)) },
  }
}

/** Rows as a table takes them: bound to the platform, each with the way to the version that is stored. */
export function builtInRows(definitions: readonly ResourceDefinition[], platform: Platform): readonly ResourceDefinition[] {
  const bound = definitions.map((row) => bind(row, platform))
  // Where the version to store is not known here, the one that is stands in for it.
  const known = new Set(bound.map((row) => `${row.storageKey} ${apiVersionOf(row)}`))
  return bound.map((row) => (known.has(`${row.storageKey} ${row.storageVersion}`) ? relabelled(row) : row))
}
