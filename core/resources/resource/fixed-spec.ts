import type { FieldErrors } from '../../schema/field-error.ts'
import type { HookContext } from '../../schema/model.ts'

/** On updates of a spec that can't change, the change is the only error. */
export function forgiveFixedSpec(_object: object, errors: FieldErrors, _context: HookContext, old?: object): void {
  if (old) errors.drop(({ field }) => field.startsWith('spec'))
}
