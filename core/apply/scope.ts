import type { JsonObject } from '../schema/model.ts'
import type { Atom } from './atom.ts'
import type { FieldSet } from './field-set.ts'

/** The versions of a resource. */
export interface Versions {
  /** Undefined: the version is not served; its managers lose their fields. */
  atom(apiVersion: string): Atom | undefined
  /** Converts an object; does not change the given one. */
  convert(object: JsonObject, from: string, to: string): JsonObject
}

/** Context of a write. */
export interface Scope {
  /** Version of the objects given and returned. */
  readonly apiVersion: string
  readonly versions: Versions
  /** Fields that can't be written here (resetFields); no manager owns them. */
  readonly reset: FieldSet
}

/** The atom of a version that must exist. */
export function atomOf({ versions }: Scope, apiVersion: string): Atom {
  const atom = versions.atom(apiVersion)
  if (atom === undefined) throw new Error(`no corresponding type for ${apiVersion}`)
  return atom
}
