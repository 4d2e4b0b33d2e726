/** Validation of values that are a number or percentage of pods. */
import type { FieldErrors } from '../schema/field-error.ts'
import type { FieldPath } from '../schema/field-path.ts'
import { formats } from '../schema/formats/formats.ts'

type Amount = number | string | undefined

const percentOf = (amount: Amount) =>
  typeof amount === 'string' && formats.percent(amount).length === 0 ? Number(amount.slice(0, -1)) : undefined

/** The number, or that in front of the percent sign; 0 without one. */
export function amountOf(amount: Amount): number {
  const text = String(amount ?? 0)
  return percentOf(amount) ?? (/^[+-]?\d+$/.test(text) ? Number(text) : 0)
}

/** Adds an error for a negative number or a malformed percentage. */
export function validateAmount(amount: Amount, path: FieldPath, errors: FieldErrors): void {
  if (typeof amount === 'string') for (const problem of formats.percent(amount)) errors.invalid(path, amount, problem)
  if (typeof amount === 'number' && amount < 0) errors.invalid(path, amount, 'must be greater than or equal to 0')
}

export function validateAtMostAll(amount: Amount, path: FieldPath, errors: FieldErrors): void {
  if (amount !== undefined && (percentOf(amount) ?? 0) > 100) errors.invalid(path, amount, 'must not be greater than 100%')
}
