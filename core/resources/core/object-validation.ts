/**
 * Hand-written validation of whole values in the reference's order and words. Errors that facets have already found there are
 * dropped, to avoid duplicates.
 */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { HookContext } from '../../schema/model.ts'

function drop(errors: FieldErrors, isSaid: (field: string) => boolean): void {
  errors.drop(({ field }) => isSaid(field))
}

type Validate<T> = (object: T, errors: FieldErrors, context: HookContext, old?: T) => void

/** A strategy's `validate` for the whole object, after its metadata. */
export function objectValidation<T extends object>(validate?: Validate<T>): Validate<T> {
  return (object, errors, context, old) => {
    drop(errors, (field) => !field.startsWith('metadata'))
    validate?.(object, errors, context, old)
  }
}
