/** Moves ownership with a write, and merges applied configurations (KEP-555). Works on managers and field sets; knows no metadata. */
import { equal } from '../schema/json/equal.ts'
import type { JsonObject } from '../schema/model.ts'
import { type Comparison, compare } from './compare.ts'
import { ApplyConflicts, type Conflict } from './conflict.ts'
import { convertTo } from './convert.ts'
import { difference, type FieldSet, intersection, recursiveDifference } from './field-set.ts'
import { type Identity, identityOf, type Manager, type Managers } from './managers.ts'
import { merge } from './merge.ts'
import { prune } from './prune.ts'
import { reconcile } from './reconcile.ts'
import { atomOf, type Scope } from './scope.ts'
import { toFieldSet } from './to-field-set.ts'

/** Migrates managers: drops versions that are not served, and follows atomic changes of the schema. */
function reconciled({ versions }: Scope, managers: Managers): Managers {
  if (managers.size === 0) return managers
  const result = new Map<string, Manager>()
  for (const [identity, manager] of managers) {
    const atom = versions.atom(manager.apiVersion)
    if (atom === undefined) continue
    const fields = reconcile(atom, manager.fields)
    result.set(identity, fields === manager.fields ? manager : { ...manager, fields })
  }
  return result
}

interface Change {
  readonly old: JsonObject
  readonly updated: JsonObject
  /** Identity of the writer, which has no conflict with itself. */
  readonly by: string
  readonly force: boolean
}

/** The comparison of a change in a version. */
function comparisonIn(apiVersion: string, scope: Scope, { old, updated }: Change): Comparison {
  const { apiVersion: own, reset } = scope
  const before = convertTo(scope, old, own, apiVersion, 'failed to convert old object')
  const after = convertTo(scope, updated, own, apiVersion, 'failed to convert new object')
  const { changed, removed } = compare(atomOf(scope, apiVersion), before, after)
  return { changed: recursiveDifference(changed, reset), removed: recursiveDifference(removed, reset) }
}

/**
 * Removes the changed fields from the other managers. Throws ApplyConflicts for them unless forced. `own`: the comparison in the version of the
 * write, if it is known.
 */
function transfer(scope: Scope, managers: Managers, change: Change, own?: Comparison): Map<string, Manager> {
  const result = new Map<string, Manager>()
  if (managers.size === 0) return result
  /** By version. */
  const comparisons = new Map<string, Comparison>()
  if (own !== undefined) comparisons.set(scope.apiVersion, own)
  const conflicts: Conflict[] = []
  for (const [identity, manager] of managers) {
    let { fields } = manager
    if (identity !== change.by) {
      const known = comparisons.get(manager.apiVersion) ?? comparisonIn(manager.apiVersion, scope, change)
      comparisons.set(manager.apiVersion, known)
      const { changed, removed } = known
      const taken = intersection(fields, changed)
      if (taken.length > 0) conflicts.push({ manager, fields: taken })
      fields = difference(difference(fields, taken), removed)
    }
    if (fields.length > 0) result.set(identity, fields === manager.fields ? manager : { ...manager, fields })
  }
  if (!change.force && conflicts.length > 0) throw new ApplyConflicts(conflicts)
  return result
}

/** The managers after a write that is no apply, without the fields that the writer with this identity gained or lost. */
export function update(
  scope: Scope,
  old: JsonObject,
  updated: JsonObject,
  managers: Managers,
  by: string,
): { managers: Map<string, Manager>; gained: FieldSet; lost: FieldSet } {
  const change = { old, updated, by, force: true }
  const comparison = comparisonIn(scope.apiVersion, scope, change)
  const { changed, removed } = comparison
  return { managers: transfer(scope, reconciled(scope, managers), change, comparison), gained: changed, lost: removed }
}

/** Whether the applier may have owned fields that it does not apply any more. */
function givesUp(last: Manager | undefined, apiVersion: string, now: FieldSet): last is Manager {
  return last !== undefined && (last.apiVersion !== apiVersion ? last.fields : difference(last.fields, now)).length > 0
}

/**
 * Merges the applied configuration into the live object, prunes what the applier no longer applies, and moves ownership.
 * The object is undefined when nothing changed. Throws ApplyConflicts, and TypeMismatch when the object does not match another manager's
 * version.
 */
export function apply(
  scope: Scope,
  live: JsonObject,
  applied: JsonObject,
  given: Managers,
  by: Identity,
  force: boolean,
): { object: JsonObject | undefined; managers: Map<string, Manager> } {
  const { apiVersion } = scope
  const identity = identityOf(by)
  const managers = new Map(reconciled(scope, given))
  const last = managers.get(identity)
  const atom = atomOf(scope, apiVersion)
  const merged = merge(atom, live, applied) as JsonObject
  const fields = recursiveDifference(toFieldSet(atom, applied), scope.reset)
  managers.set(identity, { fields, time: last?.time, ...by })
  const updated = givesUp(last, apiVersion, fields) ? prune(scope, merged, managers, last) : merged
  const result = transfer(scope, managers, { old: live, updated, by: identity, force })
  return { object: equal(live, updated) ? undefined : updated, managers: result }
}
