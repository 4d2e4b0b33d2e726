/** The texts of facet errors in both dialects: as hand-written validation words them, and as an OpenAPI validator does. */
import { utf8Length } from './bytes.ts'
import { equal } from './equal.ts'
import { type FieldErrors, quote } from './field-error.ts'
import { FieldPath } from './field-path.ts'
import type { Json } from './model.ts'

/** Adds an error when the value breaks the rule. Values of another JSON type than the rule is about pass. */
export type Check = (value: Json, path: FieldPath, errors: FieldErrors) => void

function characters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

const onNumber =
  (breaks: (value: number) => boolean, add: (errors: FieldErrors, path: FieldPath, value: number) => void): Check =>
  (value, path, errors) => {
    if (typeof value === 'number' && breaks(value)) add(errors, path, value)
  }
const onText =
  (breaks: (value: string) => boolean, add: (errors: FieldErrors, path: FieldPath, value: string) => void): Check =>
  (value, path, errors) => {
    if (typeof value === 'string' && breaks(value)) add(errors, path, value)
  }
const onList =
  (breaks: (value: Json[]) => boolean, add: (errors: FieldErrors, path: FieldPath, value: Json[]) => void): Check =>
  (value, path, errors) => {
    if (Array.isArray(value) && breaks(value)) add(errors, path, value)
  }
const onObject =
  (breaks: (size: number) => boolean, add: (errors: FieldErrors, path: FieldPath, size: number) => void): Check =>
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
const hasDuplicates = (items: Json[]) => items.some((item, at) => items.findIndex((other) => equal(item, other)) < at)

const invalid = (detail: string) => (errors: FieldErrors, path: FieldPath, value: Json) => errors.invalid(path, value, detail)

/** Path as an OpenAPI validator names it. */
const named = (path: FieldPath) => (path === FieldPath.root ? '' : path.toString())
const inBody = (detail: string) => (errors: FieldErrors, path: FieldPath, value: Json) =>
  errors.invalid(path, value, `${named(path)} in body ${detail}`)

interface Words {
  min(limit: number, exclusive: boolean): Check
  max(limit: number, exclusive: boolean): Check
  multipleOf(factor: number): Check
  minLength(limit: number): Check
  maxLength(limit: number): Check
  pattern(pattern: string, test: (text: string) => boolean): Check
  minItems(limit: number): Check
  maxItems(limit: number): Check
  uniqueItems: Check
  minProperties(limit: number): Check
  maxProperties(limit: number): Check
}

const typed = {
  min: (limit, exclusive) =>
    onNumber(below(limit, exclusive), invalid(exclusive ? `must be greater than ${limit}` : `must be greater than or equal to ${limit}`)),
  max: (limit, exclusive) =>
    onNumber(above(limit, exclusive), invalid(exclusive ? `must be less than ${limit}` : `must be less than or equal to ${limit}`)),
  between: (low: number, high: number) =>
    onNumber((value) => value < low || value > high, invalid(`must be between ${low} and ${high}, inclusive`)),
  multipleOf: (factor) => onNumber((value) => !isMultiple(value, factor), invalid(`must be a multiple of ${factor}`)),
  minLength: (limit) =>
    onText(
      (value) => characters(value) < limit,
      (errors, path) => errors.tooShort(path, limit),
    ),
  maxLength: (limit) =>
    onText(
      (value) => value.length * 3 > limit && utf8Length(value) > limit,
      (errors, path) => errors.tooLong(path, limit),
    ),
  pattern: (pattern, test) => onText((value) => !test(value), invalid(`must match the regular expression '${pattern}'`)),
  minItems: (limit) =>
    onList(
      (items) => items.length < limit,
      (errors, path, items) => errors.tooFew(path, items.length, limit),
    ),
  maxItems: (limit) =>
    onList(
      (items) => items.length > limit,
      (errors, path, items) => errors.tooMany(path, items.length, limit),
    ),
  uniqueItems: (value, path, errors) => {
    if (!Array.isArray(value)) return
    value.forEach((item, at) => {
      if (value.findIndex((other) => equal(item, other)) < at) errors.duplicate(path.index(at), item)
    })
  },
  minProperties: (limit) =>
    onObject(
      (size) => size < limit,
      (errors, path, size) => errors.tooFew(path, size, limit),
    ),
  maxProperties: (limit) =>
    onObject(
      (size) => size > limit,
      (errors, path, size) => errors.tooMany(path, size, limit),
    ),
} satisfies Words & { between: unknown }

const openapi = {
  min: (limit, exclusive) =>
    onNumber(
      below(limit, exclusive),
      inBody(exclusive ? `should be greater than ${limit}` : `should be greater than or equal to ${limit}`),
    ),
  max: (limit, exclusive) =>
    onNumber(above(limit, exclusive), inBody(exclusive ? `should be less than ${limit}` : `should be less than or equal to ${limit}`)),
  multipleOf: (factor) => onNumber((value) => !isMultiple(value, factor), inBody(`should be a multiple of ${factor}`)),
  minLength: (limit) => onText((value) => characters(value) < limit, inBody(`should be at least ${limit} chars long`)),
  maxLength: (limit) =>
    onText(
      (value) => value.length > limit && characters(value) > limit,
      (errors, path) => errors.tooLong(path, limit),
    ),
  pattern: (pattern, test) => onText((value) => !test(value), inBody(`should match '${pattern}'`)),
  minItems: (limit) =>
    onList(
      (items) => items.length < limit,
      (errors, path, items) => inBody(`should have at least ${limit} items`)(errors, path, items.length),
    ),
  maxItems: (limit) =>
    onList(
      (items) => items.length > limit,
      (errors, path, items) => errors.tooMany(path, items.length, limit),
    ),
  uniqueItems: onList(hasDuplicates, (errors, path) => inBody("shouldn't contain duplicates")(errors, path, '')),
  minProperties: (limit) => onObject((size) => size < limit, inBody(`should have at least ${limit} properties`)),
  maxProperties: (limit) =>
    onObject(
      (size) => size > limit,
      (errors, path, size) => errors.tooMany(path, size, limit),
    ),
  format: (name: string, test: (text: string) => boolean) =>
    onText(
      (value) => !test(value),
      (errors, path, value) => errors.typeInvalid(path, value, `${typeMessage(path, name)}: ${quote(value)}`),
    ),
} satisfies Words & { format: unknown }

/** `spec.replicas in body must be of type integer` */
export function typeMessage(path: FieldPath, type: string): string {
  return `${named(path)} in body must be of type ${type}`
}

export const wording = { typed, openapi }
