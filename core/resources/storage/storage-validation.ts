/** Validation shared by several storage kinds. */

import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { formats } from '../../schema/formats/formats.ts'
import { equal } from '../../schema/json/equal.ts'
import { asJson } from '../validation.ts'

const max = { parameters: 512, bytes: 256 * 1024 }
const encoder = new TextEncoder()
const sizeOf = (text: string) => encoder.encode(text).length

/** A driver name: a qualified name, case-insensitive. */
export function validateDriverName(name: string, path: FieldPath, errors: FieldErrors): void {
  if (name === '') errors.required(path)
  else for (const problem of formats.qualifiedName(name.toLowerCase())) errors.invalid(path, name, problem)
}

/** A CSI driver name: a lower-case domain name of at most 63 characters. */
export function validateCSIDriverName(name: string, path: FieldPath, errors: FieldErrors): void {
  if (name === '') errors.required(path)
  if (sizeOf(name) > 63) errors.tooLong(path, 63)
  for (const problem of name === '' ? [] : formats.dns1123Subdomain(name.toLowerCase())) errors.invalid(path, name, problem)
}

type Texts = { readonly [name: string]: string } | undefined

export function validateParameters(parameters: Texts, { allowEmpty }: { readonly allowEmpty: boolean }, errors: FieldErrors): void {
  const path = FieldPath.of('parameters')
  const entries = Object.entries(parameters ?? {})
  if (entries.length > max.parameters) {
    errors.tooLong(path, max.parameters)
    return
  }
  if (entries.length === 0 && !allowEmpty) errors.required(path, 'must contain at least one key/value pair')
  for (const [name] of entries) if (name === '') errors.invalid(path, name, 'field can not be empty.')
  if (textSize(parameters) > max.bytes) errors.tooLong(path, max.bytes)
}

/** Total bytes of names and values. */
export function textSize(texts: Texts): number {
  return Object.entries(texts ?? {}).reduce((sum, [name, value]) => sum + sizeOf(name) + sizeOf(value), 0)
}

/** `updates to … are forbidden.` for each changed member. */
export function forbidUpdates<T extends object>(object: T, old: T, names: readonly (keyof T & string)[], errors: FieldErrors): void {
  for (const name of names) {
    if (!equal(asJson(object[name]), asJson(old[name]))) errors.forbidden(FieldPath.of(name), `updates to ${name} are forbidden.`)
  }
}
