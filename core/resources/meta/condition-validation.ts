/** Validation of conditions (apimachinery metav1/validation). */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import type { Infer } from '../../schema/model.ts'
import { validateFormat, validateSupported } from '../validation.ts'
import type { Condition } from './condition.ts'

const max = { reason: 1024, message: 32 * 1024 }

/** Adds all errors of the conditions; types must be unique. */
export function validateConditions(conditions: readonly Infer<typeof Condition>[] | undefined, path: FieldPath, errors: FieldErrors): void {
  const seen = new Map<string, number>()
  conditions?.forEach((condition, index) => {
    const at = path.index(index)
    if (seen.has(condition.type)) errors.duplicate(at.child('type'), condition.type)
    seen.set(condition.type, index)
    validateCondition(condition, at, errors)
  })
}

function validateCondition(condition: Infer<typeof Condition>, path: FieldPath, errors: FieldErrors): void {
  const { type, status, observedGeneration = 0, lastTransitionTime, reason, message } = condition
  validateFormat(type, 'labelKey', path.child('type'), errors)
  validateSupported(status, ['False', 'True', 'Unknown'], path.child('status'), errors)
  if (observedGeneration < 0) errors.invalid(path.child('observedGeneration'), observedGeneration, 'must be greater than or equal to zero')
  if (!lastTransitionTime) errors.required(path.child('lastTransitionTime'))
  if (reason === '') errors.required(path.child('reason'))
  else if (reason.length > max.reason) errors.tooLong(path.child('reason'), max.reason)
  else validateFormat(reason, 'conditionReason', path.child('reason'), errors)
  if (message.length > max.message) errors.tooLong(path.child('message'), max.message)
}
