/**
 * Hand-written validation of whole values in the reference's order and words. Errors that facets have already found there are
 * dropped, to avoid duplicates.
 */
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import type { HookContext } from '../../schema/model.ts'
import type { ObjectMeta } from '../definition.ts'

function drop(errors: FieldErrors, isSaid: (field: string) => boolean): void {
  errors.drop(({ field }) => isSaid(field))
}

/** Drops errors at the path and below. */
export function dropErrorsAt(errors: FieldErrors, path: FieldPath): void {
  const at = path.toString()
  drop(errors, (field) => field === at || field.startsWith(`${at}.`) || field.startsWith(`${at}[`))
}

/** Only known finalizers may have no domain: the platform's own and those of the garbage collector. */
export function validateFinalizer(name: string, path: FieldPath, errors: FieldErrors, { platform }: HookContext): void {
  if (name.includes('/') || name === platform.finalizer || name === 'orphan' || name === 'foregroundDeletion') return
  errors.invalid(path, name, 'name is neither a standard finalizer name nor is it fully qualified')
}

type Validate<T> = (object: T, errors: FieldErrors, context: HookContext, old?: T) => void

/** A strategy's `validate` for the whole object, after its metadata. */
export function objectValidation<T extends object>(validate?: Validate<T>): Validate<T> {
  const finalizers = FieldPath.of('metadata', 'finalizers')
  return (object, errors, context, old) => {
    const { metadata }: { metadata?: ObjectMeta } = object
    drop(errors, (field) => !field.startsWith('metadata'))
    metadata?.finalizers?.forEach((name, index) => {
      validateFinalizer(name, finalizers.index(index), errors, context)
    })
    validate?.(object, errors, context, old)
  }
}
