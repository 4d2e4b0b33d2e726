/** Rules of the reference's generated validation (apimachinery api/validate), with its texts: what it declares is validated only where it changes. */

import type { FieldErrors } from '../schema/field-error.ts'
import type { FieldPath } from '../schema/field-path.ts'
import type { FormatName } from '../schema/formats/formats.ts'
import { equal } from '../schema/json/equal.ts'
import { asJson, validateFormat } from './validation.ts'

/** Whether an update, or a create, gives the value a new content; an error if an update does that to an immutable field. */
export function isNew(value: unknown, old: { readonly value: unknown } | undefined): boolean {
  return old === undefined || !equal(asJson(value), asJson(old.value))
}

/** Whether the content of a field that can't be changed has to be validated: on creates. Changes are errors. */
export function isNewImmutable(
  value: unknown,
  old: { readonly value: unknown } | undefined,
  path: FieldPath,
  errors: FieldErrors,
): boolean {
  if (old === undefined) return true
  if (isNew(value, old)) errors.invalid(path, undefined, 'field is immutable')
  return false
}

/** Exactly one member must be set. */
export function validateOneOf(members: { readonly [name: string]: unknown }, path: FieldPath, errors: FieldErrors): void {
  const names = Object.keys(members)
  const set = names.filter((name) => members[name] !== undefined)
  if (set.length === 1) return
  const all = names.map((name) => `\`${name}\``).join(', ')
  if (set.length === 0) errors.invalid(path, '', `must specify one of: ${all}`)
  else errors.invalid(path, `{${set.join(', ')}}`, `must specify exactly one of: ${all}`)
}

/** A text that must be set, with a format. */
export function validateNeeded(value: string | undefined, format: FormatName, path: FieldPath, errors: FieldErrors): void {
  if (!value) errors.required(path)
  else validateFormat(value, format, path, errors)
}

/** At most `max` items, no two with the same name. Nothing else is reported of a list that is too long. */
export function validateNamed<T extends { readonly name: string }>(
  items: readonly T[] = [],
  max: number,
  path: FieldPath,
  errors: FieldErrors,
  validateItem: (item: T, path: FieldPath) => void,
): void {
  if (items.length > max) {
    errors.tooMany(path, items.length, max)
    return
  }
  const seen = new Set<string>()
  items.forEach((item, index) => {
    if (seen.has(item.name)) errors.duplicate(path.index(index), asJson(item))
    seen.add(item.name)
  })
  items.forEach((item, index) => {
    validateItem(item, path.index(index))
  })
}
