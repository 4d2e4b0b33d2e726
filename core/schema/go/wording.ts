/** Validators of facets with the texts of hand-written validation; openapi-facets.ts has those of an OpenAPI validator. */
import { utf8Length } from '../bytes.ts'
import type { FieldErrors } from '../field-error.ts'
import type { FieldPath } from '../field-path.ts'
import { equal } from '../json/equal.ts'
import type { Json } from '../model.ts'

/** Adds an error when the value violates the rule. Values of another JSON type pass. */
export type Validator = (value: Json, path: FieldPath, errors: FieldErrors) => void

/** Length in characters (code points). */
export function characters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

const onNumber =
  (breaks: (value: number) => boolean, add: (errors: FieldErrors, path: FieldPath, value: number) => void): Validator =>
  (value, path, errors) => {
    // Bigints are compared like numbers.
    if ((typeof value === 'number' || typeof value === 'bigint') && breaks(value as number)) add(errors, path, value as number)
  }
const onText =
  (breaks: (value: string) => boolean, add: (errors: FieldErrors, path: FieldPath, value: string) => void): Validator =>
  (value, path, errors) => {
    if (typeof value === 'string' && breaks(value)) add(errors, path, value)
  }
const onList =
  (breaks: (value: Json[]) => boolean, add: (errors: FieldErrors, path: FieldPath, value: Json[]) => void): Validator =>
  (value, path, errors) => {
    if (Array.isArray(value) && breaks(value)) add(errors, path, value)
  }
const onObject =
  (breaks: (size: number) => boolean, add: (errors: FieldErrors, path: FieldPath, size: number) => void): Validator =>
  (value, path, errors) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    const size = Object.keys(value).length
    if (breaks(size)) add(errors, path, size)
  }

const below = (limit: number, exclusive: boolean) => (value: number) => (exclusive ? value <= limit : value < limit)
const above = (limit: number, exclusive: boolean) => (value: number) => (exclusive ? value >= limit : value > limit)
const isMultiple = (value: number, factor: number) => {
  const quotient = factor < 1 ? (1 / factor) * value : value / factor
  return Math.abs(quotient - Math.round(quotient)) < 1e-9
}

const invalid = (detail: string) => (errors: FieldErrors, path: FieldPath, value: Json) => errors.invalid(path, value, detail)

export const wording = {
  min: (limit: number, exclusive: boolean) =>
    onNumber(below(limit, exclusive), invalid(exclusive ? `must be greater than ${limit}` : `must be greater than or equal to ${limit}`)),
  max: (limit: number, exclusive: boolean) =>
    onNumber(above(limit, exclusive), invalid(exclusive ? `must be less than ${limit}` : `must be less than or equal to ${limit}`)),
  between: (low: number, high: number) =>
    onNumber((value) => value < low || value > high, invalid(`must be between ${low} and ${high}, inclusive`)),
  multipleOf: (factor: number) => onNumber((value) => !isMultiple(value, factor), invalid(`must be a multiple of ${factor}`)),
  minLength: (limit: number) =>
    onText(
      (value) => characters(value) < limit,
      (errors, path) => errors.tooShort(path, limit),
    ),
  maxLength: (limit: number) =>
    onText(
      (value) => value.length * 3 > limit && utf8Length(value) > limit,
      (errors, path) => errors.tooLong(path, limit),
    ),
  pattern: (pattern: string, test: (text: string) => boolean) =>
    onText((value) => !test(value), invalid(`must match the regular expression '${pattern}'`)),
  minItems: (limit: number) =>
    onList(
      (items) => items.length < limit,
      (errors, path, items) => errors.tooFew(path, items.length, limit),
    ),
  maxItems: (limit: number) =>
    onList(
      (items) => items.length > limit,
      (errors, path, items) => errors.tooMany(path, items.length, limit),
    ),
  uniqueItems: (value: Json, path: FieldPath, errors: FieldErrors) => {
    if (!Array.isArray(value)) return
    value.forEach((item, at) => {
      if (value.findIndex((other) => equal(item, other)) < at) errors.duplicate(path.index(at), item)
    })
  },
  minProperties: (limit: number) =>
    onObject(
      (size) => size < limit,
      (errors, path, size) => errors.tooFew(path, size, limit),
    ),
  maxProperties: (limit: number) =>
    onObject(
      (size) => size > limit,
      (errors, path, size) => errors.tooMany(path, size, limit),
    ),
}
