import type { JsonObject } from '../schema/model.ts'
import type { Atom } from './atom.ts'
import type { FieldSet } from './field-set.ts'

/** The versions of a resource. */
export interface Versions {
  /** Undefined: not served (any more); who owns fields in it owns nothing. */
  atom(apiVersion: string): Atom | undefined
  /** The same object in another version, neither of them changed. */
  convert(object: JsonObject, from: string, to: string): JsonObject
}

/** Where a write happens. */
export interface Scope {
  /** Of the objects given and returned. */
  readonly apiVersion: string
  readonly versions: Versions
  /** Fields that can't be written here; nobody gets to own them. */
  readonly reset: FieldSet
}

/** The atom of a version that is known to be there. */
export function atomOf({ versions }: Scope, apiVersion: string): Atom {
  const atom = versions.atom(apiVersion)
  if (atom === undefined) throw new Error(`no corresponding type for ${apiVersion}`)
  return atom
}
