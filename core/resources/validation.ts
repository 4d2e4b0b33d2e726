/** Validation helpers for several kinds. Each adds an error when the value is invalid. */

import type { FieldErrors } from '../schema/field-error.ts'
import type { FieldPath } from '../schema/field-path.ts'
import { domainPrefixedPathProblems, type FormatName, formats } from '../schema/formats/formats.ts'
import { parseAddress, parseNetwork } from '../schema/formats/ip.ts'
import { equal } from '../schema/json/equal.ts'
import type { Json } from '../schema/model.ts'

export function validateNonNegative(value: number | undefined, path: FieldPath, errors: FieldErrors): void {
  if (value !== undefined && value < 0) errors.invalid(path, value, 'must be greater than or equal to 0')
}

/** The named members must not be negative. */
export function validateCounts<T extends object>(
  object: T,
  names: readonly (keyof T & string)[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  for (const name of names) {
    const value: unknown = object[name]
    if (typeof value === 'number' || typeof value === 'bigint') validateNonNegative(value as number, path.child(name), errors)
  }
}

/** `Unsupported value` unless the value is allowed; the message lists the allowed ones in order. */
export function validateSupported(value: string | undefined, allowed: readonly string[], path: FieldPath, errors: FieldErrors): void {
  if (value === undefined || !allowed.includes(value)) errors.notSupported(path, value ?? '', allowed)
}

export function validateFormat(value: string | undefined, format: FormatName, path: FieldPath, errors: FieldErrors): void {
  if (value !== undefined) for (const problem of formats[format](value)) errors.invalid(path, value, problem)
}

/** An address or network in an older field: updates may keep ambiguous spellings. */
export function validateAddress(value: string, format: 'ip' | 'cidr', path: FieldPath, errors: FieldErrors): void {
  const known = format === 'ip' ? parseAddress(value) : parseNetwork(value)
  if (known) errors.forgivable('spelling of addresses', () => validateFormat(value, format, path, errors))
  else validateFormat(value, format, path, errors)
}

/** A required value with a format. */
export function validateRequiredFormat(
  value: string | undefined,
  format: FormatName,
  path: FieldPath,
  errors: FieldErrors,
  detail = '',
): void {
  if (!value) errors.required(path, detail)
  else validateFormat(value, format, path, errors)
}

/** A path such as `acme.io/foo`; errors show the part that they are about. */
export function validateDomainPrefixedPath(value: string, path: FieldPath, errors: FieldErrors): void {
  if (value === '') errors.required(path)
  else for (const { part, problem } of domainPrefixedPathProblems(value)) errors.invalid(path, part, problem)
}

/** Returns a function that tells whether it was called with the same scalar before. */
export function repeats(): (value: string | number) => boolean {
  const seen = new Set<string | number>()
  return (value) => {
    if (seen.has(value)) return true
    seen.add(value)
    return false
  }
}

/** A decoded value as JSON, because inferred types also allow `undefined` members. */
export const asJson = (value: unknown): Json => (value ?? null) as Json

/** `field is immutable` if an update changes the value. `shown`: what the error shows, such as a list that was given as an empty one. */
export function validateUnchanged(value: unknown, old: unknown, path: FieldPath, errors: FieldErrors, shown = value): void {
  if (!equal(asJson(value), asJson(old))) errors.invalid(path, shown as Json | undefined, 'field is immutable')
}
