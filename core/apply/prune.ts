/** Removes fields that an applier applied last time, does not apply now, and no other manager owns. */
import type { Json, JsonObject } from '../schema/model.ts'
import { convertTo } from './convert.ts'
import { difference, type FieldSet, intersection, union, unionOf } from './field-set.ts'
import type { Manager, Managers } from './managers.ts'
import { withNamedFields } from './named-fields.ts'
import { removeItems } from './remove-items.ts'
import { atomOf, type Scope } from './scope.ts'
import { toFieldSet } from './to-field-set.ts'

/** Both in the same version: the merged object, and what is left of it. */
interface Pruned {
  readonly version: string
  readonly merged: JsonObject
  readonly rest: JsonObject
}

const objectOf = (value: Json) => (value ?? {}) as JsonObject

/** The merged object without the fields that the applier gave up; `last` is its previous entry, `managers` has the current one. */
export function prune(scope: Scope, merged: JsonObject, managers: Managers, last: Manager): JsonObject {
  const { apiVersion: own } = scope
  const version = last.apiVersion
  const convert = (object: JsonObject, from: string, to: string, failing = `failed to convert pruned object at version ${to}`) =>
    convertTo(scope, object, from, to, `failed to prune fields: ${failing}`)
  const atom = atomOf(scope, version)
  const inLast = convert(merged, own, version, 'failed to convert merged object to last applied version')
  const before = withNamedFields(atom, last.fields)
  let pruned: Pruned = { version, merged: inLast, rest: objectOf(removeItems(atom, inLast, before)) }
  for (const [owned, fields] of ownersFirst(managers, version)) {
    const from = pruned.version
    const at = { version: owned, merged: convert(pruned.merged, from, owned), rest: convert(pruned.rest, from, owned) }
    pruned = addBack(scope, at, fields)
  }
  const left = convert(pruned.rest, pruned.version, version)
  const gone = intersection(difference(namedFields(scope, version, inLast), namedFields(scope, version, left)), before)
  return convert(objectOf(removeItems(atom, inLast, gone)), version, own)
}

function namedFields(scope: Scope, version: string, object: JsonObject): FieldSet {
  const atom = atomOf(scope, version)
  return withNamedFields(atom, toFieldSet(atom, object))
}

/** Owned fields by version, the pruned version first, because conversions may depend on what was removed. */
function ownersFirst(managers: Managers, first: string): [string, FieldSet][] {
  const owned = new Map<string, FieldSet[]>()
  for (const { apiVersion, fields } of managers.values()) {
    const sets = owned.get(apiVersion)
    if (sets) sets.push(fields)
    else owned.set(apiVersion, [fields])
  }
  return [...owned]
    .map(([version, sets]): [string, FieldSet] => [version, unionOf(sets)])
    .sort(([a], [b]) => Number(b === first) - Number(a === first))
}

/** Restores fields that a manager owns. */
function addBack(scope: Scope, { version, merged, rest }: Pruned, owned: FieldSet): Pruned {
  const atom = atomOf(scope, version)
  const kept = union(namedFields(scope, version, rest), withNamedFields(atom, owned))
  const gone = difference(namedFields(scope, version, merged), kept)
  return { version, merged, rest: objectOf(removeItems(atom, merged, gone)) }
}
