/** Validates the counters in the status of workloads. */
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { validateCounts } from '../validation.ts'

type Counts<Name extends string> = { readonly [name in Name]?: number | undefined }
type Status = Counts<'replicas' | 'readyReplicas' | 'availableReplicas' | 'collisionCount'>

const status = FieldPath.of('status')

/** Counters are non-negative, `parts` don't exceed the replicas, and available replicas don't exceed ready ones. */
export function validateReplicaCounts<S extends Status>(
  counts: S | undefined,
  parts: readonly (keyof S & string)[],
  words: { readonly ready: string },
  errors: FieldErrors,
): void {
  if (counts === undefined) return
  validateCounts(counts, Object.keys(counts) as (keyof S & string)[], status, errors)
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = counts
  for (const part of parts) {
    const value = Number(counts[part] ?? 0)
    if (value > replicas) errors.invalid(status.child(part), value, 'cannot be greater than status.replicas')
  }
  if (availableReplicas > readyReplicas) {
    errors.invalid(status.child('availableReplicas'), availableReplicas, `cannot be greater than ${words.ready}`)
  }
}

/** The collision count never decreases. */
export function validateCollisionCount(
  now: Counts<'collisionCount'> | undefined,
  old: Counts<'collisionCount'> | undefined,
  errors: FieldErrors,
): void {
  const count = now?.collisionCount ?? 0
  if (old?.collisionCount !== undefined && (now?.collisionCount === undefined || count < old.collisionCount)) {
    errors.invalid(status.child('collisionCount'), count, 'cannot be decremented')
  }
}
