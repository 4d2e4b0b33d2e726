import type { Platform } from '../platform.ts'
import { bind } from '../resources/bind.ts'
import { type ApiObject, apiVersionOf, type ResourceDefinition } from '../resources/definition.ts'

/** Converter between versions with identical fields: changes only `apiVersion`. */
function relabelled(definition: ResourceDefinition): ResourceDefinition {
  if (definition.storageVersion === undefined || definition.storage) return definition
  const as = (apiVersion: string) => (object: ApiObject) => ({ ...object, apiVersion })
  return {
    ...definition,
    storage: { version: definition.storageVersion, toStored: as(definition.storageVersion), fromStored: as(apiVersionOf(definition)) },
  }
}

/** Prepares rows for the table: bound to the platform, each with its conversion to the storage version. */
export function builtInRows(definitions: readonly ResourceDefinition[], platform: Platform): readonly ResourceDefinition[] {
  const bound = definitions.map((row) => bind(row, platform))
  // If the storage version is unknown, the row's own version is used.
  const known = new Set(bound.map((row) => `${row.storageKey} ${apiVersionOf(row)}`))
  return bound.map((row) => (known.has(`${row.storageKey} ${row.storageVersion}`) ? relabelled(row) : row))
}
