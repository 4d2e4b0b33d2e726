/**
 * Rules that say all there is to say about a value, in the order and words of the reference server. What facets found there
 * already is left out, so that nothing is said twice.
 */
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import type { HookContext, Json } from '../../schema/model.ts'
import type { ObjectMeta } from '../definition.ts'

function drop(errors: FieldErrors, isSaid: (field: string) => boolean): void {
  errors.drop(({ field }) => isSaid(field))
}

/** Drops what was found at the path and below. */
export function startOver(errors: FieldErrors, path: FieldPath): void {
  const at = path.toString()
  drop(errors, (field) => field === at || field.startsWith(`${at}.`) || field.startsWith(`${at}[`))
}

/** Finalizers without a domain are few: the platform's own and those of the garbage collector. */
export function checkFinalizer(name: string, path: FieldPath, errors: FieldErrors, { platform }: HookContext): void {
  if (name.includes('/') || name === platform.finalizer || name === 'orphan' || name === 'foregroundDeletion') return
  errors.invalid(path, name, 'name is neither a standard finalizer name nor is it fully qualified')
}

type Rules<T> = (object: T, errors: FieldErrors, context: HookContext, old?: T) => void

/** A strategy's `validate` that checks the whole object after its metadata. */
export function objectRules<T extends object>(rules?: Rules<T>): Rules<T> {
  const finalizers = FieldPath.of('metadata', 'finalizers')
  return (object, errors, context, old) => {
    const { metadata }: { metadata?: ObjectMeta } = object
    drop(errors, (field) => !field.startsWith('metadata'))
    metadata?.finalizers?.forEach((name, index) => {
      checkFinalizer(name, finalizers.index(index), errors, context)
    })
    rules?.(object, errors, context, old)
  }
}

/** A value of a message as JSON. */
export const asJson = (value: unknown): Json => (value ?? null) as Json
