/** Validates success policies of indexed jobs. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import type { Infer } from '../../schema/model.ts'
import { validateNonNegative } from '../validation.ts'
import { countIndexes, parseIndexes } from './index-ranges.ts'
import type { SuccessPolicy, SuccessPolicyRule } from './job.ts'

const max = { rules: 20, indexesText: 64 * 1024 }

export function validateSuccessPolicy(
  { rules }: Infer<typeof SuccessPolicy>,
  completions: number,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const at = path.child('rules')
  const given = rules ?? []
  if (given.length === 0) errors.required(at, 'at least one rules must be specified when the successPolicy is specified')
  if (given.length > max.rules) errors.tooMany(at, given.length, max.rules)
  given.forEach((rule, index) => {
    validateRule(rule, completions, at.index(index), errors)
  })
}

function validateRule(
  { succeededCount, succeededIndexes }: Infer<typeof SuccessPolicyRule>,
  completions: number,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (succeededCount === undefined && succeededIndexes === undefined) {
    errors.required(path, 'at least one of succeededCount or succeededIndexes must be specified')
  }
  const total = succeededIndexes === undefined ? 0 : validateIndexes(succeededIndexes, completions, path.child('succeededIndexes'), errors)
  if (succeededCount === undefined) return
  const at = path.child('succeededCount')
  validateNonNegative(succeededCount, at, errors)
  if (succeededCount > completions) {
    errors.invalid(at, succeededCount, `must be less than or equal to ${completions} (the number of specified completions)`)
  }
  if (succeededIndexes !== undefined && succeededCount > total) {
    const what = 'the number of indexes in the specified succeededIndexes field'
    errors.invalid(at, succeededCount, `must be less than or equal to ${total} (${what})`)
  }
}

/** The number of indexes; 0 when malformed. */
function validateIndexes(text: string, completions: number, path: FieldPath, errors: FieldErrors): number {
  if (text.length > max.indexesText) errors.tooLong(path, max.indexesText)
  try {
    return countIndexes(parseIndexes(text, completions))
  } catch (error) {
    errors.invalid(path, text, `error parsing succeededIndexes: ${(error as Error).message}`)
    return 0
  }
}
